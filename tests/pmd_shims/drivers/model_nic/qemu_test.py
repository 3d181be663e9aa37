# SPDX-License-Identifier: BSD-3-Clause
"""Stock drivers on cards that QEMU makes, in a process each: content, counts, links, refusals, a QEMU that dies."""
import os
import pathlib
import re
import signal
import socket

import pytest

from cards import CARDS, Cards, counted, each_card, frames_of, qemu_release, swapped
from laws import check_law
from modelled import needs_model_nic
from qemu_runs import GONE_S, REMOVED, run
from session import wait_until

pytestmark = [pytest.mark.zcfwd, needs_model_nic]


def children(pid):
    """The processes that a process has started."""
    return [int(number) for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children") for number in path.read_text(encoding="ascii").split()]


@each_card
def test_forward(binary, tmp_path, card):
    """Frames of all lengths come out as the engine leaves them; driver and engine count what the test sent and took."""
    frames = frames_of(24, 1)
    with Cards(binary, card, tmp_path) as session:
        assert CARDS[card][0] in session.cmd("show port info 0")
        total = 0
        for engine, change in (("io", lambda frame: frame), ("macswap", swapped)):
            session.ok(f"set fwd {engine}", "start")
            session.exchange(frames, change)
            total += len(frames)
            # Some cards count only what they have been asked for.
            for port in (0, 1):
                wait_until(lambda port=port, total=total: counted(session, port) == (total, total), f"{total} packets counted by port {port}")
            session.cmd("stop")
            streams = session.streams()
            check_law(streams)
            assert [(s["rx"], s["tx"]) for s in streams] == [(len(frames), len(frames))] * 2
        assert session.silent(0) and session.silent(1)
        qemus = children(session.pid)
        assert len(qemus) == 2
        session.quit()
        assert session.rc == 0
    assert not any(pathlib.Path(f"/proc/{pid}").exists() for pid in qemus)
    assert not any(pathlib.Path(f"{path}.card").exists() for path in session.paths)


@pytest.mark.parametrize("card", ["e1000e", pytest.param("virtio-pci", marks=pytest.mark.extended)])
def test_wire(binary, tmp_path, card):
    """Two cards on one cable: what one sends circulates, as between two hosts."""
    with Cards(binary, card, tmp_path, wired=True) as session:
        session.ok("set fwd io", "start tx_first 1")
        wait_until(lambda: min(*counted(session, 0), *counted(session, 1)) > 100, "packets on both ports")
        session.cmd("stop")
        check_law(session.streams())


@pytest.mark.parametrize("card", ["e1000e", *(pytest.param(card, marks=pytest.mark.extended) for card in ("igb", "virtio-pci"))])
def test_link(binary, tmp_path, card):
    """The cable of one card goes and comes: its port says so, and forwards again."""
    with Cards(binary, card, tmp_path) as session:
        session.ok("set fwd io", "start")
        session.exchange(frames_of(4, 2))
        assert session.ask_link(1, "down") == {"port": 1}
        session.links("down", (1,))
        assert session.ask_link(1, "up") == {"port": 1}
        session.links("up", (1,))
        session.exchange(frames_of(4, 3))


def test_again(binary, tmp_path):
    """A port that is detached and attached gets a new card at the same cable."""
    with Cards(binary, "e1000e", tmp_path) as session:
        before = children(session.pid)
        session.ok("port stop 1", "port detach 1")
        wait_until(lambda: len(children(session.pid)) == 1, "one QEMU less")
        session.ok("port attach 0000:f0:01.0", "port start 1")
        assert len(set(children(session.pid)) - set(before)) == 1
        session.links("up")
        session.ok("set fwd io", "start")
        session.exchange(frames_of(4, 4))


@pytest.mark.parametrize("card", ["e1000e", *(pytest.param(card, marks=pytest.mark.extended) for card in ("igb", "vmxnet3", "virtio-pci"))])
def test_qemu_dies(binary, tmp_path, card):
    """A QEMU that is killed while its port forwards: a line says so at once, the other port goes on, and the port can be attached again."""
    with Cards(binary, card, tmp_path, ["--port-topology=loop"], merge=True) as session:
        session.ok("set fwd macswap", "start")
        both_return(session, frames_of(4, 5))
        os.kill(session.qemu_of(1), signal.SIGKILL)
        session.expect(f"port 1 {card}: QEMU is gone")
        session.expect(REMOVED)  # without a command
        for frame in frames_of(4, 7):
            session.put(0, frame)
            assert session.take(0) == swapped(frame)
        assert "Port 1: device removal event" in session.cmd("show port stats 0")
        said = session.cmd("stop", GONE_S)
        assert "Accumulated forward statistics" in said and "Device is detached" in said and "Stopping port" in said, said
        assert [port["port"] for port in session.asked_json("show port info all")["ports"]] == [0]
        session.ok("port attach 0000:f0:01.0", "port start 1")
        session.links("up")
        session.ok("start")
        both_return(session, frames_of(4, 6))


def test_all_die(binary, tmp_path):
    """A run whose cards are all gone ends at the next prompt; what a removed port had refused has its cause."""
    with Cards(binary, "e1000e", tmp_path, merge=True) as session:
        session.ok("set fwd io", "start")
        os.kill(session.qemu_of(1), signal.SIGKILL)
        session.expect(REMOVED)
        session.put(0, frames_of(1, 8)[0])
        wait_until(lambda: session.streams()[0]["rx"] == 1, "a packet for the card that was removed")
        assert "its card was removed" in session.cmd("explain drops")
        os.kill(session.qemu_of(0), signal.SIGKILL)
        session.expect("zcfwd: port 0: its card was removed")
        said = session.cmd("")
        assert "Accumulated forward statistics" in said and said.count("Device is detached") == 2, said


@pytest.mark.parametrize("card", ["e1000e", "igb"])
def test_quit_without_cards(binary, tmp_path, card):
    """The program ends although its cards are gone. All ones in its registers would make net_e1000_igb wait for a semaphore forever."""
    with Cards(binary, card, tmp_path, link=False, merge=True) as session:
        for port in (1, 0):
            os.kill(session.qemu_of(port), signal.SIGKILL)
            session.expect(f"port {port} {card}: QEMU is gone")
        session.send("quit\n")
        session.finish(GONE_S)


def both_return(session, frames):
    """Each port sends its own frames back, with swapped addresses."""
    for port in (0, 1):
        for frame in frames:
            session.put(port, frame)
            assert session.take(port) == swapped(frame)


ASKED = ("set promisc all off", "set promisc all on", "set allmulti all on", "set allmulti all off", "vlan set strip on 0", "vlan set strip off 0", "show port stats all",
         "clear port stats all", "show port xstats all", "show port info all", "mac_addr add 0 02:00:00:00:00:22", "set link-up port 0")


@pytest.mark.parametrize("card", ["vmxnet3", *(pytest.param(card, marks=pytest.mark.extended) for card in CARDS if card != "vmxnet3")])
def test_before_start(binary, tmp_path, card):
    """A port that was never started answers what it is asked; net_vmxnet3 would crash. Then it forwards."""
    with Cards(binary, card, tmp_path, ["--disable-device-start"], link=False) as session:
        for line in ASKED:
            session.cmd(line)
        session.ok("port start all")
        session.links("up")
        session.ok("set fwd io", "start")
        session.exchange(frames_of(4, 13))


REFUSED = {
    "e1000e,size=64": '"size=64": a card of QEMU takes rx=none, rx=wire:PORT, rx=socket:PATH and mac=XX:XX:XX:XX:XX:XX',
    "virtio-pci,verify": '"verify": a card of QEMU takes rx=none, rx=wire:PORT, rx=socket:PATH, packed, mrg_rxbuf=off and mac=XX:XX:XX:XX:XX:XX',
    "e1000e,packed": '"packed": a card of QEMU takes',
    "e1000e,rx=gen": '"rx=gen": a card of QEMU takes',
    "e1000e,mac=01:00:00:00:00:01": '"mac=01:00:00:00:00:01": a card of QEMU takes',
    "e1000e,rx=wire:1;xl710": '"rx=wire:1": the wire of a card of QEMU has rx=wire:0 at another one',
    "e1000e,rx=wire:1;e1000e": '"rx=wire:1": the wire of a card of QEMU has rx=wire:0 at another one',
}


@pytest.mark.parametrize("models", REFUSED)
def test_bad_words(models):
    done = run(models)
    assert done.returncode != 0 and REFUSED[models] in done.stderr


def test_no_qemu(tmp_path):
    """Without the package its name is said before anything starts."""
    done = run("e1000e", env={"PATH": str(tmp_path)})
    assert done.returncode != 0 and "qemu-system-x86_64 not found in PATH: install the package qemu-system-x86" in done.stderr


@pytest.mark.skipif(qemu_release() == 0, reason="no QEMU")
def test_bad_qemu(tmp_path):
    """A QEMU without the card, and one that does not start: its own last words."""
    fake = tmp_path / "qemu-system-x86_64"
    fake.write_text("#!/bin/sh\necho 'qemu-system-x86_64: -device igb: not a device' >&2\nexit 1\n", encoding="ascii")
    fake.chmod(0o755)
    done = run("igb", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert "port 0 igb: QEMU: -device igb: not a device" in done.stderr + done.stdout


@pytest.mark.skipif(qemu_release() == 0, reason="no QEMU")
def test_socket_files(tmp_path):
    """The card's end of a cable: the file of a program that was killed is replaced, one in use and one that is no socket stay."""
    with bound(tmp_path / "peer") as peer:
        with bound(tmp_path / "peer.card"):
            pass  # its file stays, as after SIGKILL
        done = run(f"e1000e,rx=socket:{tmp_path}/peer")
        assert done.returncode == 0 and not (tmp_path / "peer.card").exists(), done.stderr
        with bound(tmp_path / "peer.card"):
            assert f"port 0 e1000e: rx=socket:{tmp_path}/peer: Address already in use" in said_by(run(f"e1000e,rx=socket:{tmp_path}/peer"))
        assert (tmp_path / "peer.card").is_socket()
        (tmp_path / "peer.card").unlink()
        (tmp_path / "peer.card").write_text("notes", encoding="ascii")
        assert "Address already in use" in said_by(run(f"e1000e,rx=socket:{tmp_path}/peer"))
        assert (tmp_path / "peer.card").read_text(encoding="ascii") == "notes"
        (tmp_path / "peer.card").unlink()
        peer.close()
    (tmp_path / "peer").unlink()
    assert "No such file" in said_by(run(f"e1000e,rx=socket:{tmp_path}/peer"))
    assert not (tmp_path / "peer.card").exists()


def bound(path):
    """A socket with that file."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made.bind(str(path))
    return made


def said_by(done):
    return done.stderr + done.stdout


@pytest.mark.skipif(qemu_release() == 0, reason="no QEMU")
def test_memory_out_of_reach(tmp_path):
    done = run("e1000e", eal=["--base-virtaddr=0x7e0000000000"])
    assert re.search(r"port 0 e1000e: memory at 0x7e\w+ is out of reach: use --base-virtaddr=0x100000000", done.stderr + done.stdout)
