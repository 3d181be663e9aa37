# SPDX-License-Identifier: BSD-3-Clause
"""Engines, filters, VLAN tags, jumbo frames and queues of stock drivers on QEMU's cards: the content of all frames."""
import pytest

from cards import Cards, addressed, counted, each_card, frames_of, swapped
from laws import check_law
from modelled import needs_model_nic
from session import wait_until

pytestmark = [pytest.mark.zcfwd, needs_model_nic, pytest.mark.extended]
VLAN = bytes.fromhex("81000123")


def five(frame):
    """What engine 5tswap makes of a UDP frame."""
    return swapped(frame)[:26] + frame[30:34] + frame[26:30] + frame[36:38] + frame[34:36] + frame[38:]


SAME = ("io", "noisy", "recycle_mbufs", "extbuf", "ring_pipeline")
CHANGED = {"mac": addressed, "macswap": swapped, "5tswap": five}


@each_card
def test_engines(binary, tmp_path, card):
    """One after another in one program: frames of all lengths come out as the engine leaves them, the law holds, buffers return."""
    frames = frames_of(32, 7)
    with Cards(binary, card, tmp_path) as session:
        for engine in (*SAME, *CHANGED):
            session.ok(f"set fwd {engine}", "start")
            session.exchange(frames, CHANGED.get(engine, lambda frame: frame))
            session.cmd("stop")
            check_law(session.streams())
        session.ok("set fwd csum", "start")
        for frame in frames:
            for port in (0, 1):
                session.put(1 - port, frame)
                got = session.take(port)
                assert got[12:] == frame[12:], f"csum, port {port}: {got.hex()} for {frame.hex()}"
        session.cmd("stop")
        check_law(session.streams())
        session.quit()
        assert session.rc == 0


@each_card
def test_one_way(binary, tmp_path, card):
    """Engines that only receive or only send: what the test sent is counted, and what is counted as sent comes."""
    frames = frames_of(32, 8)
    with Cards(binary, card, tmp_path) as session:
        session.ok("set fwd rxonly", "start")
        for frame in frames:
            session.put(0, frame)
        wait_until(lambda: session.streams()[0]["rx"] == len(frames), f"{len(frames)} frames received")
        session.cmd("stop")
        session.ok("set fwd txonly", "set burst 8", "start")
        for port in (0, 1):
            assert len(session.take(port)) >= 60
        session.cmd("stop")
        check_law(session.streams())
        sent = counted(session, 0)[1]
        for _ in range(sent - 1):
            session.take(0)
        assert session.silent(0)


@each_card
def test_direct_refused(binary, tmp_path, card):
    """Engine direct names the driver that it does not know, or why not."""
    with Cards(binary, card, tmp_path, link=False, merge=True) as session:
        session.ok("set fwd direct")
        said = session.cmd("start")
        assert "port 0:" in said and ("expected net_i40e" in said or "refills its ring" in said), said
        assert "not started" in session.cmd("stop")


@pytest.mark.parametrize("card", ["e1000e", "igb", "vmxnet3", "virtio-pci", "virtio-pci,packed"])
def test_filter(binary, tmp_path, card):
    """Without promiscuous mode a card takes frames to its own address and to all, and no others."""
    own, others = "02:4d:4e:00:00:00", "02:00:00:00:00:99"
    with Cards(binary, card, tmp_path) as session:
        session.ok("set promisc 0 off", "set fwd io", "start")
        for to in (others, own, others, "ff:ff:ff:ff:ff:ff", own):
            session.put(0, frames_of(1, 9, to=to)[0])
        for to in (own, "ff:ff:ff:ff:ff:ff", own):
            assert session.take(1) == frames_of(1, 9, to=to)[0]
        session.ok("set promisc 0 on")
        session.put(0, frames_of(1, 9, to=others)[0])
        assert session.take(1) == frames_of(1, 9, to=others)[0]


@pytest.mark.parametrize("card", ["e1000e", "igb", "vmxnet3"])
def test_vlan(binary, tmp_path, card):
    """The card strips a tag, and leaves it when told so."""
    plain = frames_of(1, 10)[0]
    tagged = plain[:12] + VLAN + plain[12:]
    with Cards(binary, card, tmp_path) as session:
        session.ok("set fwd io", "start")
        session.put(0, tagged)
        assert session.take(1) == tagged
        session.ok("stop", "port stop 0", "vlan set strip on 0", "port start 0")
        session.links("up")
        session.ok("start")
        session.put(0, tagged)
        assert session.take(1) == plain + bytes(max(0, 60 - len(plain)))


@pytest.mark.parametrize("card", ["e1000e", "igb", "virtio-pci"])
def test_jumbo(binary, tmp_path, card):
    """Frames of several buffers; net_vmxnet3 has no offload scatter."""
    frames = frames_of(6, 11, 1600, 3900)
    with Cards(binary, card, tmp_path, ["--max-pkt-len=4000", "--enable-scatter", "--tx-offloads=0x8000"]) as session:
        session.ok("set fwd io", "start")
        session.exchange(frames, window=2)
        session.cmd("stop")
        check_law(session.streams())


def test_queues(binary, tmp_path):
    """igb spreads flows over its queues by their hash; each frame is forwarded once."""
    frames = frames_of(64, 12, 60, 200)
    with Cards(binary, "igb", tmp_path, ["--rxq=4", "--txq=4"]) as session:
        session.ok("set fwd io", "start")
        for frame in frames:
            session.put(0, frame)
        assert sorted(session.take(1) for _ in frames) == sorted(frames)
        session.cmd("stop")
        streams = session.streams()
        check_law(streams)
        assert sum(s["rx"] > 0 for s in streams) > 1


@each_card
def test_again_and_again(binary, tmp_path, card):
    """Ports that stop and start, with another number of descriptors, forward each time."""
    with Cards(binary, card, tmp_path) as session:
        for descriptors in (512, 1024) if "virtio" not in card else (256, 256):
            session.ok("port stop all", f"port config all rxd {descriptors}", f"port config all txd {descriptors}", "port start all")
            session.links("up")
            session.ok("set fwd io", "start")
            session.exchange(frames_of(8, descriptors))
            session.cmd("stop")
            check_law(session.streams())
