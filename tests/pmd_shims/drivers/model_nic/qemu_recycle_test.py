# SPDX-License-Identifier: BSD-3-Clause
"""Recycling, windows and engine direct on QEMU's cards: content, counts and full pools, or the reason why not."""
import contextlib
import os
import pathlib
import random
import signal
import threading

import pytest

from cards import Cards, addressed, frames_of, swapped
from laws import check_law
from limits import limit
from modelled import PATIENT, needs_model_nic
from qemu_runs import REMOVED
from recycling import named, pools_are_full
from session import wait_until
from virtio_pair import recycled

pytestmark = [pytest.mark.zcfwd, needs_model_nic, pytest.mark.usefixtures("of_the_table")]
VECTORS = ["-a", "0000:f0:00.0,vectorized=1", "-a", "0000:f0:01.0,vectorized=1"]
UNMERGED = "virtio-pci,mrg_rxbuf=off"
RING = 256  # descriptors that QEMU gives a queue


class Virtio(Cards):
    """Virtio cards whose driver receives with vectors."""

    def __init__(self, binary, tmp_path, args=(), **options):
        super().__init__(binary, UNMERGED, tmp_path, args, eal=VECTORS, **options)

    def run(self, frames, change=lambda frame: frame):
        """Start, exchange and stop; what recycling did, by stream."""
        self.ok("start")
        self.exchange(frames, change)
        found = recycled(self)
        self.cmd("stop")
        streams = self.streams()
        check_law(streams)
        assert [(s["rx"], s["tx"]) for s in streams] == [(len(frames), len(frames))] * 2
        return found

    def end(self):
        """All mbufs are in their pools at the end."""
        self.quit()
        assert self.rc == 0


@contextlib.contextmanager
def sending(session, frames):
    """Send frames to card 0 meanwhile; the list of those sent so far."""
    sent = []
    sender = threading.Thread(target=lambda: sent.extend(session.put(0, frame) or frame for frame in frames), daemon=True)
    sender.start()
    yield sent
    sender.join(timeout=limit(20))
    assert not sender.is_alive()


def moved(found):
    """Every pair recycles, and has moved mbufs."""
    for stream in found:
        pair = stream["pairs"][0]
        assert pair["paired"], pair
        assert pair["rx_path"] == "net_virtio split vectorised" and pair["tx_path"] == "net_virtio split standard"
        assert stream["moved"] > 0 and stream["foreign"] == stream["shared"] == 0, stream
    return sum(stream["moved"] for stream in found)


def test_virtio(binary, tmp_path):
    """The first run begins before QEMU has received a packet and polls; it recycles too."""
    with Virtio(binary, tmp_path) as session:
        session.ok("set recycle on", "set fwd macswap")
        moved(session.run(frames_of(72, 21), swapped))
        session.end()


@pytest.mark.extended
@pytest.mark.parametrize("engine", ["io", "mac", "recycle_mbufs"])
@pytest.mark.parametrize("mode", ["ring", "cache"])
def test_modes(binary, tmp_path, engine, mode):
    """Runs one after another, with stopped and replaced ports between: each moves mbufs, and content is right."""
    frames = frames_of(160, 22)
    with Virtio(binary, tmp_path) as session:
        session.ok("set recycle on", f"set recycle mode {mode}", f"set fwd {engine}")
        for between in ((), ("port stop all", "port start all"), ("port stop 1", "port detach 1", "port attach 0000:f0:01.0,vectorized=1", "port start 1")):
            session.ok(*between)
            session.links("up")
            moved(session.run(frames, *([addressed] if engine == "mac" else [])))
        session.end()


@pytest.mark.extended
@pytest.mark.parametrize("window", ["160", "224", "auto"])
def test_window(binary, tmp_path, window):
    """A window keeps some of the ring's 256 or, with QEMU 10.0, 1024 descriptors armed. The cable waits where QEMU finds none: no frame is lost."""
    frames = frames_of(1280, 23, 60, 300)
    with Virtio(binary, tmp_path) as session:
        session.ok("set recycle on", f"set recycle window {window}", "set fwd io")
        for _ in range(2):
            moved(session.run(frames))
        session.end()


@pytest.mark.extended
@pytest.mark.parametrize("lines", [("set recycle on", "set fwd io retry"), ("set recycle on", "set recycle window 160", "set fwd io retry"),
                                   ("set direct-rewrite off", "set fwd direct retry")], ids=["recycle", "window", "direct"])
def test_starved(binary, tmp_path, lines):
    """
    While nothing forwards, frames use all buffers: QEMU waits for a notification, which only the driver sends. The next run begins like that
    and delivers each frame; its last part finds QEMU polling again.
    """
    frames, queued = frames_of(400, 24, 60, 200), int(pathlib.Path("/proc/sys/net/unix/max_dgram_qlen").read_text(encoding="ascii"))
    with Virtio(binary, tmp_path, ["--no-flush-rx"]) as session:
        session.ok(*lines, PATIENT)
        for _ in range(4):
            with sending(session, frames) as sent:
                # The card has taken the first, and the socket holds the others.
                wait_until(lambda sent=sent: len(sent) >= min(len(frames), RING + queued), "all buffers of port 0 used")
                session.ok("start")
                assert [session.take(1) for _ in frames] == frames
            session.exchange(frames[:64])
            session.cmd("stop")
            check_law(session.streams())
        session.end()


@pytest.mark.extended
def test_bursts(binary, tmp_path):
    """Bursts of all sizes with pauses between, so that QEMU goes to sleep and polls again at any time."""
    dice, frames = random.Random(25), frames_of(200, 25, 60, 120)
    with Virtio(binary, tmp_path) as session:
        session.ok("set recycle on", "set recycle window auto", "set fwd io", "start")
        for _ in range(24):
            part = dice.sample(frames, dice.randint(1, 128))
            with sending(session, part):
                assert [session.take(1) for _ in part] == part
        moved([recycled(session)[0]])
        session.cmd("stop")
        check_law(session.streams())
        session.end()


CANNOT = {"e1000": "driver net_e1000_em", "e1000e": "driver net_e1000_em", "igb": "driver net_e1000_igb", "vmxnet3": "driver net_vmxnet3"}
REFILLS = "refills its ring while it receives, so no slot is left to recycle into"
PAIR_REFUSED = {**{card: f"port 0: {driver} cannot be paired" for card, driver in CANNOT.items()},
                "virtio-pci": f"port 0: net_virtio split mergeable: {REFILLS}", UNMERGED: f"port 0: net_virtio split standard: {REFILLS}",
                "virtio-pci,packed": f"port 0: net_virtio packed mergeable: {REFILLS}", "virtio-pci,packed,mrg_rxbuf=off": f"port 0: net_virtio packed standard: {REFILLS}"}
DIRECT_REFUSED = {**PAIR_REFUSED, **{card: f"port 0: {driver}: expected net_i40e, net_ice, net_ixgbe, mlx5_pci or net_virtio" for card, driver in CANNOT.items()}}


@pytest.mark.parametrize("card", [pytest.param(card, marks=pytest.mark.extended) for card in PAIR_REFUSED])
def test_refused(binary, tmp_path, card):
    """Recycling, with and without a window, falls back to the driver's own way and gives the reason; engine direct does not start."""
    frames = frames_of(16, 26)
    with Cards(binary, card, tmp_path, merge=True) as session:
        for lines in (("set recycle on", "set fwd io"), ("set recycle window auto", "set fwd macswap"), ("set recycle off", "set fwd recycle_mbufs")):
            session.ok(*lines, "start")
            session.exchange(frames, swapped if "macswap" in lines[1] else lambda frame: frame)
            assert recycled(session)[0]["pairs"][0]["reason"] == PAIR_REFUSED[card]
            assert all(stream["moved"] == 0 for stream in recycled(session))
            session.cmd("stop")
            check_law(session.streams())
        session.ok("set fwd direct")
        assert DIRECT_REFUSED[card] in session.cmd("start")
        assert "not started" in session.cmd("stop")
        session.quit()
        assert session.rc == 0


@pytest.mark.parametrize("rewrite, change", [("off", lambda frame: frame), *(pytest.param(*row, marks=pytest.mark.extended)
                                                                            for row in (("mac", addressed), ("macswap", swapped)))])
def test_direct(binary, tmp_path, rewrite, change):
    """QEMU needs a notification for most bursts. The first frames may be forwarded with mbufs, since QEMU does not poll yet."""
    frames = frames_of(640, 27)
    with Virtio(binary, tmp_path) as session:
        session.ok(f"set direct-rewrite {rewrite}", "set fwd direct")
        for between in ((), (), ("port stop all", "port start all")):
            session.ok(*between)
            session.links("up")
            session.ok("start")
            session.exchange(frames, change)
            session.cmd("stop")
            counts = named(session)
            assert counts["rx"] == counts["tx"] == 2 * len(frames) and counts["by_mbufs"] < counts["rx"] / 2, counts
            check_law(session.streams())
        session.end()


@pytest.mark.extended
def test_direct_bursts(binary, tmp_path):
    """As test_bursts(), and the last frame of each burst leaves while no other comes; between, other engines use the queues."""
    dice, frames = random.Random(28), frames_of(200, 28, 60, 120)
    with Virtio(binary, tmp_path) as session:
        for engine in ("direct", "io", "direct", "recycle_mbufs", "direct"):
            session.ok(f"set fwd {engine}", "set direct-rewrite off", "start")
            for _ in range(12):
                part = dice.sample(frames, dice.randint(1, 128))
                with sending(session, part):
                    assert [session.take(1) for _ in part] == part
            session.cmd("stop")
            check_law(session.streams())
        session.end()


@pytest.mark.extended
@pytest.mark.parametrize("engine", ["io", "recycle_mbufs", "direct"])
def test_card_dies(binary, tmp_path, engine):
    """Frames for a card that was removed are received and refused, also by engines that use its queues themselves; all mbufs return."""
    frames = frames_of(264, 30, 60, 200)
    with Virtio(binary, tmp_path, merge=True) as session:
        session.ok("set recycle on", "set direct-rewrite off", f"set fwd {engine}", "start")
        session.exchange(frames[:64])
        os.kill(session.qemu_of(1), signal.SIGKILL)
        session.expect(REMOVED)
        for frame in frames[64:]:
            session.put(0, frame)
        wait_until(lambda: session.streams()[0]["rx"] == len(frames), "the other card's frames")
        wait_until(lambda: session.streams()[0]["tx"] + session.streams()[0]["tx_dropped"] == len(frames), "their refusal")
        first, other = session.streams()
        # Direct looks at the card before it receives: if it loses its CPU in between, one burst more goes into the ring of the card.
        assert 64 <= first["tx"] <= 64 + (32 if engine == "direct" else 0) and (first["rx"], other["rx"], other["tx"]) == (len(frames), 64, 64)
        session.cmd("stop")
        session.ok("port stop all", "port close all")
        pools_are_full(session)
        session.end()
