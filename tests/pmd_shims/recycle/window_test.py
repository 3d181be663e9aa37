# SPDX-License-Identifier: BSD-3-Clause
"""Windows of armed receive descriptors: every packet intact, and the driver's ring as it was for whatever runs next."""
import itertools

import pytest

from mocks import LACKS
from modelled import MOCK, PATIENT, VHOST, Modelled, all_good
from recorded import figures as figures_of, lines, of_type, read
from recycling import LATE, LEAST, figures, pool_is_full, pools_are_full
from session import wait_until
from virtio_pair import WIDE

BUFFER = 128 + 64  # bytes: an mbuf and the first cache line of its packet
LEVELS = {"window", "armed", "in_flight", "working_set"}
RING = ["--rxd=1024", "--txd=1024"]
VIRTIO = {"split": "mrg_rxbuf=0,in_order=0,vectorized=1", "packed": "mrg_rxbuf=0,packed_vq=1,vectorized=1"}


def forward(session, packets, engine="recycle_mbufs"):
    """Forward until this number was sent; returns show recycle while packets flowed."""
    for line in (f"set fwd {engine} retry", PATIENT, "start"):
        session.ok(line)
    wait_until(lambda: session.count("TX-packets") >= packets, f"{packets} packets sent", 60)
    streams = figures(session)
    session.cmd("stop")
    if any(pair.get("proof") == "proving" for stream in streams for pair in stream["pairs"]):
        pytest.skip("queue layouts of this DPDK release were not run, and are still being proved")
    return streams


def level_check(levels):
    """The levels of a stream with a window of 256 and Tx rings of 1024."""
    assert levels["window"] == 256 and 0 < levels["armed"] <= 256 and 0 <= levels["in_flight"] < 1024, levels
    assert levels["working_set"] == (levels["armed"] + levels["in_flight"]) * BUFFER, levels


def sized(streams, least, most):
    """Each stream has a window within bounds, and sent mbufs fill it; the pool adds a few when they come late."""
    for stream in streams:
        window = stream["window"]
        assert least <= window["size"] <= most < window["ring"] and window["armed"] <= window["size"], stream
        assert 0 <= window["in_flight"] < 1024 and window["working_set_kib"] > 0, stream  # 0: all that came has been sent
        assert stream["moved"] > stream["topped_up"] and [pair["paired"] for pair in stream["pairs"]] == [True], stream


@pytest.mark.rotates(2)
@pytest.mark.parametrize("burst, window", [(8, 256), (512, 768)] if LATE else [(8, 128), (512, 640)])
@pytest.mark.parametrize("device", ["xl710", "82599"])
def test_bursts(binary, tmp_path, device, burst, window):
    """The least window that each burst allows: the receive function never reads beyond what is armed."""
    with Modelled(binary, f"{device},verify,count=100000,flows=16*2", tmp_path, [*RING, f"--burst={burst}", f"--recycle-window={window}"]) as session:
        sized(forward(session, 200_000), window, window)
        pool_is_full(session)
        session.quit()
        all_good(session.reports(), 100_000)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("window", ["192", "auto"])
@pytest.mark.parametrize("kind", ["split", *(["packed"] if WIDE else [])])
def test_virtio(binary, tmp_path, monkeypatch, kind, window):
    monkeypatch.setenv("VHOST_NIC", str(tmp_path))
    ports = [f"net_virtio_user{i},path={tmp_path}/{i},queue_size=1024,{VIRTIO[kind]}" for i in range(2)]
    args = ["--rxfreet=64", "--txfreet=768"] if kind == "packed" else []
    with Modelled(binary, "virtio,verify,count=100000,flows=16*2", tmp_path, [*RING, *args, "--tx-offloads=0x0", f"--recycle-window={window}"],
                  eal=["--force-max-simd-bitwidth=512"], plugin=VHOST, vdevs=ports) as session:
        for stream in forward(session, 190_000):  # up to 1024 of each port's last packets may remain in its ring
            assert stream.get("window", {}).get("size") == 192 or window == "auto", stream
            assert stream["moved"] > stream["topped_up"], stream
        session.ok("port stop all", "port close all")  # net_virtio keeps its mbufs until then
        pools_are_full(session)
        session.quit()
        assert session.rc == 0
        for port in session.reports():
            assert port["corrupted"] == port["duplicated"] == port["foreign"] == port["armed_twice"] == 0, port


@pytest.mark.parametrize("device", ["xl710", "82599"])
def test_recorded(binary, tmp_path, device):
    """Recordings and telemetry have the levels while packets flow; none after the window or the run is over."""
    path = tmp_path / "r"
    with Modelled(binary, f"{device},verify,count=300000,flows=16*2", tmp_path, [*RING, "--recycle-window=256"]) as session:
        session.ok(f"record start {path} every 5", "set fwd recycle_mbufs retry", PATIENT, "start")
        told = wait_until(lambda: LEVELS <= set(found := session.ask("/zcfwd/group,recycle")["members"]["1"]) and found["armed"] <= 256 and found, "levels over telemetry", 20)
        level_check(told)
        wait_until(lambda: session.count("TX-packets") >= 300_000, "half of the packets", 60)
        session.ok("set recycle window off")
        wait_until(lambda: session.count("TX-packets") >= 600_000, "all packets", 60)
        session.ok("stop")
        assert not LEVELS & set(session.ask("/zcfwd/group,recycle")["members"]["0"])
        session.ok("record stop")
        session.quit()
        all_good(session.reports(), 300_000)
    found = lines(path)
    for number in (0, 1):
        streams = [line["groups"]["recycle"][number] for line in of_type(found, "interval")]
        # Windows begin once the queue layouts of a release that was not run are proved.
        levels = [*itertools.dropwhile(lambda one: one["armed"] > 256, [one for one in streams if LEVELS & set(one)])]
        assert 0 < len(levels) and not LEVELS & set(streams[-1])
        for one in levels:
            level_check(one)
    assert not any(LEVELS & set(one) for one in of_type(found, "end")[0]["groups"]["recycle"])
    report = read.recording(str(path))
    together = [sum(one.get("working_set", 0) for one in line["groups"]["recycle"]) for line in of_type(found, "interval")]
    assert figures_of.of_run(report, report.runs[0])["working_set"] == max(together) > 0


def test_another_engine_next(binary, tmp_path):
    """A window belongs to runs that recycle: others have the whole ring."""
    with Modelled(binary, "xl710,verify,count=60000,flows=16*2", tmp_path, [*RING, "--recycle-window=auto"]) as session:
        assert all("window" not in stream for stream in forward(session, 120_000, "macswap"))
        session.quit()
        all_good(session.reports(), 60_000)


@pytest.mark.parametrize("line, words", [
    ("set recycle window some", ('"some"', "64 to 32768 descriptors, auto or off")),
    ("set recycle window 63", ('"63"', "64 to 32768")),
    ("set recycle window 128", ("a window of 128 descriptors", f"at least {LEAST} with bursts of 32 packets")),
])
def test_bad_input(binary, tmp_path, line, words):
    """One line, and everything as before."""
    with Modelled(binary, "xl710*2", tmp_path, RING) as session:
        session.ok("set recycle window 256", "set fwd recycle_mbufs", "start")
        said = len(session.stderr())
        answer = session.cmd(line) + session.stderr()[said:]
        assert all(word in answer for word in words), answer
        wait_until(lambda: all(one["window"]["size"] == 256 for one in figures(session)), "the window of before", 20)
        session.ok("stop")
        session.quit()


@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
def test_auto_refused(binary, tmp_path):
    """mlx5's ring does not show how full it is."""
    ports = [f"net_mock{i},driver=mlx5,flows=16" for i in range(2)]
    with Modelled(binary, "", tmp_path, [*RING, "--tx-offloads=0x0", "--recycle-window=auto"], plugin=MOCK, vdevs=ports) as session:
        session.ok("set fwd recycle_mbufs")
        assert "does not show how full it is" in session.cmd("start") + session.stderr()
        session.quit()
