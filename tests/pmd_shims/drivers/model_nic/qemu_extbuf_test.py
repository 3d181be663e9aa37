# SPDX-License-Identifier: BSD-3-Clause
"""External buffers, pinned pools and clones on QEMU's cards: content, verdicts, and buffers that all come back."""
import re

import pytest

from cards import Cards, frames_of
from laws import check_law
from modelled import needs_model_nic
from session import wait_until

pytestmark = [pytest.mark.zcfwd, needs_model_nic, pytest.mark.extended]
SOUND = ("e1000e", "igb", "vmxnet3", "virtio-pci")
MODES = {"copy": (), "attach": ("private", "shared", "tail"), "auto": ("private",), "pinned": ("private",)}


@pytest.mark.parametrize("card", SOUND)
def test_modes(binary, tmp_path, card):
    """Each mode delivers frames of all lengths unchanged; stopped ports give all buffers back."""
    frames = frames_of(24, 31)
    with Cards(binary, card, tmp_path) as session:
        session.ok("set fwd extbuf")
        for mode, places in MODES.items():
            for shinfo in places or ("private",):
                session.ok(f"set extbuf mode {mode}", f"set extbuf-shinfo {shinfo}", "start")
                session.links("up")  # pinned: ports stop and start
                session.exchange(frames)
                sums = session.asked_json("show fwd counters")["streams"]
                session.cmd("stop")
                check_law(session.streams())
                session.ok("port stop all")
                if "virtio" not in card:  # net_virtio frees when the port closes; the program checks that at its end
                    assert all(memory["buffers_out"] == 0 for memory in session.asked_json("show extmem")["extmem"])
                    assert all(pool["in_use"] == 0 for pool in session.asked_json("show pool")["pools"])
                session.ok("port start all")
                session.links("up")
                if mode in ("copy", "attach"):
                    assert all(found["copied" if mode == "copy" else "attached"] == len(frames) for found in sums), sums
        session.quit()
        assert session.rc == 0


@pytest.mark.parametrize("shinfo", ["private", "shared"])
@pytest.mark.parametrize("card", SOUND)
def test_storage(binary, tmp_path, card, shinfo):
    """Slices of memory behind headers of their own, in packets of two segments: the other card's port finds each intact."""
    with Cards(binary, card, tmp_path, ["--tx-offloads=0x8000"], wired=True) as session:
        session.ok("set extbuf mode storage", f"set extbuf-shinfo {shinfo}", "set extbuf-split on", "set extbuf-verify on", "set extbuf-slice 1400", "set fwd extbuf", "start")
        wait_until(lambda: all(found["verified"] > 300 for found in session.asked_json("show fwd counters")["streams"]), "300 slices verified by each port")
        assert all(found["corrupt"] == 0 for found in session.asked_json("show fwd counters")["streams"])
        session.cmd("stop")
        check_law(session.streams())
        session.quit()
        assert session.rc == 0


@pytest.mark.parametrize("card", SOUND)
def test_clones(binary, tmp_path, card):
    """A mirror sends clones: port 0 sends back what it receives, and port 1 sends it too."""
    frames = frames_of(24, 32)
    with Cards(binary, card, tmp_path) as session:
        session.ok("set portlist 0", "port mirror 0 1", "set fwd io", "start")
        for frame in frames:
            session.put(0, frame)
            assert session.take(0) == frame and session.take(1) == frame
        said = session.cmd("show port mirror")
        assert "clones" in said and "copies" not in said, said
        session.cmd("stop")
        session.quit()
        assert session.rc == 0


USES = {"pinned": "ok", "attached": "ok", "shared": "ok", "clones": "ok", "segments": "ok"}


@pytest.mark.parametrize("card", [*SOUND, "virtio-pci,packed"])
def test_verdicts(binary, tmp_path, card):
    with Cards(binary, card, tmp_path, link=False) as session:
        port = session.asked_json("show port 0 extbuf")["ports"][0]
        assert port["rx"][0]["known"] and port["tx"][0]["known"]
        assert {use: port["rx"][0][use]["verdict"] for use in ("pinned", "clones")} == {"pinned": "ok", "clones": "worked around"}
        sent = dict.fromkeys(USES, "refused") if "packed" in card else USES
        assert {use: port["tx"][0][use]["verdict"] for use in USES} == sent


def test_out_of_reach(binary, tmp_path):
    """The machine has 40 bits of addresses, and the kernel maps memory above: start refuses memory that the card cannot read."""
    with Cards(binary, "e1000e", tmp_path, merge=True) as session:
        assert re.search(r"port 0 e1000e: memory at 0x7\w+ is out of reach of a card of QEMU", session.cmd("extmem create app type memfd size 32M"))
        session.ok("set extbuf-memory app", "set extbuf mode attach", "set fwd extbuf")
        assert "port 1 (net_e1000_em) cannot reach memory app: Bad address" in session.cmd("start")
