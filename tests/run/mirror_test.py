# SPDX-License-Identifier: BSD-3-Clause
"""port mirror RX TX: what a port receives, sent once more by another port, whole, whatever the engine does with it."""
import pytest

from mocks import LACKS
from modelled import MOCK, PATIENT, SEGMENTS, STOPPED, VHOST, Modelled
from packets import read_pcap, write_pcap
from session import Session, wait_until
from virtio_pair import WIDE, numbered

N = 5000
SLOW_FREE = "--tx-offloads=0"
SHARED = ("mbuf_fast_free", "while other mbufs still use their data")


def as_json(session, line):
    session.cmd("set output json")
    answer = session.json_ok(line)
    session.cmd("set output text")
    return answer


def streams(session):
    return as_json(session, "show fwd counters")["streams"]


def all_through(session, packets):
    """So many were received and mirrored, and each was sent, or dropped, or absorbed."""
    done = [stream["tx"] + stream["tx_dropped"] + stream["absorbed"] for stream in streams(session) if stream["rx_port"] == 0]
    return sum(done) == packets == sum(queue["received"] for queue in mirror_queues(session))


def mirror_queues(session, port=0):
    """The mirror queues of a port."""
    return next(one["queues"] for one in as_json(session, "show port mirror")["mirrors"] if one["from"] == port)


def lawful(queue):
    """Every packet was sent, or dropped with a reason."""
    return queue["received"] == queue["sent"] + queue["no_mbuf"] + queue["full"] + queue["segments"]


def nothing_left(session):
    session.ok("port stop all")
    assert sum(pool["in_use"] for pool in as_json(session, "show pool")["pools"]) == 0
    assert all(one["buffers_out"] == 0 for one in as_json(session, "show extmem")["extmem"])
    assert as_json(session, "show port mirror")["pool_in_use"] == 0


def part_of(some, packets):
    """All of these, in this order, among those."""
    rest = iter(packets)
    return all(one in rest for one in some)


class Rig(Modelled):
    """Port 0 receives a file; port 1 is where it is forwarded to, port 2 where it is mirrored to, each into a file."""

    def __init__(self, binary, device, tmp_path, packets, args=(), rate=":1", **options):
        self.packets = packets
        self.files = {port: tmp_path / f"out{port}" for port in (1, 2)}
        write_pcap(tmp_path / "in", packets)
        sinks = ";".join(f"{device},rx=none,tx=pcap:{path}" for path in self.files.values())
        super().__init__(binary, f"{device},rx=pcap:{tmp_path}/in{rate};{sinks}", tmp_path, [STOPPED, *args], **options)

    def forward(self, engine, *lines, to=2):
        """All packets once; returns the queue, and how many were forwarded."""
        self.ok("set portlist 0,1", f"port mirror 0 {to}", *lines, f"set fwd {engine} retry", PATIENT, "port start all", "start")
        wait_until(lambda: all_through(self, len(self.packets)), "all packets", 60)
        self.cmd("stop")
        (queue,), sent = mirror_queues(self), sum(stream["tx"] for stream in streams(self))
        assert lawful(queue), queue
        for port in (1, 2):
            leaving = sent * (port == 1) + queue["sent"] * (port == to)
            wait_until(lambda port=port, leaving=leaving: self.report(port)["tx_packets"] == leaving, f"all of port {port} on the wire", 60)
        return queue, sent

    def done(self):
        nothing_left(self)
        self.quit()
        assert self.rc == 0
        return {port: read_pcap(path) for port, path in self.files.items()}


def swapped(packet):
    return packet[6:12] + packet[:6] + packet[12:]


PINNED = "--forward-mode=extbuf", "--extbuf-mode=pinned"
WAYS = {  # options, engine, what becomes of a forwarded packet, manner, words of the reason
    "clones": ([SLOW_FREE], "io", None, "clone", ()),
    "fast free": ([], "io", None, "copy", SHARED),
    "writing": ([SLOW_FREE], "macswap", swapped, "copy", ("engine macswap writes",)),
    "writing, fast free": ([], "macswap", swapped, "copy", ("engine macswap writes",)),
    "writing in a pipeline": ([SLOW_FREE, "--pipeline-stage=macswap"], "ring_pipeline", swapped, "copy", ("engine ring_pipeline writes",)),
    "writing at times": ([SLOW_FREE, "--noisy-forward-mode=macswap"], "noisy", swapped, "copy", ("engine noisy writes",)),
    "xbuf": ([SLOW_FREE, "--mp-alloc=xbuf"], "io", None, "clone", ()),
    "xbuf, fast free": (["--mp-alloc=xbuf"], "io", None, "copy", SHARED),
    "xbuf, writing": ([SLOW_FREE, "--mp-alloc=xbuf"], "macswap", swapped, "copy", ("engine macswap writes",)),
    "pinned": ([SLOW_FREE, *PINNED], "extbuf", None, "clone", ()),
    "pinned, fast free": ([*PINNED], "extbuf", None, "copy", SHARED),
}
FIRST = ("clones", "fast free", "writing", "pinned")  # in the first tier


@pytest.mark.rotates(2)
@pytest.mark.parametrize("device, way", [
    *(("xl710", way) for way in FIRST), *(pytest.param("xl710", way, marks=pytest.mark.extended) for way in WAYS if way not in FIRST),
    *(pytest.param("82599", way, marks=pytest.mark.extended) for way in ("clones", "fast free", "pinned"))])
def test_content(binary, tmp_path, device, way):
    """Mirrored packets are those received, forwarded ones what the engine makes of them; both files whole."""
    args, engine, change, manner, words = WAYS[way]
    packets = numbered(N)
    with Rig(binary, device, tmp_path, packets, args) as session:
        queue, sent = session.forward(engine)
        if device == "82599" and words == SHARED:  # frees by counts, and has no fast free
            manner, words = "clone", ()
        assert queue["manner"] == manner, queue
        assert all(word in (queue["reason"] or "") for word in words), queue
        assert queue["received"] == N and queue["no_mbuf"] == queue["segments"] == 0
        files = session.done()
    assert len(files[1]) == sent > 0 and part_of(files[1], [change(packet) for packet in packets] if change else packets)
    assert len(files[2]) == queue["sent"] > 0 and part_of(files[2], packets)


def test_port_of_the_originals(binary, tmp_path):
    """Copies also where the mirror's port could send clones, but the port that the engine sends to cannot."""
    packets = numbered(N)
    with Rig(binary, "xl710", tmp_path, packets, [SLOW_FREE]) as session:
        queue, sent = session.forward("io", "port config 1 tx_offload mbuf_fast_free on")
        assert queue["manner"] == "copy" and all(word in queue["reason"] for word in SHARED), queue
        files = session.done()
    assert len(files[1]) == sent > 0 and part_of(files[1], packets)
    assert len(files[2]) == queue["sent"] > 0 and part_of(files[2], packets)


@pytest.mark.parametrize("queues", [1, 4])
def test_queues(binary, tmp_path, queues):
    """Two lcores, one or more queues each: never two on one transmit queue, and nothing lost without a reason."""
    ports = "xl710,count=100000,flows=64,verify,rx=gen"
    with Modelled(binary, f"{ports};{ports};xl710,rx=none", tmp_path,
                  [STOPPED, SLOW_FREE, f"--rxq={queues}", f"--txq={queues}", "--rss-udp", "--nb-cores=2"], lcores="(0,1,2)@0-1") as session:
        session.ok("set portlist 0,1", "port mirror 0 2", "port mirror 1 2", "set fwd io retry", PATIENT, "port start all")
        answer = session.cmd("start") + session.stderr()
        if queues == 1:  # one lcore has it, the other one cannot
            assert "port mirror 1 2: port 2 has 1 transmit queues" in answer, answer
            session.ok("port mirror 1 off", "start")
        mirrored = (0,) if queues == 1 else (0, 1)
        wait_until(lambda: all(sum(queue["received"] for queue in mirror_queues(session, port)) == 100_000 for port in mirrored), "all packets", 90)
        session.cmd("stop")
        all_queues = [queue for port in mirrored for queue in mirror_queues(session, port)]
        users = {}
        for queue in all_queues:
            assert lawful(queue), queue
            assert users.setdefault(queue["tx_queue"], queue["lcore"]) == queue["lcore"], all_queues
        assert len(all_queues) == queues * len(mirrored)
        sent = sum(queue["sent"] for queue in all_queues)
        wait_until(lambda: session.report(2)["tx_packets"] == sent, "all mirrored packets on the wire", 30)
        nothing_left(session)
        session.quit()
        assert session.rc == 0
        for report in session.reports():
            assert report["corrupted"] == report["armed_twice"] == report["armed_in_tx"] == report["sent_while_armed"] == 0, report


def test_own_queue(binary, tmp_path):
    """A port that forwards mirrors too, by the queue of the lcore's own stream; with fast free it takes a further one."""
    packets = numbered(N)
    with Rig(binary, "xl710", tmp_path, packets, [SLOW_FREE]) as session:
        queue, sent = session.forward("io", to=1)
        assert queue["tx_queue"] == 0 and queue["manner"] == "clone"
        files = session.done()
    assert len(files[1]) == sent + queue["sent"]
    with Rig(binary, "xl710", tmp_path, packets) as session:
        session.ok("set portlist 0,1", "port mirror 0 1", "port start all")
        answer = session.cmd("start") + session.stderr()
        assert "Use --txq=2, or \"port config 1 tx_offload mbuf_fast_free off\"" in answer, answer
        session.ok("port mirror 0 off", "start", "stop")
    with Rig(binary, "xl710", tmp_path, packets, ["--txq=2"]) as session:
        queue, _ = session.forward("io", to=1)
        assert queue["tx_queue"] == 1 and queue["manner"] == "copy"
        session.done()


@pytest.mark.parametrize("offloads, dropped", [(SLOW_FREE, True), (SEGMENTS, False)])
def test_segments(binary, tmp_path, offloads, dropped):
    """Frames longer than an mbuf: mirrored whole, or dropped with the reason, never cut."""
    packets = numbered(2000, longest=8000)
    with Rig(binary, "xl710", tmp_path, packets, [offloads, "--enable-scatter", "--max-pkt-len=9100"]) as session:
        queue, _ = session.forward("rxonly" if dropped else "io")
        assert (queue["segments"] > 0) == dropped and queue["received"] == 2000
        files = session.done()
    short = [packet for packet in packets if len(packet) <= 2048]
    assert part_of(files[2], short if dropped else packets) and len(files[2]) == queue["sent"]


MOCKS = {  # of each driver's path, the verdict on clones of what was received, and on clones that are sent
    "mlx5": ("ok", "ok"),
    "mlx5,zip=l34": ("worked around", "ok"),
    "mlx5,rx_path=scalar": ("worked around", "ok"),
    "i40e,tx_path=full": ("worked around", "ok"),
    "ixgbe,tx_path=simple": ("worked around", "ok"),
}


@pytest.mark.rotates(3)
@pytest.mark.skipif(LACKS != "", reason=f"mock ports are left out: {LACKS}")
@pytest.mark.parametrize("words", [pytest.param(words, marks=pytest.mark.extended) if words.startswith("mlx5,") else words for words in MOCKS])
def test_mock(binary, tmp_path, words):
    """The drivers' other paths, receiving into pinned memory: clones of all packets, whole, and all buffers back."""
    sources = [f"driver={words},verify,count={3 * N}", *[f"driver={words},rx=none,verify"] * 2]
    with Modelled(binary, "", tmp_path, [STOPPED, SLOW_FREE, *PINNED], plugin=MOCK, vdevs=[f"net_mock{i},{source}" for i, source in enumerate(sources)]) as session:
        session.ok("set portlist 0,1", "port mirror 0 2", "set fwd extbuf retry", PATIENT, "port start all", "start")
        wait_until(lambda: all_through(session, 3 * N), "all packets", 90)
        session.cmd("stop")
        (queue,) = mirror_queues(session)
        assert lawful(queue) and queue["manner"] == "clone" and queue["received"] == 3 * N, queue
        verdicts = as_json(session, "show port 0 extbuf")["ports"][0]
        assert (verdicts["rx"][0]["clones"]["verdict"], verdicts["tx"][0]["clones"]["verdict"]) == MOCKS[words], verdicts
        sent = queue["sent"] + sum(stream["tx"] for stream in streams(session))
        wait_until(lambda: sum(session.report(port)["tx_packets"] for port in (1, 2)) == sent, "all packets on the wire", 60)
        session.ok("port stop all", "port close all")
        nothing_left(session)
        session.quit()
        assert session.rc == 0
        reports = session.reports()
    # What is mirrored was seen before, or will be seen again: never twice by the same port, never changed.
    assert all(report[what] == 0 for report in reports for what in ("corrupted", "foreign", "armed_twice", "armed_in_tx", "sent_while_armed")), reports
    assert sum(report["ok"] + report["duplicated"] + report["reordered"] for report in reports) == sent, reports


RINGS = {"split": ("mrg_rxbuf=0,in_order=0,vectorized=1", "clone", ()),
         "split, standard": ("", "clone", ()),
         "packed": ("packed_vq=1", "clone", ()),
         "packed, vectors": ("packed_vq=1,mrg_rxbuf=0,vectorized=1", "copy", ("writes its header in front of data that belongs to another mbuf",))}


@pytest.mark.rotates(2)
@pytest.mark.parametrize("ring", [pytest.param(ring, marks=pytest.mark.skipif("vectors" in ring and not WIDE, reason="needs AVX-512")) for ring in RINGS])
def test_virtio(binary, tmp_path, monkeypatch, ring):
    """Pinned buffers and clones on virtio; where it would write in front of shared data, copies."""
    devargs, manner, words = RINGS[ring]
    # A rate, not a number: full packed rings lose mbufs, and the last packets may stay in split ones (recycle.md, model-nics.md).
    monkeypatch.setenv("VHOST_NIC", str(tmp_path))
    ports = [f"net_virtio_user{i},path={tmp_path}/{i},queue_size=1024{',' * bool(devargs)}{devargs}" for i in range(3)]
    with Modelled(binary, f"virtio,verify,rate=20000,flows=16;virtio,rx=none,verify*2", tmp_path, [STOPPED, *PINNED, "--rxd=1024", "--txd=1024"],
                  eal=["-m", "256", "--force-max-simd-bitwidth=512"], plugin=VHOST, vdevs=ports, mbufs=16384) as session:
        session.ok("set portlist 0,1", "port mirror 0 2", "set fwd extbuf retry", PATIENT, "port start all", "start")
        wait_until(lambda: mirror_queues(session)[0]["received"] >= 2000, "packets", 90)
        session.cmd("stop")
        (queue,) = mirror_queues(session)
        assert lawful(queue) and queue["manner"] == manner and all(word in (queue["reason"] or "") for word in words), queue
        sent = queue["sent"] + sum(stream["tx"] for stream in streams(session))
        wait_until(lambda: sum(session.report(port)["tx_packets"] for port in (1, 2)) == sent, "all packets on the wire", 60)
        session.ok("port stop all", "port close all")
        if "vectors" not in ring:  # net_virtio frees some twice when it closes: recycle.md
            nothing_left(session)
        session.quit()
        assert session.rc == 0
        reports = session.reports()
    assert all(report[what] == 0 for report in reports for what in ("corrupted", "foreign")), reports
    assert sum(report["ok"] + report["duplicated"] + report["reordered"] for report in reports) == sent, reports


def test_shown(binary):
    """Forward statistics, show port mirror, clear; off; ports that go."""
    with Session(binary, ["net_null0", "net_null1", "net_null2"]) as session:
        assert session.cmd("show port mirror").strip() == "No port is mirrored"
        session.ok("set portlist 0,1", "port mirror 0 2", "port mirror 1 2", "start")
        wait_until(lambda: mirror_queues(session)[0]["sent"] > 1000, "packets")
        assert "stop forwarding first" in session.cmd("port mirror 0 1") + session.stderr()
        session.cmd("clear fwd stats all")
        text = session.cmd("stop")
        assert text.count("Mirrored to port 2") == 2
        for port in as_json(session, "show fwd stats all")["ports"]:
            assert lawful(port["mirror"]) and port["mirror"]["to"] == 2
        (queue,) = mirror_queues(session)
        assert queue["manner"] == "copy" and "has not been examined" in queue["reason"]
        session.ok("port mirror 0 off", "start")
        text = session.cmd("stop")
        assert text.count("Mirrored to port 2") == 1
        session.ok("port stop 2", "port close 2")
        assert session.cmd("show port mirror").strip() == "No port is mirrored"
        session.ok("start", "stop")
        nothing_left(session)


@pytest.mark.parametrize("lines, words", [
    (["port mirror 0 0"], "port 0 cannot be mirrored to itself"),
    (["port mirror 0 9"], "Invalid port 9"),
    (["port mirror 9 0"], "Invalid port 9"),
    (["port mirror 0 off"], "port 0 is not mirrored"),
    (["port stop 2", "port mirror 0 2", "start"], "port mirror 0 2: port 2 is not started"),
])
def test_bad_input(binary, lines, words):
    """One line; forwarding starts without the mirror as ever."""
    with Session(binary, ["net_null0", "net_null1", "net_null2"]) as session:
        session.ok("set portlist 0,1", *lines[:-1])
        assert words in session.cmd(lines[-1]) + session.stderr()
        session.cmd("port mirror 0 off")
        session.ok("start", "stop")
