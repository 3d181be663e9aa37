# SPDX-License-Identifier: BSD-3-Clause
"""Linux guests behind zcfwd's vhost ports: TCP, UDP and files to the host's kernel and to each other, and ends that die.

`make test-vm`; the processor is emulated, so that throughput compares ways to copy and no machines.
"""
import json
import subprocess

import pytest

from guest import Card, Guest, archive
from netns import Namespaces, entering, inside, ip, result, start
from session import Session, wait_until
from stats import port_stats

pytestmark = [pytest.mark.netns, pytest.mark.zcfwd]
HOST, GUEST = "10.78.0.1", ("10.78.0.2", "10.78.0.3")
FILE, IPERF_S, KILLS = 30_000_000, 3, 3
TAP = "zvm0"
HEADROOM = 128
TAP_PORT, VHOST_PORT = 0, 1


class Way:
    """How a packet gets from port to port: the vhost port's driver, the engine, who copies."""

    def __init__(self, name, *, driver="net_vhost", engine="io", copy=None):
        self.name, self.driver, self.engine, self.copy = name, driver, engine, copy

    def offers(self, offloads):
        """A guest's offloads end in software where the other port has none; net_vhost and io cannot."""
        return not offloads or self.engine == "vhost"

    def needs(self, binary):
        """Skips where the program was built without the driver."""
        if self.driver.encode() not in binary.read_bytes() and self.driver != "net_vhost":
            pytest.skip(f"{self.driver}: built without the drivers' source")

    def vdevs(self, number, socket, arguments):
        """The port with everything that it needs."""
        if self.copy is None:
            return [f"{self.driver}{number},iface={socket}{arguments}"]
        engines = {end: 2 * number + i for i, end in enumerate(("txq0", "rxq0"))}
        dmas = ";".join(f"{end}@dma_adaptive{n}" for end, n in engines.items())
        return [*(f"dma_skeleton{n}" for n in engines.values()), *(f"dma_adaptive{n},dev=dma_skeleton{n}" for n in engines.values()),
                f"{self.driver}{number},iface={socket}{arguments},dmas=[{dmas}]"]

    def set_up(self, ports):
        if self.copy is None:
            return []
        return [f"set vhost {port} 0 copy {self.copy}" for port in ports]


WAYS = [Way("net_vhost"), *(Way(copy, driver="net_async_vhost", engine="vhost", copy=copy) for copy in ("cpu", "dma", "adaptive"))]


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """What guests boot from."""
    return archive(tmp_path_factory)


@pytest.fixture(scope="module")
def figures():
    """Rows of text, told together at the end."""
    rows = []
    yield lambda *cells: rows.append(cells)
    print("\n\n| way | offloads | what | Mbit/s | bytes per packet |\n|---|---|---|---|---|")
    for row in rows:
        print("|", " | ".join(map(str, row)), "|")


class Host:
    """zcfwd between a tap in one namespace and a guest's socket."""

    def __init__(self, binary, names, socket, way, offloads):
        self.near, far = names
        self.peers = []
        features = ",tso=1,ufo=1" if offloads and way.driver != "net_vhost" else ""
        self.session = Session(binary, [f"net_tap0,iface={TAP}", *way.vdevs(0, socket, f",client=1{features}")],
                               eal=["--iova-mode=va"], wrapper=entering(far))
        try:
            ip("-n", far, "link", "set", TAP, "netns", self.near)
            inside(self.near, "offloads_off", TAP)
            ip("-n", self.near, "addr", "add", f"{HOST}/24", "dev", TAP)
            ip("-n", self.near, "link", "set", TAP, "up")
            self.session.ok(*way.set_up([VHOST_PORT]), f"set fwd {way.engine}", "start")
        except BaseException:
            self.session.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.session.close()
        for peer in self.peers:
            peer.kill()
            peer.communicate(timeout=60)

    def leave(self):
        """Everything that came is gone, every mbuf in its pool."""
        self.session.ok("stop")
        nothing_lost(self.session)
        text, status = self.session.quit()
        assert status == 0 and "Bye..." in text, text + self.session.stderr()


def nothing_lost(session):
    session.ok("port stop all", "port close all")  # a tap holds its receive ring until it is closed
    session.cmd("set output json")
    assert sum(pool["in_use"] for pool in session.json_ok("show pool")["pools"]) == 0
    session.cmd("set output text")


def give_address(guest, address, offloads):
    """The guest's end of the wire."""
    off = "" if offloads else "ethtool -K eth0 tx off gso off gro off 2>/dev/null; "
    guest.sh(f"{off}ip addr add {address}/24 dev eth0; ip link set eth0 up")


def ping(guest, address):
    """Answers until there is one: links come up in their own time."""
    guest.sh(f"for i in $(seq 60); do ping -c 1 -W 1 {address} >/dev/null && break; done; ping -c 3 {address} >/dev/null", 90)


def send_file(guest, near):
    """From the guest to the host's kernel."""
    there = start(near, "serve", HOST, 5001)
    said = guest.sh(f"head -c {FILE} /dev/urandom >/tmp/file; sha256sum </tmp/file; until nc {HOST} 5001 </tmp/file; do :; done", 120)
    got = result(there)
    assert got["bytes"] == FILE and got["sha256"] == said.split()[0], (got, said)


def receive_file(guest, near):
    """From the host's kernel to the guest."""
    guest.start("nc -l -p 5002 | sha256sum")
    sent = result(start(near, "send", GUEST[0], 5002, FILE))
    assert guest.finish(120).split()[0] == sent["sha256"]


def iperf_server(guest, words=""):
    """One test; answers once it listens."""
    guest.start(f"iperf3 -s -1 {words}")
    guest.expect("listening on", 30)


def iperf_from_host(near, words):
    done = subprocess.run([*entering(near), "iperf3", "-J", "-c", GUEST[0], "-t", str(IPERF_S), *words],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["end"]


def who_copied(session, way):
    """Nobody but who was asked to."""
    if way.copy is None:
        return
    session.cmd("set output json")
    queues = session.json_ok("show vhost")["ports"][0]["queues"]
    session.cmd("set output text")
    other = {"cpu": "dma_bytes", "dma": "cpu_bytes"}.get(way.copy)
    assert all(queue["copy"] == way.copy and queue.get(other, 0) == 0 for queue in queues), queues


def mean_length(session, port, direction, before):
    """Of the packets since those statistics."""
    now = port_stats(session, port)
    packets, length = (now[f"{direction}-{what}"] - before[f"{direction}-{what}"] for what in ("packets", "bytes"))
    return length // max(packets, 1)


def mbit(rate):
    return round(rate / 1e6)


@pytest.mark.parametrize("offloads", [False, True], ids=["plain", "offloads"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name.replace(" ", "-"))
def test_host(binary, memory, tmp_path, figures, way, offloads):
    """Guest and host's kernel: files whole both ways, TCP in writes of 64 KB both ways, every packet accounted for."""
    way.needs(binary)
    if not way.offers(offloads):
        pytest.skip(f"{way.name} carries no offloads")
    card = Card(tmp_path / "sock", "02:00:00:00:00:02")
    with Namespaces(2) as names, Guest(memory, [card]) as guest:
        wait_until(card.socket.exists, "QEMU listens", 30)
        with Host(binary, names, card.socket, way, offloads) as host:
            guest.boot()
            give_address(guest, GUEST[0], offloads)
            ping(guest, HOST)
            send_file(guest, host.near)
            receive_file(guest, host.near)
            for what, words, port, direction in (("TCP to guest", [], VHOST_PORT, "TX"), ("TCP from guest", ["-R"], VHOST_PORT, "RX")):
                before = port_stats(host.session, port)
                iperf_server(guest)
                end = iperf_from_host(host.near, ["-l", "64K", *words])
                guest.finish()
                figures(way.name, "on" if offloads else "off", what, mbit(end["sum_received"]["bits_per_second"]),
                        mean_length(host.session, port, direction, before))
            who_copied(host.session, way)
            host.leave()


def test_guest_dies(binary, memory, tmp_path):
    """QEMU is killed while packets flow, again and again: the next guest finds its port working, and no mbuf is gone."""
    WAYS[-1].needs(binary)
    card = Card(tmp_path / "sock", "02:00:00:00:00:02")
    with Namespaces(2) as names:
        with Guest(memory, [card]) as guest:
            wait_until(card.socket.exists, "QEMU listens", 30)
            host = Host(binary, names, card.socket, WAYS[-1], False)
            with host:
                for _ in range(KILLS):
                    guest.boot()
                    give_address(guest, GUEST[0], False)
                    ping(guest, HOST)
                    receive_file(guest, host.near)
                    under_traffic(guest, host)
                    guest.kill()
                    card.socket.unlink()
                    guest.power_on()
                guest.boot()
                give_address(guest, GUEST[0], False)
                ping(guest, HOST)
                send_file(guest, host.near)
                host.leave()


def under_traffic(guest, host):
    """TCP both ways that nobody waits for; returns once it flows."""
    before = port_stats(host.session, VHOST_PORT)
    guest.sh("(nc -l -p 5003 >/dev/null </dev/zero &)")
    host.peers.append(start(host.near, "flood", GUEST[0], 5003))
    wait_until(lambda: all(port_stats(host.session, VHOST_PORT)[f"{d}-bytes"] > before[f"{d}-bytes"] + 1_000_000 for d in ("RX", "TX")),
               "traffic both ways", 30)


def test_backend_dies(binary, memory, tmp_path):
    """zcfwd is killed while packets flow, again and again: the next one serves the same guest, which never notices more than loss."""
    WAYS[-1].needs(binary)
    card = Card(tmp_path / "sock", "02:00:00:00:00:02")
    with Namespaces(2) as names, Guest(memory, [card]) as guest:
        wait_until(card.socket.exists, "QEMU listens", 30)
        for life in range(KILLS + 1):
            with Host(binary, names, card.socket, WAYS[-1], False) as host:
                if life == 0:
                    guest.boot()
                    give_address(guest, GUEST[0], False)
                ping(guest, HOST)
                receive_file(guest, host.near)
                if life < KILLS:
                    under_traffic(guest, host)
                else:
                    send_file(guest, host.near)
                    host.leave()


class Switch:
    """zcfwd between two guests. buffer: bytes of data per mbuf."""

    def __init__(self, binary, cards, way, buffer):
        vdevs = sum((way.vdevs(number, card.socket, ",client=1,tso=1,ufo=1") for number, card in enumerate(cards)), [])
        self.session = Session(binary, vdevs, [f"--mbuf-size={HEADROOM + buffer}"], eal=["--iova-mode=va"])
        self.session.ok("set fwd vhost", "start")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.session.close()


def guest_file(sender, receiver):
    """Whole, and in packets longer than a wire has them."""
    receiver.start("nc -l -p 5004 | sha256sum")
    sent = sender.sh(f"head -c {FILE} /dev/urandom >/tmp/file; sha256sum </tmp/file; until nc {GUEST[1]} 5004 </tmp/file; do :; done", 180)
    assert receiver.finish(120).split()[0] == sent.split()[0]


def mean_copy(session):
    """Bytes of an engine's copy, of all dma_adaptive devices; there must be copies."""
    session.cmd("set output json")
    vchans = [device["vchan0"] for device in session.json_ok("show dma")["dma"] if device["driver"] == "dma_adaptive"]
    session.cmd("set output text")
    copies, size = (sum(vchan[f"dma_{what}"] for vchan in vchans) for what in ("copies", "bytes"))
    assert copies > 0, vchans
    return size // copies


@pytest.mark.parametrize("ring, buffer", [("split", 2048), ("split", 4096), ("split", 8192), ("packed", 4096)])
@pytest.mark.parametrize("way", [way for way in WAYS if way.copy], ids=lambda way: way.name)
def test_two_guests(binary, memory, tmp_path, figures, way, ring, buffer):
    """From guest to guest 64 KB of TCP stay one packet, and a datagram of 60 KB arrives whole, with mbufs of each size and both kinds of rings."""
    way.needs(binary)
    features = "packed=on" if ring == "packed" else ""
    cards = [Card(tmp_path / f"sock{i}", f"02:00:00:00:00:0{i + 2}", features=features) for i in (0, 1)]
    with Guest(memory, cards[:1]) as one, Guest(memory, cards[1:]) as other:
        wait_until(lambda: all(card.socket.exists() for card in cards), "QEMU listens", 30)
        with Switch(binary, cards, way, buffer) as switch:
            for guest, address in zip((one, other), GUEST):
                guest.boot()
                give_address(guest, address, True)
            switch.session.ok(*way.set_up((0, 1)))
            ping(one, GUEST[1])
            before = port_stats(switch.session, 1)
            guest_file(one, other)
            length = mean_length(switch.session, 1, "TX", before)
            assert length > 1514, length  # on a busy machine TCP may keep a window of few segments
            if way.copy != "cpu":
                figures(f"{way.name}, {ring}, {buffer} B", "on", "mean copy of an engine", "", mean_copy(switch.session))
            before = port_stats(switch.session, 1)
            for name, words in (("TCP, guest to guest", "-l 64K"), ("UDP of 60 KB, guest to guest", "-u -l 60000 -b 20M")):
                iperf_server(other)
                text = one.sh(f"iperf3 -J -c {GUEST[1]} -t {IPERF_S} {words}", 90)
                said = json.loads(text[text.index("{"):])["end"]  # a warning comes first
                other.finish()
                total = said.get("sum_received") or said["sum"]
                figures(f"{way.name}, {ring}, {buffer} B", "on", name, mbit(total["bits_per_second"] * (100 - total.get("lost_percent", 0)) / 100),
                        mean_length(switch.session, 1, "TX", before))
                before = port_stats(switch.session, 1)
            switch.session.ok("stop")
            nothing_lost(switch.session)
