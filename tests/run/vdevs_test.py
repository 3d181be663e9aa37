# SPDX-License-Identifier: BSD-3-Clause
"""The account of a run on every virtual device, against the truth from outside: the kernel's counters, files, the peer."""
import contextlib
import os
import pathlib
import re
import signal
import tempfile

import netns
import pytest

from laws import check_law
from modelled import PATIENT, Modelled, moved, needs_model_nic
from packets import ether, read_pcap, sized, write_pcap
from plugin import dpdk_release
from session import KILLED, Session, frozen, wait_until

pytestmark = [pytest.mark.zcfwd, pytest.mark.netns]

SOURCE, SINK = range(2)  # ports
LONG = 1800
# Devices on an interface of the kernel, where the kernel counts what they sent, and the longest frame without and with a tag for an MTU of 1500.
KERNEL = {
    "af_packet": ("net_af_packet0,iface=zv0", "tx", 1514, 1518),
    "pcap": ("net_pcap1,iface=zv0", "tx", 1514, 1518),
    "pcap of two interfaces": ("net_pcap1,rx_iface=lo,tx_iface=zv0", "tx", 1514, 1518),
    "tap": ("net_tap0,iface=zv0", "rx", 1522, 1522),
    "failsafe": ("net_failsafe0,dev(net_af_packet3,iface=zv0)", "tx", 1514, 1518),
    "bond": ("net_af_packet0,iface=zv0 net_bonding0,mode=0,{member}=net_af_packet0", "tx", 1514, 1518),
}
each_kernel = pytest.mark.parametrize("kind", KERNEL)


def frames(sizes, tag=False):
    """A frame of each size; tagged ones begin with an 802.1Q tag."""
    header = ether(type=0x8100 if tag else 0x88B5)
    return [sized(header, size, number) for number, size in enumerate(sizes)]


class Lab(Session):
    """Port 0 receives the packets of a file; the last port is the device under test, in a namespace if it has an interface. Answers are JSON."""

    def __init__(self, binary, tmp_path, packets, device, *, name=None, args=(), source="", **options):
        write_pcap(tmp_path / "in", packets)
        devices = device.format(member="member" if dpdk_release() >= "23.11" else "slave").split()
        self.n, self.sink = len(packets), len(devices)
        if "af_xdp" in device:
            options.setdefault("ends", KILLED)  # the driver does not give back all buffers
        super().__init__(binary, [f"net_pcap0,rx_pcap={tmp_path}/in,tx_pcap={tmp_path}/back{source}", *devices], ["--no-flush-rx", *args],
                         eal=["--log-level=pmd.net.pcap:critical", "--log-level=pmd.net.tap:critical", "--iova-mode=va"],
                         wrapper=netns.entering(name) if name else (), **options)
        self.cmd("set output json")
        self.json_ok(f"set portlist {SOURCE},{self.sink}")

    def forward(self, engine="io"):
        """All packets of the file once; the summary of the run, which obeys the law."""
        self.json_ok(f"set fwd {engine}")
        self.json_ok("start")
        wait_until(lambda: self.of_source()["rx"] >= self.n, "all packets received", 30)
        return law(self.json_ok("stop"))

    def of_source(self):
        return next(one for one in self.json_ok("show fwd stats all")["streams"] if one["rx_port"] == SOURCE)

    def again(self):
        """The file's packets come once more."""
        self.json_ok("port stop 0")
        self.json_ok("port start 0")

    def causes(self):
        """Why the device under test lost packets."""
        return {one["cause"]: one for one in self.json_ok("explain drops")["causes"] if one.get("port") == self.sink}


@contextlib.contextmanager
def kernel(kind, mtu=1500):
    """A namespace with the veth pair zv0, zv1, unless the driver makes the interface."""
    reason = netns.refused()
    if reason:
        pytest.skip(reason)
    with netns.Namespaces(1) as (name,):
        if kind != "tap":
            netns.ip("-n", name, "link", "add", "zv0", "mtu", str(mtu), "type", "veth", "peer", "name", "zv1", "mtu", "9000")
            for device in ("zv0", "zv1", "lo"):
                netns.ip("-n", name, "link", "set", device, "up")
        yield name


def left(name, kind):
    """Packets that left the port, as the kernel counts them."""
    return netns.counters(name, "zv0")[KERNEL[kind][1]]["packets"]


def law(answer):
    """Each packet is in one row of the account, and the loss is at most what was offered."""
    check_law(answer["streams"])
    a = answer["summary"]
    lost = a["refused"] + a["tx_errors"] + a["missed"] + a["rx_errors"] + a["dropped"]
    assert a["offered"] == a["sent"] + a["absorbed"] + lost and a["lost"] == lost, a
    assert 0 <= a["lost"] <= a["offered"] <= a["asked"] == a["offered"] + a["unsent"], a
    return a


@pytest.mark.rotates(3)
@pytest.mark.parametrize("engine", ["io", "io retry"])
@each_kernel
def test_longer_than_the_port_can_send(binary, tmp_path, kind, engine):
    """Exactly the packets that are too long are refused, and named with both lengths; no retry helps, so none is made."""
    device, _, most, most_tagged = KERNEL[kind]
    fit = frames([60, most - 1, most]) + frames([most_tagged - 4, most_tagged], tag=True)
    beyond = frames([most + 1, LONG]) + frames([most_tagged + 1, LONG], tag=True)
    mixed = [one for i in range(40) for one in (*beyond[i % 2:], *fit)]
    n = 40 * len(fit)
    with kernel(kind) as name, Lab(binary, tmp_path, mixed, device, name=name) as lab:
        lab.json_ok("set burst tx delay 1000 retry 60000")
        before = left(name, kind)
        a = lab.forward(engine)
        assert (a["sent"], a["refused"], a["lost"], a["tx_errors"]) == (n, len(mixed) - n, len(mixed) - n, 0)
        wait_until(lambda: left(name, kind) >= before + n, f"{n} packets on the interface")
        assert left(name, kind) == before + n
        assert lab.of_source()["tx_retried"] == 0 or kind == "af_packet"
        (cause,) = lab.causes().values()
        assert (cause["cause"], cause["packets"]) == ("tx_too_long", len(mixed) - n)
        assert f"the longest has {LONG} bytes, and the MTU 1500 of port {lab.sink} allows {most}: use " in cause["text"]


def obey(lab, text, name):
    """Carry out the command that an answer names after "use"."""
    command = re.search(r'use "([^"]+)"', text)[1]
    if command.startswith("ip "):
        netns.ip("-n", name, *command.split()[1:])
    else:
        lab.json_ok(command)


@pytest.mark.rotates(3)
@each_kernel
def test_remedy_of_long_packets(binary, tmp_path, kind):
    """The command that explain drops names lets all packets through."""
    packets = frames([60, 1514, LONG] * 20)
    with kernel(kind) as name, Lab(binary, tmp_path, packets, KERNEL[kind][0], name=name) as lab:
        assert lab.forward()["refused"] == 20
        text = lab.causes()["tx_too_long"]["text"]
        if kind == "tap":
            assert text.endswith("use shorter packets: driver net_tap has no larger MTU")
            assert not lab.json(f"port config mtu 1 {LONG - 14}")["ok"]
            return
        obey(lab, text, name)
        lab.again()
        before = left(name, kind)
        a = lab.forward()
        assert (a["sent"], a["lost"], lab.causes()) == (len(packets), 0, {})
        wait_until(lambda: left(name, kind) == before + len(packets), "all packets on the interface")


def test_longer_than_a_frame_of_the_ring(binary, tmp_path):
    """net_af_packet's ring has frames of 2048 bytes; the arguments that explain drops names make them larger."""
    packets = frames([60, 2016, 2017, 2040] * 20)
    with kernel("af_packet", mtu=9000) as name:
        with Lab(binary, tmp_path, packets, KERNEL["af_packet"][0], name=name) as lab:
            a = lab.forward()
            assert (a["sent"], a["refused"]) == (40, 40)
            wait_until(lambda: left(name, "af_packet") == 40, "40 packets on the interface")
            text = lab.causes()["tx_too_long"]["text"]
            assert "the longest has 2040 bytes, and frames of 2048 bytes in its ring allow 2016: use " in text
        arguments, option = re.search(r'use "(\S+)" in the device\'s arguments with (--mbuf-size=\d+), or', text).groups()
        with Lab(binary, tmp_path, packets, f"{KERNEL['af_packet'][0]},{arguments}", name=name, args=[option]) as lab:
            a = lab.forward()
            assert (a["sent"], a["lost"]) == (80, 0)
            wait_until(lambda: left(name, "af_packet") == 120, "80 more packets on the interface")


@pytest.mark.rotates(3)
@each_kernel
def test_interface_down(binary, tmp_path, kind):
    """Nothing leaves an interface that is down, so all is lost, each packet once, and the reason is known; the remedy works."""
    packets = frames([60, 1514] * 100)
    with kernel(kind) as name, Lab(binary, tmp_path, packets, KERNEL[kind][0], name=name) as lab:
        netns.ip("-n", name, "link", "set", "zv0", "down")
        before = left(name, kind)
        a = lab.forward()
        assert (a["sent"], a["lost"], left(name, kind)) == (0, len(packets), before)
        (cause,) = lab.causes().values()
        assert cause["packets"] == len(packets)
        if kind == "tap":
            assert "link is down" in cause["text"] and cause["text"].endswith(": connect its peer, or set its link up; the port took no packet in this run")
            netns.ip("-n", name, "link", "set", "zv0", "up")
        else:
            assert ": its interface is down: use " in cause["text"]
            obey(lab, cause["text"], name)
        # A socket reports that its interface was down once more: to the burst that comes next.
        lab.again()
        lab.forward("io retry")
        lab.again()
        before = left(name, kind)
        a = lab.forward("io retry")
        assert (a["sent"], a["lost"]) == (len(packets), 0)
        wait_until(lambda: left(name, kind) == before + len(packets), "all packets on the interface")


def test_too_long_for_an_interface_that_is_down(binary, tmp_path):
    """Packets that are too long are in their row alone, the others that the port refused in the other one."""
    packets = frames([60, LONG, 1514] * 20)
    with kernel("pcap") as name, Lab(binary, tmp_path, packets, KERNEL["pcap"][0], name=name) as lab:
        netns.ip("-n", name, "link", "set", "zv0", "down")
        assert lab.forward()["refused"] == len(packets)
        assert {cause: one["packets"] for cause, one in lab.causes().items()} == {"tx_too_long": 20, "tx_dropped": 40}
        lab.json_ok("clear fwd stats all")
        assert lab.causes() == {}  # streams still know of packets that were too long before


# Ports with a peer in another program: the device here and there, with the socket's path.
PEERS = {
    "vhost": ("net_vhost0,iface={}", "net_virtio_user0,path={}"),
    "memif": ("net_memif0,role=server,socket={},socket-abstract=no", "net_memif0,role=client,socket={},socket-abstract=no"),
    "async_vhost": ("net_async_vhost0,iface={}", "net_virtio_user0,path={}"),
}
each_peer = pytest.mark.parametrize("kind", PEERS)


class Peer(Session):
    """The program at the other end, which receives. Answers are JSON."""

    def __init__(self, binary, kind, path, words="", args=(), **options):
        super().__init__(binary, [PEERS[kind][1].format(path) + words], ["--no-flush-rx", *args], eal=["--iova-mode=va"], **options)
        self.cmd("set output json")
        self.json_ok("set fwd rxonly")
        self.json_ok("start")

    def received(self):
        return self.json_ok("show fwd stats all")["streams"][0]["rx"]


@pytest.fixture(name="path")
def _path():
    with tempfile.TemporaryDirectory(prefix="zcs") as folder:  # a socket's path is short
        yield f"{folder}/s"


def with_peer(binary, tmp_path, kind, path, packets, **options):
    if kind == "async_vhost" and os.environ.get("ASYNC_VHOST_LACKS"):
        pytest.skip("built without DPDK's source")
    if kind == "memif":
        options["ends"] = KILLED  # net_memif may crash when its peer leaves while it forwards
    return Lab(binary, tmp_path, packets, PEERS[kind][0].format(path), **options)


def connected(lab, up=True):
    wait_until(lambda: lab.json_ok(f"show port info {lab.sink}")["ports"][0]["link_up"] == up, f"link up: {up}", 30)


@pytest.mark.rotates(3)
@each_peer
def test_peer(binary, tmp_path, path, kind):
    """The peer gets what was sent; one that is killed takes nothing more, and the answer says so; a new one gets all again."""
    packets = frames([60, 1514] * 100)
    with with_peer(binary, tmp_path, kind, path, packets) as lab:
        lab.json_ok("set burst tx delay 1000 retry 5000")
        for _ in range(2):
            with Peer(binary, kind, path, ends=KILLED) as peer:
                connected(lab)
                a = lab.forward("io retry")
                assert (a["sent"], a["lost"]) == (len(packets), 0)
                wait_until(lambda peer=peer: peer.received() == len(packets), "all received by the peer")
            connected(lab, False)
            lab.again()
            a = lab.forward("io")
            assert (a["sent"], a["lost"]) == (0, len(packets))
            (cause,) = lab.causes().values()
            assert (cause["cause"], cause["packets"]) == ("tx_dropped", len(packets))
            assert "link is down" in cause["text"] and "connect its peer" in cause["text"] and "retry" not in cause["text"]
            lab.again()


@pytest.mark.rotates(3)
@each_peer
def test_peer_that_stands_still(binary, tmp_path, path, kind):
    """A peer that was stopped takes what its ring holds; later it gets exactly what counts as sent."""
    packets = frames([60] * 5000)
    with with_peer(binary, tmp_path, kind, path, packets) as lab, Peer(binary, kind, path, ends=KILLED) as peer:
        connected(lab)
        os.kill(peer.pid, signal.SIGSTOP)
        try:
            lab.json_ok("set fwd io")
            lab.json_ok("start")
            wait_until(lambda: lab.of_source()["rx"] == len(packets), "all packets received", 30)
            wait_until(lambda: stands_still(lab), "time without a packet taken", 30)
            a = law(lab.json_ok("stop"))
        finally:
            os.kill(peer.pid, signal.SIGCONT)
        assert 0 < a["sent"] < len(packets) and a["refused"] == len(packets) - a["sent"]
        (cause,) = lab.causes().values()
        assert re.search(r"link is up, speed .*; the port took no packet for the last \d+\.\d s: check that its peer still receives$", cause["text"]), cause
        wait_until(lambda: peer.received() >= a["sent"], "all sent packets received by the peer")
        assert peer.received() == a["sent"]


def test_guest_without_room(binary, tmp_path, path):
    """A guest whose buffers can never take the packet: no advice to retry or for a larger ring, and the one given works."""
    packets = frames([5000] * 50)
    with with_peer(binary, tmp_path, "vhost", path, packets) as lab:
        with Peer(binary, "vhost", path, ",mrg_rxbuf=0", ends=KILLED):
            connected(lab)
            a = lab.forward()
            assert (a["sent"], a["lost"]) == (0, len(packets))
            (cause,) = lab.causes().values()
            assert cause["text"].endswith("; the port took no packet in this run: check that its peer runs, and has buffers for packets of 5000 bytes")
        connected(lab, False)
        with Peer(binary, "vhost", path, ",mrg_rxbuf=1", args=["--tx-offloads=0x8000", "--enable-scatter", "--max-pkt-len=9018"], ends=KILLED) as peer:
            connected(lab)
            lab.again()
            a = lab.forward("io retry")
            assert (a["sent"], a["lost"]) == (len(packets), 0)
            wait_until(lambda: peer.received() == len(packets), "all received by the peer")


# Remedies that explain drops names, on the devices where it names them.

def causes(session, port):
    """Texts by cause, of a session whose answers are text."""
    session.cmd("set output json")
    answer = session.json_ok("explain drops")
    session.cmd("set output text")
    texts = [(cause.get("port"), cause["cause"], cause["text"]) for cause in answer["causes"]]
    assert len(texts) == len(set(texts))  # no line appears twice
    return {cause: text for at, cause, text in texts if at == port}


def stalled(session, lines):
    """Port 1 sends nothing for a while; the run ends after it has sent again. Why it lost packets."""
    session.ok(*lines, "start")
    moved(session, 1, "TX-packets")
    session.fault(1, "stall tx 50")
    moved(session, 1, "TX-packets")
    session.ok("stop")
    return causes(session, 1)


SLOW = "xl710,flows=64,rate=10000*2"


@needs_model_nic
def test_remedies_of_a_full_ring(binary, tmp_path):
    """500 packets come while a card sends nothing: more than 128 descriptors hold. Retries and a larger ring help."""
    with Modelled(binary, SLOW, tmp_path, ["--txd=128"]) as session:
        text = stalled(session, ["set fwd io"])["tx_dropped"]
        assert "; the Tx ring was full: offered load exceeds what the port can send, or the ring is too small (--txd); \"set fwd ENGINE retry\" retries" in text
        assert "tx_dropped" not in stalled(session, ["set fwd io retry", PATIENT])
    with Modelled(binary, SLOW, tmp_path, ["--txd=4096"]) as session:
        assert "tx_dropped" not in stalled(session, ["set fwd io"])


@needs_model_nic
def test_remedy_of_missed_packets(binary, tmp_path):
    """Bursts of 256 packets need more than 64 descriptors."""
    for rxd in (64, 4096):
        with Modelled(binary, "xl710,burst=256,rate=2560,line=40G;xl710,rx=none", tmp_path, [f"--rxd={rxd}"]) as session:
            session.ok("clear port stats all", "start")
            moved(session, 0)
            session.ok("stop")
            missed = causes(session, 0).get("rx_missed", "")
            assert ("(--rxd)" in missed) == (rxd == 64), missed


@needs_model_nic
def test_remedy_of_an_empty_pool(binary, tmp_path):
    """With the size that is named, no reception fails."""
    options = {"args": ["--rxd=256", "--txd=256"], "bits": None}
    with Modelled(binary, "82599,flows=64*2", tmp_path, mbufs=1100, **options) as session:
        session.ok("set fwd io", "start")
        wait_until(lambda: sum(map(int, re.findall(r"RX-nombuf: +(\d+)", session.cmd("show port stats all")))) > 0, "failed receptions")
        session.ok("stop")
        text = causes(session, 0).get("rx_nombuf") or causes(session, 1)["rx_nombuf"]
    size = int(re.search(r"pool mb_pool_0 now has \d+ of 1100 mbufs free; rings, caches and bursts can hold \d+: use --total-num-mbufs=(\d+) or more, or smaller rings", text)[1])
    with Modelled(binary, "82599,flows=64*2", tmp_path, mbufs=size, **options) as session:
        session.ok("set fwd io", "start")
        moved(session, 0)
        session.ok("stop")
        assert "rx_nombuf" not in causes(session, 0) and "rx_nombuf" not in causes(session, 1)


def test_a_ring_that_nobody_empties(binary):
    """net_ring takes what it holds; io empties it again, and gets exactly that."""
    with Session(binary, ["net_ring0"], ["--no-flush-rx"]) as session:
        session.cmd("set output json")
        session.json_ok("set fwd txonly")
        session.json_ok("start for 300ms")
        a = law(session.json_ok("show fwd stats all"))
        assert a["sent"] == 1023 and a["refused"] == a["offered"] - 1023
        (cause,) = session.json_ok("explain drops")["causes"]
        assert cause["text"].endswith(" s: check that its peer still receives")
        session.json_ok("set fwd rxonly")
        session.json_ok("start")
        wait_until(lambda: session.json_ok("show fwd stats all")["streams"][0]["rx"] == 1023, "all packets of the ring")
        assert law(session.json_ok("stop"))["lost"] == 0


def test_file(binary, tmp_path):
    """A file gets all packets, also longer ones than any MTU."""
    packets = frames([60, 1514, LONG, 9000] * 50)
    with Lab(binary, tmp_path, packets, f"net_pcap1,tx_pcap={tmp_path}/out", args=["--max-pkt-len=9018"]) as lab:
        a = lab.forward()
        assert (a["sent"], a["lost"], lab.causes()) == (len(packets), 0, {})
        lab.json_ok("port stop 1")
        assert read_pcap(f"{tmp_path}/out") == packets


@pytest.mark.rotates(3)
@pytest.mark.parametrize("device", ["net_null1", "net_null1 net_bonding0,mode=0,{member}=net_null1", "net_failsafe0,dev(net_null1)"])
def test_without_a_limit(binary, tmp_path, device):
    packets = frames([60, 1514, LONG] * 50)
    with Lab(binary, tmp_path, packets, device) as lab:
        a = lab.forward("io retry")
        assert a["sent"] == a["offered"] >= len(packets) and a["lost"] == 0


def stands_still(lab):
    """Whether the port takes nothing for 0.1 s of the run."""
    first = lab.json_ok("show fwd stats all")
    wait_until(lambda: lab.json_ok("show fwd stats all")["summary"]["seconds"] > first["summary"]["seconds"] + 0.1, "0.1 s", 30)
    return lab.of_source()["tx"] == next(one["tx"] for one in first["streams"] if one["rx_port"] == SOURCE)


@pytest.mark.rotates(3)
@each_peer
def test_retry_to_a_peer(binary, tmp_path, path, kind):
    """A peer that does not receive for a while: packets are refused, unless they are retried; it gets what counts as sent."""
    with with_peer(binary, tmp_path, kind, path, frames([60] * 64), source=",infinite_rx=1") as lab, Peer(binary, kind, path, ends=KILLED) as peer:
        connected(lab)
        lab.json_ok("set burst tx delay 1000 retry 60000")
        sent = 0
        for engine in ("io", "io retry"):
            lab.json_ok(f"set fwd {engine}")
            lab.json_ok("start")
            os.kill(peer.pid, signal.SIGSTOP)
            try:
                wait_until(lambda: stands_still(lab), "nothing taken by the port", 30)
            finally:
                os.kill(peer.pid, signal.SIGCONT)
            before = lab.of_source()["tx"]
            wait_until(lambda before=before: lab.of_source()["tx"] > before, "more packets taken", 30)
            a = law(lab.json_ok("stop"))
            sent += a["sent"]
            wait_until(lambda: peer.received() >= sent, "all sent packets received by the peer")
            assert peer.received() == sent and (a["refused"] == 0) == (engine == "io retry")
            if engine == "io":
                assert lab.causes()["tx_dropped"]["text"].endswith('; the driver does not report how full its Tx ring is; "set fwd ENGINE retry" retries')


def test_remedy_of_unsent_packets(binary):
    """An lcore without its CPU sends late packets if generate-late is long enough."""
    with Session(binary, ["net_null0"], ["--no-flush-rx"]) as session:
        session.cmd("set output json")
        for line in ("set fwd generate", "set generate flows 1", "set generate-rate 10kpps"):
            session.json_ok(line)
        for late_us in (1000, 1000000):
            session.json_ok(f"set generate-late {late_us}")
            session.json_ok("start")
            made = session.json_ok("show fwd stats all")["streams"][0]["made"]
            with frozen(worker(session)):
                begin = session.json_ok("show fwd stats all")["summary"]["seconds"]
                wait_until(lambda begin=begin: session.json_ok("show fwd stats all")["summary"]["seconds"] > begin + 0.1, "0.1 s")
            wait_until(lambda made=made: session.json_ok("show fwd stats all")["streams"][0]["made"] > made, "packets")
            a = law(session.json_ok("stop"))
            unsent = [cause for cause in session.json_ok("explain drops")["causes"] if cause["cause"] == "unsent"]
            if late_us == 1000:
                assert a["unsent"] > 0 and '"set generate-late N" sends packets up to N us late' in unsent[0]["text"]
            else:
                assert a["unsent"] == 0 and unsent == []


def worker(session):
    """The thread of its only worker lcore."""
    return next(int(task.name) for task in pathlib.Path(f"/proc/{session.pid}/task").iterdir() if "worker" in (task / "comm").read_text(encoding="ascii"))
