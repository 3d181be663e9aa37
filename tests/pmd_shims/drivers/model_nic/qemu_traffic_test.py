# SPDX-License-Identifier: BSD-3-Clause
"""Traffic that the program makes, measures, routes and replays on QEMU's cards: content, and an account without a loss."""
import re

import pytest

from cards import Cards, frames_of
from laws import check_law
from modelled import needs_model_nic
from packets import write_pcap
from session import wait_until

pytestmark = [pytest.mark.zcfwd, needs_model_nic, pytest.mark.extended]
ONE_EACH = ("e1000e", "igb", "vmxnet3", "virtio-pci", "virtio-pci,packed", "virtio-pci,mrg_rxbuf=off")
each = pytest.mark.parametrize("card", ONE_EACH)


@each
@pytest.mark.parametrize("size", ["imix", "60-1514"])
def test_measure(binary, tmp_path, card, size):
    """Both directions of a cable: each packet that was sent comes back, none is damaged, in the order of sending."""
    with Cards(binary, card, tmp_path, wired=True) as session:
        session.ok("set fwd measure", f"set generate flows 16 size {size}", "set generate-rate 300pps", "set measure-drain 1000", "start for 200 packets")
        for stream in session.asked_json("show measure")["streams"]:
            assert stream["sent"] == stream["unique"] > 0, stream
            assert [stream[name] for name in ("lost", "reordered", "duplicated", "too_old", "damaged", "foreign", "clock_errors")] == [0] * 7, stream
        check_law(session.streams())


# These cards take milliseconds where lcores have to wait for QEMU's CPU time: packets may be sent that late.
PATIENT = ("set generate-late 100000", "set measure-drain 500")
SHORT = "pdr:loss=5%:first=0.3s:trial=0.5s:sum=1s:width=30%"


@pytest.mark.parametrize("card", ["e1000e", "igb", "vmxnet3", "virtio-pci"])
def test_measure_rate(binary, tmp_path, card):
    """The search for the rate without loss finds one for each size: a few hundred packets per second are few for these cards too."""
    with Cards(binary, card, tmp_path, wired=True) as session:
        session.ok(*PATIENT)
        found = session.asked_json(f"measure rate goals {SHORT} sizes 60,1514 from 50pps to 400pps latency 200")
        assert [row["size"] for row in found["sizes"]] == ["60", "1514"], found
        for row in found["sizes"]:
            (goal,) = row["goals"]
            assert row["ports"] == 2 and not row["stopped"], row
            # What was sent came back: these cables lose nothing.
            assert all(trial["loss_percent"] <= trial["unsent_percent"] + 1e-6 for trial in row["trials"]), row
            if goal["pps"] < 45:
                assert row["lost_cpu"], row  # other programs had the sender's CPU, and the search says so
                continue
            assert goal["verdict"] in {"found", "the highest rate passes", "limited by the sender"}, row
            assert [at["percent"] for at in row["latency"]] == [0, 10, 50, 90] and row["latency"][-1]["max_us"] > 0, row


@each
def test_generate(binary, tmp_path, card):
    """What engines generate and flowgen count as sent is what the cable carries, with the flows asked for."""
    with Cards(binary, card, tmp_path) as session:
        session.ok("set portlist 0", "set fwd generate", "set generate flows 8 size 200", "set generate-rate 200pps", "start for 40 packets")
        frames = [session.take(0) for _ in range(40)]
        assert session.silent(0) and {len(frame) for frame in frames} == {200}
        assert len({frame[34:36] for frame in frames}) == 8  # source ports
        wait_until(lambda: sent(session) == 40, "40 packets counted by port 0")
        session.ok("clear port stats all", "set fwd flowgen", "set burst 4", "start")
        assert len(session.take(0)) >= 60
        session.cmd("stop")
        made = session.streams()[0]["made"]
        for _ in range(session.streams()[0]["tx"] - 1):
            session.take(0)
        assert session.silent(0) and made >= 1
        check_law(session.streams())


def sent(session):
    return int(re.search(r"TX-packets: (\d+)", session.cmd("show port stats 0"))[1])


@each
def test_l3fwd(binary, tmp_path, card):
    """Packets take their routes: back out of the port, out of the other one, or nowhere; addresses, TTL and checksum are new."""
    with Cards(binary, card, tmp_path) as session:
        session.ok("route add 10.0.1.0/24 port 1 mac 02:00:00:00:00:77", "route add 10.0.2.0/24 port 0 mac 02:00:00:00:00:78", "set fwd l3fwd", "start")
        for frame in frames_of(12, 41):
            for net, port in ((1, 1), (2, 0)):
                session.put(0, to_net(frame, net))
                assert session.take(port) == hopped(to_net(frame, net), port, 0x77 + (port == 0))
            session.put(0, to_net(frame, 3))
        session.put(0, to_net(frames_of(1, 41)[0], 1))
        session.take(1)  # so the last without a route was dropped before
        assert session.silent(0) and session.silent(1)
        counters = session.asked_json("show fwd counters")["streams"][0]
        assert counters["no_route"] == 12, counters
        session.cmd("stop")
        check_law(session.streams())


def summed(frame):
    """The frame with the right checksum of its IPv4 header."""
    head = bytearray(frame[14:34])
    head[10:12] = b"\0\0"
    total = sum(int.from_bytes(head[at:at + 2], "big") for at in range(0, 20, 2))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return frame[:24] + (total ^ 0xffff).to_bytes(2, "big") + frame[26:]


def to_net(frame, net):
    """The frame with another destination, 10.0.NET.1; l3fwd leaves the sum of UDP."""
    return summed(frame[:32] + bytes([net, 1]) + frame[34:])


def hopped(frame, port, last):
    """One hop further, out of this port to 02:00:00:00:00:LAST."""
    return summed(bytes([2, 0, 0, 0, 0, last]) + bytes.fromhex(f"024d4e0000{port:02x}") + frame[12:22] + bytes([frame[22] - 1]) + frame[23:])


@each
def test_replay(binary, tmp_path, card):
    """A file that is sent twice comes out of the card packet by packet."""
    frames = frames_of(30, 42)
    write_pcap(tmp_path / "file.pcap", frames)
    with Cards(binary, card, tmp_path) as session:
        session.ok("set portlist 0", f"set replay {tmp_path}/file.pcap", "set replay-times 2", "set replay-rate max", "set fwd replay", "start")
        assert [session.take(0) for _ in range(60)] == frames * 2
        assert session.silent(0)
        session.cmd("stop")
        assert session.streams()[0]["tx"] == 60
        check_law(session.streams())
