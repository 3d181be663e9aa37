# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd tap: what passed a port of a running program is in the pipe, or counted as dropped, and nothing stays of a tap that ends."""
import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import time

import pcapng
import pytest
from limits import limit, until
from packets import diverse, read_pcap, write_pcap
from session import Session, wait_until
from stats import port_stats

pytestmark = pytest.mark.zcfwd
PACKETS = diverse()
FLOOD = ("net_null0", "net_null1")
SUMMARY = re.compile(r"Tap of port (\d+): (\d+) packets written, (\d+) filtered out, (\d+) dropped\n")


def environment(home):
    return {**os.environ, "XDG_RUNTIME_DIR": str(home)}


class Lab(Session):
    """A program with a shell and a control socket."""

    def __init__(self, binary, home, vdevs=FLOOD, args=(), **options):
        super().__init__(binary, vdevs, ["--control", "lab", *args], env={"XDG_RUNTIME_DIR": str(home)}, **options)
        self.folder = home / "zcfwd"

    def taps(self):
        self.cmd("set output json")
        taps = self.json_ok("show capture")["taps"]
        self.cmd("set output text")
        return taps

    def forward(self, n):
        """What net_pcap has, which is n packets for each port."""
        self.ok("start")
        for port in (0, 1):
            wait_until(lambda p=port: port_stats(self, p)["TX-packets"] == n, f"all packets sent by port {port}")
        self.ok("stop")

    def nothing_left(self):
        wait_until(lambda: not self.taps(), "the end of all taps")
        assert [path.name for path in self.folder.iterdir()] == ["lab.sock"]


class Tap:
    """A running `zcfwd tap`, which has begun. to: a file, or a pipe whose end the caller has."""

    def __init__(self, session, home, to, *words):
        before = len(session.taps())
        self.process = subprocess.Popen([str(session.binary), "tap", "lab", *map(str, words)], stdin=subprocess.DEVNULL, stdout=to, stderr=subprocess.PIPE,
                                        env=environment(home))
        for _ in until(lambda: len(session.taps()) > before, "a tap"):
            assert self.process.poll() is None, self.process.stderr.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=limit(40))

    def end(self, number=signal.SIGINT, status=0):
        """Its (written, filtered, dropped), by its last line."""
        if number:
            self.process.send_signal(number)
        text = self.errors(status)
        match = SUMMARY.fullmatch(text)
        assert match, text
        return tuple(map(int, match.groups()[1:]))

    def errors(self, status):
        text = self.process.communicate(timeout=limit(40))[1].decode()
        assert self.process.returncode == status, text
        return text


def lawful(stream, figures):
    """The counts at the end of a stream are those of its packets and of the last line."""
    written, filtered, dropped = figures
    assert len(stream.packets) == written == stream.counts["written"]
    assert stream.counts["dropped"] == dropped and stream.counts["accepted"] == written + dropped
    assert stream.counts["seen"] == written + dropped + filtered
    times = [p.time_ns for p in stream.packets]
    assert times == sorted(times) and stream.times[0] <= stream.times[1]
    assert not times or stream.times[0] <= times[0] <= times[-1] <= stream.times[1]
    return stream


def of(stream, direction):
    return [p.data for p in stream.packets if p.direction == direction]


@pytest.fixture
def replay(binary, tmp_path, home):
    write_pcap(tmp_path / "in", PACKETS)
    vdevs = [f"net_pcap{i},rx_pcap={tmp_path}/in,tx_pcap={tmp_path}/out{i}" for i in (0, 1)]
    with Lab(binary, home, vdevs, ["--no-flush-rx"]) as session:
        yield session


@pytest.fixture
def flood(binary, home):
    with Lab(binary, home, args=["--no-flush-rx"]) as session:
        yield session


def test_byte_for_byte(replay, tmp_path, home):
    """What port 0 received and sent, with direction, queue and time of day, and the counts at the end. tcpdump reads it."""
    begin = time.time()
    with open(tmp_path / "tap", "wb") as to, Tap(replay, home, to, 0) as tap:
        replay.ok("set fwd macswap")
        replay.forward(len(PACKETS))
        stream = lawful(pcapng.read((tmp_path / "tap").read_bytes() if (figures := tap.end()) else b""), figures)
    assert figures == (2 * len(PACKETS), 0, 0)
    assert of(stream, pcapng.INBOUND) == PACKETS and of(stream, pcapng.OUTBOUND) == read_pcap(tmp_path / "out0")
    assert [p.length for p in stream.packets] == [len(p.data) for p in stream.packets] and {p.queue for p in stream.packets} == {0}
    assert begin - 1 <= stream.packets[0].time_ns / 1e9 <= stream.packets[-1].time_ns / 1e9 <= time.time() + 1
    assert stream.program.startswith("zcfwd ") and (stream.name, stream.device, stream.filter, stream.snaplen) == ("port 0", "net_pcap0", "", 65535)
    done = subprocess.run(["tcpdump", "-n", "-r", str(tmp_path / "tap")], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "truncated" not in done.stderr and len(done.stdout.splitlines()) >= figures[0], done.stderr
    replay.nothing_left()


@pytest.mark.parametrize("ways", ["rx", "tx"])
def test_filter(replay, tmp_path, home, ways):
    """The filter keeps what tcpdump keeps, also one with characters that the shell has for itself; snaplen cuts."""
    expression = "udp and ip[8] > 4 or tcp port 80 or ether[13] | 1 = 7"
    with open(tmp_path / "tap", "wb") as to, Tap(replay, home, to, 1, ways, "snaplen", 61, "filter", *expression.split()) as tap:
        replay.forward(len(PACKETS))
        figures = tap.end()
    stream = lawful(pcapng.read((tmp_path / "tap").read_bytes()), figures)
    subprocess.run(["tcpdump", "-r", str(tmp_path / "in"), "-w", str(tmp_path / "oracle"), expression], check=True, capture_output=True, timeout=60)
    expected = read_pcap(tmp_path / "oracle")
    assert 0 < len(expected) < len(PACKETS) and (stream.filter, stream.snaplen) == (expression, 61)
    assert [(p.length, p.data) for p in stream.packets] == [(len(p), p[:61]) for p in expected]
    assert {p.direction for p in stream.packets} == {pcapng.INBOUND if ways == "rx" else pcapng.OUTBOUND}


def test_slow_reader(flood, home):
    """Forwarding goes on beside a reader that reads nothing. What the pipe did not take is counted, in the stream and in the last line."""
    reads, writes = os.pipe()
    with Tap(flood, home, writes, 0, "rx", "snaplen", 100) as tap, open(reads, "rb") as reader:
        os.close(writes)
        flood.ok("start")
        for _ in until(lambda: flood.taps()[0]["dropped"] > 1000, "dropped packets"):
            pass
        before = port_stats(flood, 0)["RX-packets"]
        wait_until(lambda: port_stats(flood, 0)["RX-packets"] > before, "packets beside the full pipe")
        flood.ok("stop")
        tap.process.send_signal(signal.SIGINT)
        stream = pcapng.read(reader.read())
        figures = tap.end(number=None)
    assert figures[2] > 1000
    lawful(stream, figures)
    flood.nothing_left()


def test_reader_goes(flood, home):
    """As with "| head": the tap ends with its reader, at once, even if no packet comes."""
    for line in ("show port summary all", "start"):
        reads, writes = os.pipe()
        with Tap(flood, home, writes, 0) as tap:
            os.close(writes)
            flood.ok(line)
            os.close(reads)
            tap.end(number=None)
    flood.ok("stop")
    flood.nothing_left()


def test_killed(flood, home):
    """A tap that is killed leaves neither a tap in the program nor a file."""
    for line in ("show port summary all", "start"):
        with Tap(flood, home, subprocess.DEVNULL, 0) as tap:
            flood.ok(line)
            tap.process.kill()
            tap.errors(-signal.SIGKILL)
        flood.nothing_left()
    flood.ok("stop")


def test_beside_a_command(flood, home, tmp_path):
    """A tap begins and ends while a command waits, which goes on."""
    flood.send("start for 1h\n")
    env = environment(home)
    argv = [str(flood.binary), "exec", "--json", "lab", "show capture"]

    def taps():
        return json.loads(subprocess.run(argv, env=env, capture_output=True, check=True, timeout=60).stdout)["taps"]
    with open(tmp_path / "tap", "wb") as to, subprocess.Popen([str(flood.binary), "tap", "lab", "0", "rx", "filter", "ip6"], stdout=to,
                                                               stderr=subprocess.PIPE, env=env, text=True) as tap:
        wait_until(lambda: [t["filtered"] for t in taps() if t["filtered"] > 0], "packets that the filter sees")
        tap.send_signal(signal.SIGTERM)
        assert SUMMARY.fullmatch(tap.communicate(timeout=limit(40))[1]) and tap.returncode == 0
    assert not taps()
    refused = subprocess.run([*argv[:-1], "set burst 8"], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert "start for 1h" in json.loads(refused.stdout)["error"]["message"], "it still runs"
    flood.signal(signal.SIGINT)
    flood.finish(ends=None)


def test_several(flood, home, tmp_path):
    """Two taps and a capture of one port: each has all that it wants, and ends alone."""
    with open(tmp_path / "a", "wb") as a, open(tmp_path / "b", "wb") as b, Tap(flood, home, a, 0, "rx") as one, Tap(flood, home, b, 0, "filter", "ip") as two:
        flood.ok(f"capture start 0 file {tmp_path}/c rx", "start for 1000packets")
        received = next(t["seen"] for t in flood.taps() if t["ways"] == "rx")
        flood.ok("capture stop 0")
        figures = one.end()
        lawful(pcapng.read((tmp_path / "a").read_bytes()), figures)
        assert sum(figures) == received and len(flood.taps()) == 1
        flood.ok("start for 1000packets")
        others = two.end()
        assert others[0] == others[2] == 0 and others[1] >= 2 * received
    assert len(read_pcap(tmp_path / "c")) + 0 > 0
    flood.nothing_left()


def test_port_goes(flood, home, tmp_path):
    """A tap sees queues that come later. It ends, complete, when its port is closed."""
    with open(tmp_path / "tap", "wb") as to, Tap(flood, home, to, 0, "rx") as tap:
        flood.ok("port stop all", "port config all rxq 2", "port config all txq 2", "port start all", "start for 1000packets", "port stop all")
        assert "Tap of port 0: " in flood.cmd("port close 0")
        stream = lawful(pcapng.read((tmp_path / "tap").read_bytes() if (figures := tap.end(number=None)) else b""), figures)
    assert {p.queue for p in stream.packets} == {0, 1}
    flood.nothing_left()


@pytest.mark.parametrize("stopped", [False, True])
def test_program_ends(binary, home, tmp_path, stopped):
    """With "quit" the stream is complete. A tap that stands still does not keep the program."""
    with Lab(binary, home, args=["--no-flush-rx"]) as session, open(tmp_path / "tap", "wb") as to, Tap(session, home, to, 0) as tap:
        if stopped:
            tap.process.send_signal(signal.SIGSTOP)
        session.ok("start for 100000packets")
        session.quit()
        tap.process.send_signal(signal.SIGCONT)
        assert "tap: the program has ended" in tap.errors(1)
    if not stopped:
        stream = pcapng.read((tmp_path / "tap").read_bytes())
        assert stream.counts["written"] == len(stream.packets) > 0


def test_program_dies(binary, home, tmp_path):
    """The tap tells that the counts are missing."""
    with Lab(binary, home) as session, open(tmp_path / "tap", "wb") as to, Tap(session, home, to, 0) as tap:
        session.signal(signal.SIGKILL)
        assert "tap: the program has ended" in tap.errors(1)
    assert [path.name for path in (home / "zcfwd").iterdir()] == ["lab.sock"]


def test_full_disk(flood, home, small_disk):
    disk = small_disk("512k")
    with open(disk / "tap", "wb") as to, Tap(flood, home, to, 0) as tap:
        flood.ok("start")
        text = tap.errors(1)
        assert text.endswith("zcfwd: tap: cannot write: No space left on device\n") and SUMMARY.match(text)
    flood.ok("stop")
    flood.nothing_left()


@pytest.mark.parametrize("words, answer", [
    ([], "tap: expected [NAME] PORT [rx|tx|both] [snaplen N] [filter EXPRESSION]"),
    (["lab"], "tap: expected [NAME] PORT"),
    (["lab", "0", "ingress"], 'tap: "ingress": expected [NAME] PORT [rx|tx|both]'),
    (["lab", "zero"], 'tap: "zero": expected a port\'s number'),
    (["lab", "7"], "Invalid port 7: expected 0 or 1"),
    (["lab", "0", "snaplen", "0"], 'tap: snaplen "0": expected 1..65535 bytes'),
    (["lab", "0", "snaplen", "65536"], 'tap: snaplen "65536": expected 1..65535 bytes'),
    (["lab", "0", "snaplen"], 'tap: snaplen "": expected 1..65535 bytes'),
    (["lab", "0", "filter"], "tap: expected an expression behind filter"),
    (["lab", "0", "filter", "udp", "prt", "53"], 'filter "udp prt 53": can\'t parse filter expression: syntax error'),
    (["lab", "0", "filter", 'udp" > /x "'], "can't parse filter expression"),
    (["lab", "0", "filter", "udp\nquit"], "tap: the filter has a line end"),
    (["lab", "0", "filter", "port 1 or " * 410 + "udp"], "tap: the filter is too long"),
    (["other", "0"], "other.sock: No such file or directory"),
    (["0"], ""),
])
def test_refused(flood, home, words, answer):
    """One line tells what is wrong, nothing is left; without a name the only program is meant."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run([str(flood.binary), "tap", *words], env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                              timeout=1 if not answer else limit(60))
        assert answer and done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1 and answer in done.stderr, done.stderr
    flood.nothing_left()


def test_terminal(flood, home):
    """Packets are no text."""
    _, terminal = pty.openpty()
    done = subprocess.run([str(flood.binary), "tap", "0"], env=environment(home), stdout=terminal, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 1 and 'use "| tcpdump -r -" or "> FILE"' in done.stderr


def test_commands(flood, tmp_path):
    """The commands below it take a FIFO with a reader and nothing else; a file stays as it is."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "file").write_text("kept", encoding="ascii")
    for path, answer in {"fifo": "the pipe has no reader", "file": "expected a FIFO", "none": "No such file or directory"}.items():
        before = len(flood.stderr())
        flood.cmd(f"tap start 0 pipe {tmp_path}/{path}")
        assert answer in flood.stderr()[before:]
    assert (tmp_path / "file").read_text(encoding="ascii") == "kept" and not (tmp_path / "none").exists()
    flood.cmd(f"tap stop {tmp_path}/fifo")
    assert f"no tap writes to {tmp_path}/fifo" in flood.stderr()
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    flood.ok(f"tap start 0 pipe {tmp_path}/fifo")
    before = len(flood.stderr())
    flood.cmd(f"tap start 1 pipe {tmp_path}/fifo")
    assert f"cannot write {tmp_path}/fifo: another tap writes to it" in flood.stderr()[before:]
    os.close(reader)
    flood.ok("set burst 16", "tap check udp", f"save config {tmp_path}/saved", "port stop 0", "port close 0")
    saved = (tmp_path / "saved").read_text(encoding="utf-8")
    assert "burst 16" in saved and "tap " not in saved, "it is no configuration"
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    before = len(flood.stderr())
    flood.cmd(f"tap start 0 pipe {tmp_path}/fifo")
    assert "port 0" in flood.stderr()[before:]
    os.close(reader)
