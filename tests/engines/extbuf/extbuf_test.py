# SPDX-License-Identifier: BSD-3-Clause
"""External buffers in the real program: every mode on modelled NICs, in-flight buffers at stop, switch and close, bad input."""
import hashlib
import random
import struct

import pytest
from conftest import SEED

from extbuf_runs import MODES, NO_FAST_FREE, as_json, counters, memories, nothing_out
from mocks import LACKS, Mock
from modelled import PATIENT, Modelled, all_good
from packets import read_pcap
from session import Session, SessionError, hugepages, wait_until
from silent_backend import SilentBackend

SCALAR_MLX5 = "mlx5,rx_path=scalar,tx_path=single,inline=200"
DEVICES = ["xl710", "mlx5", *(pytest.param(device, marks=pytest.mark.extended) for device in ("82599", SCALAR_MLX5))]


def cards(binary, words, tmp_path, args=(), **options):
    """A session on the ports of "DEVICE,WORD...*N;DEVICE...": modelled NICs, or mock ports of mlx5, which count keys that do not cover their memory."""
    if not words.startswith("mlx5"):
        return Modelled(binary, words, tmp_path, args, **options)
    if LACKS:
        pytest.skip(f"mock ports are left out: {LACKS}")
    ports = []
    for port in words.split(";"):
        port, _, times = port.partition("*")
        ports += [port] * int(times or 1)
    # With four times as many, mlx5 takes a quarter of a minute or more to register a pinned pool in small pages.
    return Mock(binary, ports, tmp_path, args, **{"mbufs": 8192, **options})


@pytest.fixture(autouse=True)
def huge(request):
    """Huge pages for the kinds of memory that live in them, given back afterwards."""
    asked = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if "huge" not in asked.get("kind", ""):
        yield
        return
    with hugepages(128) as there:
        if not there:
            pytest.skip("needs root and 128 MiB of huge pages")
        yield


def forward_all(session, packets):
    """Until so many packets were sent or dropped; those that the streams do not account for end in the timeout, with their counters."""
    for line in (PATIENT, "start"):
        session.ok(line)
    try:
        wait_until(lambda: sum(one["tx"] + one["tx_dropped"] + one["absorbed"] for one in counters(session)) >= packets, "packets", 90)
    except SessionError as failure:
        raise SessionError(f"{failure}: {counters(session)}") from None
    session.cmd("stop")


@pytest.mark.rotates(4)
@pytest.mark.parametrize("options", [[], ["--extbuf-shinfo=shared"], ["--extbuf-shinfo=tail"], ["--extbuf-touch=2000"]],
                         ids=["plain", "shared", "tail", "touch"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("device", DEVICES)
def test_content(binary, tmp_path, device, mode, options):
    """All packets of all lengths whole and in order, none twice; what is left in rings comes back when ports stop."""
    # The model looks up who owns each place of 2 KiB: many packets in one buffer make it slow.
    count = 10_000 if "--extbuf-shinfo=shared" in options else 20_000
    with cards(binary, f"{device},verify,size=64-1500,count={count},flows=16*2", tmp_path,
                  ["--forward-mode=extbuf", f"--extbuf-mode={mode}", NO_FAST_FREE, *options]) as session:
        session.ok("set fwd extbuf retry")
        forward_all(session, 2 * count)
        for stream in counters(session):
            assert stream["rx"] == stream["tx"] == count, stream
            if mode != "pinned":
                assert stream["copied"] + stream["attached"] == count, stream
            if mode in ("copy", "attach"):
                assert stream["copied" if mode == "copy" else "attached"] == count, stream
        nothing_out(session)
        session.quit()
        all_good(session.reports(), count)


@pytest.mark.rotates(4)
@pytest.mark.parametrize("kind", ["anon", "memfd", "hugepage", "heap"])
@pytest.mark.parametrize("mode, shinfo", [("attach", "private"), ("attach", "tail"), ("pinned", "private")])
@pytest.mark.parametrize("device", DEVICES[:2])
def test_memory(binary, tmp_path, device, kind, mode, shinfo):
    """Every type of memory carries packets of a driver, and is let go of afterwards."""
    with cards(binary, f"{device},verify,flows=16*2", tmp_path, [NO_FAST_FREE], mbufs=8192) as session:
        session.ok(f"extmem create app type {kind} size 32M", "set extbuf-memory app", f"set extbuf mode {mode}", f"set extbuf-shinfo {shinfo}",
                   "set fwd extbuf retry", PATIENT, "start")
        wait_until(lambda: session.count("TX-packets") > 20_000, "packets", 60)
        assert "memory app: " + ("ports receive into it: " if mode == "pinned" else 'forwarding uses it: use "stop" first') in session.cmd("extmem delete app") + session.stderr()
        assert memories(session)["app"]["buffers_out"] > 0
        session.cmd("stop")
        session.ok("set fwd io", "start", "stop", "port stop all")
        assert memories(session)["app"]["buffers_out"] == 0
        session.ok("extmem delete app")
        assert memories(session) == {}
        session.quit()
        assert session.rc == 0
        for report in session.reports():
            assert report["corrupted"] == report["duplicated"] == report["foreign"] == report["armed_twice"] == 0, report


@pytest.mark.rotates(3)
@pytest.mark.parametrize("mode, shinfo", [*((mode, shinfo) for mode in ("attach", "auto", "storage") for shinfo in ("private", "shared")), ("attach", "tail")])
def test_in_flight(binary, mode, shinfo):
    """Rings full of attached packets at stop: another engine forwards them, ports close, nothing is left behind."""
    with Session(binary, ["net_ring0", "net_ring1"], ["--extbuf-threshold=64", "--no-flush-rx"]) as session:
        session.ok(f"set extbuf mode {mode}", f"set extbuf-shinfo {shinfo}", "set fwd extbuf", "start tx_first 8")
        wait_until(lambda: sum(stream["tx"] for stream in counters(session)) > 1000, "packets")
        session.cmd("stop")
        name = "storage.1" if mode == "storage" else "extbuf.1"
        out = memories(session)[name]["buffers_out"]
        if mode != "auto":
            assert out > 0
        for engine in ("io", "macswap", "extbuf"):
            session.ok(f"set fwd {engine}", "start")
            wait_until(lambda: sum(stream["tx"] + stream["tx_dropped"] for stream in counters(session)) > 1000, "packets")
            session.cmd("stop")
        if memories(session)[name]["buffers_out"]:
            assert "of its buffers are still in the rings" in session.cmd(f"extmem delete {name}") + session.stderr()
        session.ok("set fwd rxonly", "start")
        wait_until(lambda: memories(session)[name]["buffers_out"] == 0, "all buffers back")
        session.cmd("stop")
        session.ok(f"extmem delete {name}")
        assert name not in memories(session)


@pytest.mark.parametrize("device", DEVICES[:2])
def test_port_close(binary, tmp_path, device):
    """Ports closed with attached packets in their rings: all buffers come back."""
    with cards(binary, f"{device}*2", tmp_path, [NO_FAST_FREE]) as session:
        session.ok("set extbuf mode attach", "set fwd extbuf", "start")
        wait_until(lambda: session.count("TX-packets") > 20_000, "packets", 60)
        session.cmd("stop")
        assert memories(session)["extbuf.1"]["buffers_out"] > 0
        session.ok("port stop all", "port close all")
        assert memories(session)["extbuf.1"]["buffers_out"] == 0
        session.ok("extmem delete extbuf.1")
        session.quit()
        assert session.rc == 0


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.rotates(4)
@pytest.mark.parametrize("how", ["attach", "copy"])
@pytest.mark.parametrize("shinfo", ["private", "shared"])
@pytest.mark.parametrize("device", DEVICES[:2])
def test_storage(binary, tmp_path, device, how, shinfo):
    """A file's bytes arrive whole at the other port, however often they are sent; the file and its copy stay as they were."""
    path = tmp_path / "movie"
    path.write_bytes(random.Random(SEED).randbytes(3_000_000))
    before = digest(path)
    with cards(binary, f"{device},rx=wire:1;{device},rx=wire:0", tmp_path, ["--tx-offloads=0x8000"], mbufs=16384) as session:
        session.ok(f"extmem create movie type file {path} size 0", "set extbuf-memory movie", "set extbuf mode storage",
                   f"set extbuf-storage {how}", f"set extbuf-shinfo {shinfo}", "set extbuf-split on", "set extbuf-verify on",
                   "set extbuf-slice 1400", "set fwd extbuf", "start")
        wait_until(lambda: sum(stream["verified"] for stream in counters(session)) > 20_000, "packets verified", 60)
        assert before == digest(path)
        path.write_bytes(b"short")
        more = sum(stream["verified"] for stream in counters(session))
        wait_until(lambda: sum(stream["verified"] for stream in counters(session)) > more + 10_000, "further packets", 60)
        session.cmd("stop")
        streams = counters(session)
        assert sum(stream["corrupt"] for stream in streams) == 0, streams
        nothing_out(session)
        session.ok("extmem delete movie")
        assert "movie" not in memories(session)
    assert path.read_bytes() == b"short"


def tcp_sum(packet):
    """The ones' complement sum of a TCP segment with its pseudo header: 0xffff if its checksum is right."""
    bytes_of = packet[26:34] + struct.pack("!HH", 6, len(packet) - 34) + packet[34:] + bytes(len(packet) % 2)
    total = sum(struct.unpack(f"!{len(bytes_of) // 2}H", bytes_of))
    return total % 0xFFFF or 0xFFFF


@pytest.mark.rotates(4)
@pytest.mark.parametrize("mtu", [1500, 1000])
@pytest.mark.parametrize("offloads", ["0x8000", "0x802a"], ids=["divided here", "tso"])
@pytest.mark.parametrize("device", DEVICES)
def test_storage_tcp(binary, tmp_path, device, offloads, mtu):
    """The wire has a file's bytes as TCP segments that fit the MTU, whoever divides the slices."""
    path, wire, payload = tmp_path / "movie", tmp_path / "wire.pcap", mtu - 40
    path.write_bytes(random.Random(SEED).randbytes(300_000))
    with cards(binary, f"{device},rx=none,tx=pcap:{wire};{device},rx=none", tmp_path,
                  [f"--tx-offloads={offloads}"]) as session:
        session.ok("port stop all", f"port config mtu 0 {mtu}", f"port config mtu 1 {mtu}", "port start all")
        session.ok(f"extmem create movie type file {path} size 0", "set extbuf-memory movie", "set extbuf mode storage", "set extbuf-split on",
                   "set extbuf-tcp on", "set extbuf-slice 65472", "set fwd extbuf retry", PATIENT)
        # A run in which each stream sends its part of the memory; short, since the wire's file grows by gigabytes per second.
        for ms in (5, 10, 20, 40, 80, 160):
            session.ok(f"start for {ms}ms")
            sent = [stream["attached"] for stream in counters(session)]
            if min(sent) >= (4 if offloads == "0x802a" else 200):
                break
        assert min(sent) >= (4 if offloads == "0x802a" else 200), sent
        assert as_json(session, "show extbuf", "streams")[0]["bytes"] == (65472 if offloads == "0x802a" else payload)
        nothing_out(session)
        session.quit()
        assert session.rc == 0
    content, lengths, seen = path.read_bytes(), set(), bytearray(300_000)
    for number, packet in enumerate(read_pcap(wire)):
        at, n = struct.unpack_from("!I", packet, 38)[0], struct.unpack_from("!H", packet, 16)[0] - 40
        assert len(packet) == 54 + n <= 14 + mtu
        assert packet[54:] == content[at:at + n], (number, at, n)
        if number < 300:
            assert tcp_sum(packet) == 0xFFFF, number
        lengths.add(n)
        seen[at:at + n] = b"x" * n
    # Two streams send half of the memory each, in whole slices.
    half = 150_000 // 65472 * 65472 if offloads == "0x802a" else 150_000 // payload * payload
    assert seen.count(b"x") == half
    assert lengths == ({payload, 65472 % payload} if offloads == "0x802a" else {payload})


def test_whose_memory(binary, tmp_path):
    """Memory that the engine makes for itself is never mine: not by a name I gave, small, large or read-only; nor can I give its names."""
    path = tmp_path / "large"
    path.write_bytes(bytes(8 << 20))
    runs = {"attach": "extbuf", "pinned": "pinned", "storage": "storage"}
    with Session(binary) as session:
        for mode, word in runs.items():
            for number, what in enumerate((f"file {path} size 0", "anon size 64K")):
                session.ok(f"extmem create {word}_{number + 1} type {what}")
            session.ok(f"extmem create {word} type anon size 64K")
        mine = memories(session)
        for mode in runs:
            session.ok(f"set extbuf mode {mode}", "set fwd extbuf", "start", "stop")
        session.ok("set fwd io", "start", "stop", "port stop all")
        now = memories(session)
        assert {name: now[name] for name in now if name in mine} == mine
        own = [name for name in now if name not in mine]
        assert len(own) == len(runs)
        for name in own:
            session.ok(f"extmem delete {name}")
            session.cmd(f"extmem create {name} type anon size 64K")
            assert f'name "{name}": expected' in session.stderr()


@pytest.mark.parametrize("lines, words", [
    (["extmem create a type anon size 5000"], ("size 5000", "4096")),
    (["extmem create a type tape size 4096"], ('"tape"', "heap, anon, hugepage, memfd, file or gpu")),
    (["extmem create a type anon size much"], ('"much"', "a size such as 65536, 64K, 2M or 1G")),
    (["extmem create a type file /none/such size 0"], ("/none/such", "No such file")),
    (["extmem create a type hugepage size 64G"], ("huge pages",)),
    (["extmem delete a"], ('no memory "a"',)),
    (["show extmem a"], ('no memory "a"',)),
    (["extmem attach a"], ("secondary process",)),
    (["set extbuf mode fast"], ('"fast"', "auto, copy, attach, pinned or storage")),
    (["show extbuf"], ("use \"set fwd extbuf\"",)),
    (["set extbuf-memory a", "set fwd extbuf", "start"], ('no memory "a"',)),
    (["set extbuf-buffer 100", "set fwd extbuf", "start"], ("extbuf-buffer 100", "multiple of 64")),
    (["set extbuf-buffer 3000000"], ("3000000", "2097152")),
    (["set extbuf-buffer 1600", "set extbuf-shinfo tail", "set fwd extbuf", "start"], ("extbuf-buffer 1600: expected at least 1664",)),
    (["set extbuf mode storage", "set extbuf-shinfo tail", "set fwd extbuf", "start"], ("extbuf-shinfo tail", "expected private or shared")),
    (["set extbuf mode storage", "set extbuf-tcp on", "set fwd extbuf", "start"], ("extbuf-tcp on", "needs extbuf-split on")),
    (["extmem create f type file /etc/passwd size 0", "set extbuf-memory f", "set extbuf mode pinned", "set fwd extbuf", "start"], ("read-only",)),
])
def test_bad_input(binary, lines, words):
    """One line that says what is wrong; then forwarding starts as if nothing had been."""
    with Session(binary) as session:
        session.ok(*lines[:-1])
        answer = session.cmd(lines[-1]) + session.stderr()
        assert all(word in answer for word in words), answer
        session.ok("set fwd io", "start", "stop")


@pytest.mark.parametrize("device", DEVICES[:2])
def test_fast_free_copies(binary, tmp_path, device):
    """i40e and mlx5 free fast by default, and attached buffers would never come back: each mode copies there, and one line says so."""
    with cards(binary, f"{device},flows=64*2", tmp_path) as session:
        session.ok("set fwd extbuf")
        for mode in ("auto", "attach", "storage"):
            before = len(session.stderr())
            session.ok(f"set extbuf mode {mode}")
            session.cmd("start")
            said = session.stderr()[before:]
            assert said.count("copies") == 1 and "mbuf_fast_free off" in said, said
            wait_until(lambda: sum(stream["copied"] for stream in counters(session)) > 0, "copies")
            assert sum(stream["attached"] for stream in counters(session)) == 0
            session.ok("stop")
        session.ok("port stop all", "port config all tx_offload mbuf_fast_free off", "port start all", "set extbuf mode attach", "start", "stop")
        assert session.stderr().count("copies") == 3


def test_virtio_user(binary, tmp_path):
    """Memory that EAL is told of would silence virtio_user: it is not told, such memory is refused as payload there, and the reverse."""
    path = tmp_path / "vhost"
    # All memory beforehand: where both ends are of one process, EAL's memory cannot grow while they talk.
    with Session(binary, [f"net_vhost0,iface={path}"], ["--no-flush-rx"], eal=["-m", "256"]) as session:
        session.ok("extmem create near type heap size 16M", "extmem create early type anon size 16M")
        answer = session.cmd(f"port attach net_virtio_user0,path={path}") + session.stderr()
        assert "memory early is registered with EAL" in answer, answer
        session.ok("extmem delete early")
        session.cmd(f"port attach net_virtio_user0,path={path}")
        session.cmd("port start 1")
        session.ok("extmem create app type anon size 16M")
        assert not memories(session)["app"]["registered"] and "virtio_user" in memories(session)["app"]["why"]
        session.ok("set extbuf-memory app", "set extbuf mode attach", "set fwd extbuf")
        assert "use type heap" in session.cmd("start") + session.stderr()
        session.ok("set extbuf-memory near", "start tx_first 4")
        wait_until(lambda: sum(stream["rx"] for stream in counters(session)) > 10_000, "packets through virtio", 60)
        session.cmd("stop")
        session.quit()
        assert session.rc == 0


@pytest.mark.rotates(3)
@pytest.mark.parametrize("mode", ["attach", "pinned", "storage"])
@pytest.mark.parametrize("device", DEVICES[:2])
def test_unregistered(binary, tmp_path, device, mode):
    """Beside virtio_user EAL is not told of memory, so cards have no mapping and no key of it: refused before start; heap is not."""
    with SilentBackend(tmp_path / "sock"), cards(binary, f"{device},flows=16*2", tmp_path, [NO_FAST_FREE]) as session:
        session.cmd(f"port attach net_virtio_user0,path={tmp_path}/sock")
        session.ok("set portlist 0,1", "extmem create app type anon size 32M", "extmem create near type heap size 32M", f"set extbuf mode {mode}",
                   "set fwd extbuf", "set extbuf-memory app")
        answer = session.cmd("start") + session.stderr()
        assert "cannot reach memory app, because it is not registered with EAL (net_virtio_user0" in answer and "use type heap" in answer, answer
        session.ok("set extbuf-memory near", "start")
        wait_until(lambda: session.count("TX-packets") > 10_000, "packets", 60)
        session.cmd("stop")
        session.ok("port stop 0", "port stop 1")
        assert [one["buffers_out"] for one in memories(session).values()] == [0, 0]
        session.quit()
        assert session.rc == 0


def started(session):
    """Ports that show port extbuf would not call stopped."""
    return [port for port in (0, 1) if "is stopped" not in session.cmd(f"show port {port} extbuf") + session.stderr()]


@pytest.mark.rotates(2)
@pytest.mark.parametrize("early", [True, False], ids=["option", "command"])
@pytest.mark.parametrize("device", DEVICES[:2])
def test_pinned_refused_by_driver(binary, tmp_path, device, early):
    """Buffers too small for the driver: one error, ports go on with their usual pools, and the next start forwards."""
    options = ["--forward-mode=extbuf", "--extbuf-mode=pinned", "--extbuf-buffer=256"]
    with cards(binary, f"{device},verify,flows=16*2", tmp_path, options if early else ()) as session:
        if not early:
            session.ok("set extbuf-buffer 256", "set extbuf mode pinned", "set fwd extbuf")
        answer = session.cmd("start") + session.stderr()
        assert "rx queues" in answer and "not started" in session.cmd("stop") + session.stderr(), answer
        assert started(session) == [0, 1]
        session.ok("set fwd io", "start")
        wait_until(lambda: session.count("TX-packets") > 10_000, "packets", 60)
        session.cmd("stop")
        session.ok("set fwd extbuf", "set extbuf-buffer 0", "start")
        wait_until(lambda: counters(session)[0]["tx"] > 10_000, "pinned packets", 60)
        session.cmd("stop")
        nothing_out(session)
        session.quit()
        assert session.rc == 0


@pytest.mark.parametrize("kind", ["anon", "xmem", "xmemhuge"])
def test_virtio_user_beside_pools(binary, tmp_path, kind):
    """Pools in memory that virtio_user cannot share: refused before it is there, and when it is."""
    with Session(binary, args=[f"--mp-alloc={kind}"]) as session:
        answer = session.cmd(f"port attach net_virtio_user0,path={tmp_path}/none") + session.stderr()
        assert f"--mp-alloc={kind}: net_virtio_user0" in answer and "use --mp-alloc=native or xbuf" in answer, answer
        session.ok("start", "stop")
    with SilentBackend(tmp_path / "sock"), pytest.raises(SessionError) as failure:
        Session(binary, [f"net_virtio_user0,path={tmp_path}/sock"], [f"--mp-alloc={kind}"])
    assert f"--mp-alloc={kind}: net_virtio_user0 shares only DPDK's own memory" in str(failure.value)
