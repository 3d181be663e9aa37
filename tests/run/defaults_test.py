# SPDX-License-Identifier: BSD-3-Clause
"""What a run uses where the user set nothing: the drivers' ring sizes, the line about it at start, and what --rxd=auto takes of the CPU's L2 cache."""
import re

import pytest

from conftest import HOST_HIDE
from modelled import Modelled, each_device, needs_model_nic
from session import Session

BUFFER = 128 + 64  # bytes: an mbuf and the first cache line of its packet
# Descriptors of net_i40e at 40 Gbit/s and net_ixgbe: by queues of the port.
DRIVERS = {"xl710": {1: (2048, 1024), 2: (1024, 512)}, "82599": {1: (256, 256), 2: (256, 256)}}
CACHES = pytest.mark.parametrize("l2", [0, 256, 512, 1024, 4096])  # KiB, 0: unknown


@pytest.fixture
def cache(monkeypatch):
    """Give the programs of a test a CPU with an L2 cache of so many KiB."""
    def set_kib(kib):
        monkeypatch.setenv("LD_PRELOAD", HOST_HIDE, prepend=":")
        monkeypatch.setenv("FAKE_L2", str(kib << 10))
    return set_kib


def fits(l2, usual):
    """The largest of 1024, 512 and 256 with which both rings take half of the cache; never more than the driver's own."""
    return min(usual, next((n for n in (1024, 512, 256) if 2 * n * BUFFER <= l2 << 9), 256) if l2 else usual)


def started(session):
    """The lines about defaults, and what start says as an object, which has to agree with the queues."""
    before = len(session.stderr())
    session.ok("start")
    said = dict(re.findall(r"(?m)^(defaults|hint): (.*)$", session.stderr()[before:]))
    session.ok("stop")
    session.cmd("set output json")
    answer = session.json_ok("start")
    session.json_ok("stop")
    for port in answer.get("defaults", {"ports": []})["ports"]:
        (config,) = (one for one in answer["config"]["ports"] if one["port"] == port["port"])
        for ring, queue in (("rxd", "rx_queue"), ("txd", "tx_queue")):
            assert port.get(ring, config[queue]["descriptors"]) == config[queue]["descriptors"], answer
        for ring, rx in (("rxd", "rxq"), ("txd", "txq")):
            for queue in range(config[rx]):
                shown = session.json_ok(f"show {rx} info {port['port']} {queue}")["descriptors"]
                assert port.get(ring, shown) == shown, answer
    session.cmd("set output text")
    return said, answer


@pytest.mark.rotates(4)
@pytest.mark.parametrize("queues", [1, 2])
@each_device
@CACHES
@needs_model_nic
def test_rings(binary, tmp_path, cache, device, queues, l2):
    """The driver's numbers on any CPU. Where their buffers exceed half of L2, a hint names what auto would choose."""
    cache(l2)
    rxd, txd = DRIVERS[device][queues]
    small = fits(l2, rxd), fits(l2, txd)
    large = l2 > 0 and (rxd + txd) * BUFFER > l2 << 9 and small != (rxd, txd)
    with Modelled(binary, f"{device},queues={queues}*2", tmp_path, [f"--rxq={queues}", f"--txq={queues}"]) as session:
        said, answer = started(session)
        assert said["defaults"] == f"rxd {rxd}, txd {txd}, cache 250"
        port = {"rxd": rxd, "txd": txd, "rxd_auto": small[0], "txd_auto": small[1]}
        assert answer["defaults"] == {"ports": [{"port": 0, **port}, {"port": 1, **port}], "l2_kib": l2, "mbcache": 250, "eal": ""}
        assert ("hint" in said) == large
        if large:
            changes = [(f"--{word}=auto", n) for word, n, usual in zip(("rxd", "txd"), small, (rxd, txd)) if n < usual]
            chooses = " ".join(word for word, _ in changes) + " chooses " + " and ".join(str(n) for _, n in changes)
            assert said["hint"] == (f"port 0: buffers of {rxd} Rx and {txd} Tx descriptors take {(rxd + txd) * BUFFER >> 10} KiB, "
                                    f"half of the L2 cache is {l2 // 2} KiB; {chooses}, see doc/working-set.md")
        assert ("spoils" in re.search(r"(?m)^  rings .*$", session.cmd("doctor"))[0]) == large
        session.quit()


@CACHES
@needs_model_nic
def test_auto(binary, tmp_path, cache, l2):
    """What auto chooses, as an option and as a command; a number or 0 ends it."""
    cache(l2)
    with Modelled(binary, "xl710*2", tmp_path, ["--rxd=auto"]) as session:
        said, answer = started(session)
        rxd = fits(l2, 2048)
        assert said["defaults"] == f"rxd {rxd}, txd 1024{f', L2 cache {l2} KiB' if l2 else ''}, cache 250"
        assert {port["rx_queue"]["descriptors"] for port in answer["config"]["ports"]} == {rxd}
        session.ok("port stop all", "port config all rxd 0", "port config all txd auto", "port start all")
        _, answer = started(session)
        assert {(port["rxd"], port["txd"]) for port in answer["defaults"]["ports"]} == {(2048, fits(l2, 1024))}
        session.ok("port stop all", "port config all rxd auto", "port config 0 rxq 0 ring_size 4096", "port start all")
        _, answer = started(session)
        assert [port["rx_queue"]["descriptors"] for port in answer["config"]["ports"]] == [4096, rxd]
        session.ok("port stop all", "port config all rxd auto", "port start all")  # as any number of all ports, in place of single queues' numbers
        _, answer = started(session)
        assert [port["rx_queue"]["descriptors"] for port in answer["config"]["ports"]] == [rxd, rxd]
        before = len(session.stderr())
        session.cmd("port config all rxd auto")
        assert session.stderr()[before:] == 'Please stop all ports first: use "port stop all"\n'
        session.quit()


@needs_model_nic
def test_show_recycle(binary, tmp_path, cache):
    cache(512)
    with Modelled(binary, "xl710*2", tmp_path) as session:
        session.ok("set recycle on", "start", "stop")
        line = "  rings of 2048 Rx and 1024 Tx descriptors, buffers of 576 KiB (L2 cache 512 KiB; --rxd=auto --txd=auto chooses 512 and 512)\n"
        assert session.cmd("show recycle").count(line) == 2
        session.cmd("set output json")
        (rings,) = {tuple(stream["rings"].items()) for stream in session.json_ok("show recycle")["streams"]}
        assert dict(rings) == {"rxd": 2048, "txd": 1024, "kib": 576, "l2_kib": 512, "rxd_auto": 512, "txd_auto": 512}


@needs_model_nic
def test_different_ports(binary, tmp_path):
    """The line names the ports, those without rings included."""
    with Modelled(binary, "xl710;82599;xl710", tmp_path, ["--mbcache=128"], vdevs=["net_null0"]) as session:
        said, _ = started(session)
        ports = re.findall(r"(?m)^(\d+) .* (net_\w+) ", session.cmd("show port summary all"))
        i40e, ixgbe = (",".join(port for port, driver in ports if driver == name) for name in ("net_i40e", "net_ixgbe"))
        one, other = f"rxd 2048, txd 1024 (ports {i40e})", f"rxd 256, txd 256 (port {ixgbe})"
        assert said["defaults"] in (f"{one}, {other}", f"{other}, {one}")
        session.quit()


@pytest.mark.parametrize("args, line", [
    (["--rxd=2048", "--mbcache=64"], "txd 1024"),
    (["--txd=2048", "--mbcache=64"], "rxd 2048"),
    (["--rxd=4096", "--txd=4096", "--mbcache=64"], None),
])
@needs_model_nic
def test_user_wins(binary, tmp_path, args, line):
    with Modelled(binary, "xl710*2", tmp_path, args) as session:
        said, answer = started(session)
        assert said.get("defaults") == line and ("defaults" in answer) == (line is not None)
        asked = dict(word.lstrip("-").split("=") for word in args)
        for port in answer["config"]["ports"]:
            assert port["rx_queue"]["descriptors"] == int(asked.get("rxd", 2048)), answer
            assert port["tx_queue"]["descriptors"] == int(asked.get("txd", 1024)), answer
        session.quit()


@needs_model_nic
def test_commands(binary, tmp_path, cache):
    """Numbers of commands win too; 0 returns to the default."""
    cache(0)
    with Modelled(binary, "xl710*2", tmp_path) as session:
        session.ok("port stop all", "port config all rxd 4096", "port config 0 txq 0 ring_size 512", "port start all")
        said, answer = started(session)
        auto = {"rxd_auto": 2048, "txd_auto": 1024}
        assert answer["defaults"]["ports"] == [{"port": 1, "txd": 1024, **auto}] and said["defaults"] == "txd 1024 (port 1), cache 250"
        session.ok("port stop all", "port config all rxd 0", "port start all")
        _, answer = started(session)
        assert answer["defaults"]["ports"] == [{"port": 0, "rxd": 2048, **auto}, {"port": 1, "rxd": 2048, "txd": 1024, **auto}]
        session.quit()


def test_no_rings(binary):
    """Descriptors of net_null mean nothing: no word about them, and no number asked of ethdev."""
    with Session(binary) as session:
        said, answer = started(session)
        assert "rxd" not in said.get("defaults", "") and answer.get("defaults", {"ports": []})["ports"] == []
        assert {port["rx_queue"]["descriptors"] for port in answer["config"]["ports"]} == {0}
        session.quit()
