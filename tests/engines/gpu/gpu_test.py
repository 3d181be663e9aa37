# SPDX-License-Identifier: BSD-3-Clause
"""The engine gpu over a stand-in for NVIDIA's driver, which runs the kernel's own source: results, memory, faults; nothing is left behind.

The stand-in's addresses are not the host's, it refuses what is not registered, and counts what nobody gave back: tests/fixtures/cuda/fake_cuda.c.
"""
import signal
import subprocess
import sys

import pytest
from conftest import ROOT

from every_engine import FAKE
from modelled import PATIENT, Modelled
from packets import HEADERS, diverse, read_pcap, sized, write_pcap
from session import Session, wait_until

NOTHING_LEFT = {name: 0 for name in ("registered", "host", "device", "contexts", "modules", "streams", "windows")}
PACKETS = diverse() * 4
MODES = {"in-place": (), "copy": ("set gpu mode copy",), "copies of batches": ("set gpu mode copy", "set gpu copy-bursts 0")}


class Gpu:
    """The stand-in for the sessions of a test: faults(), and report() of the last that ended by itself."""

    def __init__(self, monkeypatch, tmp_path):
        self.setenv = monkeypatch.setenv
        self.path = tmp_path / "cuda"
        self.setenv("LD_LIBRARY_PATH", str(FAKE))
        self.setenv("FAKE_CUDA_REPORT", str(self.path))

    def faults(self, words):
        self.setenv("FAKE_CUDA", words)

    def report(self):
        return {name: int(value) for name, value in (line.split("=") for line in self.path.read_text(encoding="ascii").splitlines())}

    def check(self):
        """Nothing is left of what there was, if the library was opened at all."""
        report = self.report() if self.path.exists() else NOTHING_LEFT
        assert {name: report[name] for name in NOTHING_LEFT} == NOTHING_LEFT, report
        return report


@pytest.fixture
def gpu(monkeypatch, tmp_path):
    return Gpu(monkeypatch, tmp_path)


def as_json(session, line, key):
    session.cmd("set output json")
    found = session.json_ok(line)[key]
    session.cmd("set output text")
    return found


def counters(session):
    return as_json(session, "show fwd counters", "streams")


def shown(session):
    return as_json(session, "show gpu", "streams")


def said(session, line):
    """What a command says on stderr, in one line."""
    before = len(session.stderr())
    answer = session.cmd(line)
    text = session.stderr()[before:] or answer
    assert text.count("\n") <= 1, text
    return text


def all_read(stream):
    assert stream["rx"] == stream["results"] == stream["tx"] + stream["tx_dropped"] + stream["absorbed"], stream
    assert stream["wrong"] == stream["unread"] == stream["skipped"] == 0, stream


def replay(binary, tmp_path, packets, lines, args=()):
    """Packets through port 0 and 1; the session's counters and `show gpu` of both streams, and what came out."""
    devices = []
    for i in (0, 1):
        write_pcap(tmp_path / f"in{i}", packets)
        devices.append(f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}")
    with Session(binary, devices, ["--no-flush-rx", *args]) as session:
        session.ok("set fwd gpu", "set gpu verify on", *lines, "start")
        wait_until(lambda: all(stream["tx"] == len(packets) for stream in counters(session)), "all packets sent")
        session.cmd("stop")
        streams, words = counters(session), shown(session)
        session.quit()
        assert session.rc == 0
    return streams, words, [read_pcap(tmp_path / f"out{i}") for i in (0, 1)]


@pytest.mark.parametrize("batch", [pytest.param(1, marks=pytest.mark.extended), 256, pytest.param(8192, marks=pytest.mark.extended)])
@pytest.mark.parametrize("mode", MODES)
def test_results(binary, gpu, tmp_path, mode, batch):
    """Sum and hash of every kind of packet are what the CPU makes; packets leave as they came, in their order."""
    streams, words, out = replay(binary, tmp_path, PACKETS, [*MODES[mode], f"set gpu batch {batch}"])
    for stream, word in zip(streams, words):
        all_read(stream)
        assert stream["verified"] == len(PACKETS), stream
        assert word["buckets_wrong"] == 0 < word["buckets"] <= len(HEADERS) * 2, word
        assert word["device"] == "stand-in 0" and "failure" not in word, word
        assert word["p99_us"] >= word["p50_us"] > 0 and word["bytes"] == sum(map(len, PACKETS)), word
    assert out[0] == out[1] == PACKETS
    report = gpu.check()
    assert report["packets"] == 2 * len(PACKETS)
    assert (report["copies"] > 0) == (mode != "in-place")
    if mode == "copies of batches":
        assert report["copies"] == report["kernels"] - 2  # each stream tried one for no packets


def test_wrong_result(binary, gpu, tmp_path):
    """What makes the tests above tests: a result that is not the CPU's is counted."""
    gpu.faults("wrong=100")
    streams, _, _ = replay(binary, tmp_path, PACKETS, [])
    assert sorted(stream["wrong"] for stream in streams) == [0, 1]
    assert sum(stream["verified"] for stream in streams) == 2 * len(PACKETS) - 1


@pytest.mark.extended
@pytest.mark.parametrize("mode", ["in-place", "copy"])
def test_segments(binary, gpu, tmp_path, mode):
    """A packet of several segments is read as a copy; in place it goes its way unread, and is counted."""
    large = [sized(HEADERS["ipv4 udp"], 9000, n) for n in range(100)]
    streams, _, out = replay(binary, tmp_path, [*PACKETS[:50], *large], MODES[mode], ["--max-pkt-len=9018", "--mbuf-size=9344" if mode == "copy" else "--mbuf-size=2176"])
    for stream in streams:
        assert (stream["results"], stream["skipped"]) == ((150, 0) if mode == "copy" else (50, 100)), stream
        assert stream["wrong"] == 0, stream
    assert out[0] == out[1] == [*PACKETS[:50], *large]
    gpu.check()


@pytest.mark.extended
@pytest.mark.parametrize("device", ["xl710", "82599"])
def test_modelled(binary, gpu, tmp_path, device):
    """Real drivers receive into memory that the GPU reads; the card finds every packet whole when it leaves."""
    count = 20000
    with Modelled(binary, f"{device},verify,size=64-1500,count={count},flows=16*2", tmp_path, ["--forward-mode=gpu", "--gpu-verify"]) as session:
        session.ok("set fwd gpu retry", PATIENT, "start")
        wait_until(lambda: all(stream["tx"] >= count for stream in counters(session)), "packets sent", 90)
        session.cmd("stop")
        for stream in counters(session):
            all_read(stream)
            assert stream["verified"] == count, stream
        assert all(word["buckets_wrong"] == 0 for word in shown(session))
        session.quit()
        for report in session.reports():
            assert report["ok"] == count, report
    gpu.check()


def test_ring(binary, gpu):
    """net_ring hands over the sender's mbufs: those that a port before it received into the GPU's memory are read there once more, others go by unread."""
    with Session(binary, ["net_null0,size=300,copy=1", "net_ring0"], ["--no-flush-rx"]) as session:
        session.ok("set fwd gpu", "set gpu verify on", "start")
        wait_until(lambda: all(stream["results"] > 5000 for stream in counters(session)), "results")
        session.cmd("stop")
        for stream in counters(session):
            all_read(stream)
        session.ok("set portlist 1", "set fwd txonly", "start")
        # The ring may still be full of packets of the run before.
        wait_until(lambda: counters(session)[0]["tx"] + counters(session)[0]["tx_dropped"] > 100, "packets in the ring")
        session.cmd("stop")
        session.ok("set fwd gpu", "start")
        wait_until(lambda: counters(session)[0]["skipped"] > 100, "packets of others")
        session.cmd("stop")
        assert counters(session)[0]["wrong"] == counters(session)[0]["unread"] == 0
        # A packet left in the ring would keep its memory, and the GPU's, until the end of the process.
        session.ok("set fwd rxonly", "start")
        wait_until(lambda: all(one["buffers_out"] == 0 for one in as_json(session, "show extmem", "extmem")), "an empty ring")
        session.cmd("stop")
        session.quit()
        assert session.rc == 0
    gpu.check()


@pytest.mark.extended
@pytest.mark.parametrize("where", ["", "memory device "], ids=["host", "device"])
def test_memory(binary, gpu, tmp_path, where):
    """Memory made beforehand, of the host or of the device itself; deleted when nobody receives into it any more."""
    create = f"extmem create m type gpu 0 {where}size 32M"
    streams, words, out = replay(binary, tmp_path, PACKETS, [create, "set gpu memory m"])
    for stream, word in zip(streams, words):
        all_read(stream)
        assert stream["verified"] == len(PACKETS) and word["memory"] == "m", (stream, word)
    assert out[0] == PACKETS
    gpu.check()
    with Session(binary) as session:
        session.ok(create)
        one = as_json(session, "show extmem m", "extmem")[0]
        assert one["gpu"] == "stand-in 0" and one["on_device"] == bool(where) and one["gpu_address"] >= 1 << 62, one
        session.ok("set fwd gpu", "set gpu memory m", "start")
        assert "ports receive into it" in said(session, "extmem delete m")
        session.cmd("stop")
        assert "ports receive into it" in said(session, "extmem delete m")
        session.ok("set fwd io", "start", "stop", "extmem delete m")
        assert as_json(session, "show extmem", "extmem") == []
        session.quit()
    gpu.check()


@pytest.mark.parametrize("faults, words", [
    ("devices=0", "CUDA_ERROR_NO_DEVICE"),
    ("version=10020", "supports CUDA 10.2: expected 11.0 or newer"),
    ("oom=1", "CUDA_ERROR_OUT_OF_MEMORY"),
])
@pytest.mark.parametrize("where", ["", "memory device "], ids=["host", "device"])
def test_memory_refused(binary, gpu, faults, words, where):
    """One line, nothing changed, nothing left; and again when it is well."""
    gpu.faults(faults)
    with Session(binary) as session:
        text = said(session, f"extmem create m type gpu 0 {where}size 1M")
        assert words in text and text.startswith("memory m: "), text
        assert as_json(session, "show extmem", "extmem") == []
        assert "expected 0..0" in said(session, f"extmem create m type gpu 9 {where}size 1M") or "devices" in faults or "version" in faults
        session.ok("set fwd io", "start", "stop")
        session.quit()
    gpu.check()


@pytest.mark.extended
@pytest.mark.parametrize("how, words", [("closed", "load the kernel module gdrdrv"), ("full", "gdr_pin_buffer: 1048576 bytes: Cannot allocate memory")])
def test_no_window(binary, gpu, how, words):
    """Device memory that the CPU cannot write is refused with the reason."""
    gpu.setenv("FAKE_GDR", how)
    with Session(binary) as session:
        assert words in said(session, "extmem create m type gpu 0 memory device size 1M")
        session.quit()
    gpu.check()


def test_no_library(binary, tmp_path, monkeypatch, gpu):
    """No driver, no GDRCopy, a driver that lacks a function: each by its name."""
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "libcuda.so.1").symlink_to(FAKE / "libcuda.so.1")
    for path, line, words in ((tmp_path, "size 1M", "libcuda.so.1: cannot open shared object file"),
                              (FAKE / "old", "size 1M", "libcuda.so.1 has no cuLaunchKernel: use a newer CUDA driver"),
                              (alone, "memory device size 1M", "libgdrapi.so.2: cannot open shared object file")):
        monkeypatch.setenv("LD_LIBRARY_PATH", str(path))
        with Session(binary) as session:
            assert words in said(session, f"extmem create m type gpu 0 {line}")
            assert as_json(session, "show extmem", "extmem") == []
            if "memory" not in line:
                session.ok("set fwd gpu")
                assert words in said(session, "start")
                session.ok("set gpu mode copy")
                assert words in said(session, "start")
            session.ok("set fwd io", "start", "stop")
            session.quit()
            assert session.rc == 0


@pytest.mark.extended
@pytest.mark.parametrize("mode", ["in-place", "copy"])
def test_start_refused(binary, gpu, mode):
    """Memory that runs out at any call, a kernel that the driver does not take: one line each, and nothing is left of the try."""
    calls = {"in-place": 5, "copy": 6}[mode]  # that take memory in a start of two streams
    words = {"oom": "CUDA_ERROR_OUT_OF_MEMORY", "jit": "CUDA_ERROR_INVALID_PTX", "lost": "CUDA_ERROR_LAUNCH_FAILED", "fault": "CUDA_ERROR_ILLEGAL_ADDRESS"}
    for faults in [*(f"oom={n}" for n in range(1, calls + 1)), "jit", "lost=2", "fault=1", "fault=2"]:
        gpu.faults(faults)
        with Session(binary) as session:
            session.ok("set fwd gpu", *MODES[mode])
            text = said(session, "start")
            assert words[faults.split("=")[0]] in text, (faults, text)
            assert faults != "jit" or "the stand-in wants none" in text, text
            session.ok("set fwd io", "start", "stop")
            session.quit()
            assert session.rc == 0
        if "lost" not in faults and "fault" not in faults:  # then the device has no more to give back
            gpu.check()
    gpu.faults(f"oom={calls + 1}")
    with Session(binary) as session:
        session.ok("set fwd gpu", *MODES[mode], "start", "stop")


@pytest.mark.parametrize("mode", ["in-place", "copy"])
@pytest.mark.parametrize("faults, words", [
    ("lost=20", "CUDA_ERROR_LAUNCH_FAILED"),
    ("fault=20", "CUDA_ERROR_ILLEGAL_ADDRESS"),
    ("hang=20", "kernel did not finish within gpu-timeout"),
])
def test_lost(binary, gpu, faults, words, mode):
    """A GPU that is lost, a kernel that faults or never ends: packets go on without results, one line per stream says why, all ends well."""
    gpu.faults(faults)
    with Session(binary, args=["--gpu-timeout=200", "--gpu-batch=64"]) as session:
        session.ok("set fwd gpu", *MODES[mode], "start")
        wait_until(lambda: all(stream["unread"] > 10000 and stream["tx"] > 10000 for stream in counters(session)), "packets without results")
        before = len(session.stderr())
        session.cmd("stop")
        text = session.stderr()[before:]
        assert text.count("stopped giving results") == text.count(words) == 2 == text.count("\n"), text
        for stream in counters(session):
            assert stream["rx"] == stream["results"] + stream["unread"] + stream["skipped"] == stream["tx"] + stream["tx_dropped"] + stream["absorbed"], stream
        assert all(words in word["failure"] for word in shown(session))
        if "hang" not in faults or mode == "in-place":
            assert ("is hung" if "hang" in faults else words) in said(session, "start")
        session.ok("set fwd io", "start", "stop")
        assert sum(pool["in_use"] for pool in as_json(session, "show pool", "pools")) == 0
        session.quit()
        assert session.rc == 0


@pytest.mark.extended
def test_stuck_memory(binary, gpu):
    """Memory that a kernel may read still stays until the end of the program, which is not held up."""
    gpu.faults("hang=3")
    with Session(binary, args=["--gpu-timeout=100"]) as session:
        session.ok("extmem create m type gpu 0 size 32M", "set gpu memory m", "set fwd gpu", "start")
        wait_until(lambda: all(stream["unread"] > 0 for stream in counters(session)), "packets without results")
        session.cmd("stop")
        session.ok("set fwd io", "start", "stop")
        assert "did not finish and may still read it" in said(session, "extmem delete m")
        session.quit()
        assert session.rc == 0


@pytest.mark.extended
def test_start_hangs(binary, gpu):
    """A kernel that does not end when it is tried: the start is refused in time, the rest goes on."""
    gpu.faults("hang=1")
    with Session(binary, args=["--gpu-timeout=100"]) as session:
        session.ok("set fwd gpu")
        assert "did not finish within gpu-timeout" in said(session, "start")
        session.ok("set fwd io", "start", "stop")
        session.quit()
        assert session.rc == 0


@pytest.mark.extended
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_killed(binary, gpu, number):
    """While kernels run: SIGTERM gives all back; after SIGKILL nobody waits for anything."""
    gpu.faults("slow=2000")
    with Session(binary) as session:
        session.ok("set fwd gpu", "start")
        wait_until(lambda: any(stream["results"] > 0 for stream in counters(session)), "results")
        session.signal(number)
        session.finish(30)
    if number == signal.SIGTERM:
        assert gpu.check()["kernels"] > 0


@pytest.mark.extended
def test_partial_batches(binary, gpu, tmp_path):
    """A batch that does not fill goes to the GPU in time, by itself."""
    packets = PACKETS[:100]
    streams, words, _ = replay(binary, tmp_path, packets, ["set gpu batch 4096", "set gpu flush 50"])
    assert all(stream["held_at_stop"] == 0 for stream in streams), streams
    assert all(word["partial"] >= 1 for word in words), words


@pytest.mark.extended
def test_two_lcores(binary, gpu):
    """Each lcore has its own batches; the device's calls are those of the thread that makes them."""
    with Session(binary, lcores="(0-2)@(0-1)", args=["--nb-cores=2"]) as session:
        session.ok("set fwd gpu", "set gpu verify on", "start")
        wait_until(lambda: all(stream["results"] > 2000 for stream in counters(session)), "results")
        session.cmd("stop")
        streams = counters(session)
        assert len({stream["lcore"] for stream in streams}) == 2, streams
        for stream in streams:
            all_read(stream)
        session.quit()
    gpu.check()


@pytest.mark.parametrize("lines, words", [
    (["set gpu batch 0"], ("0", "1..8192")),
    (["set gpu batch 9000"], ("9000", "1..8192")),
    (["set gpu mode fast"], ('"fast"', "in-place or copy")),
    (["set gpu in-flight 1"], ("1", "2..16")),
    (["show gpu"], ("use \"set fwd gpu\"",)),
    (["set gpu memory a", "set fwd gpu", "start"], ('no memory "a"',)),
    (["extmem create a type anon size 32M", "set gpu memory a", "set fwd gpu", "start"], ("which is not in GPU memory", "gpu-mode copy")),
    (["extmem create a type gpu 0 size 1M", "set gpu memory a", "set fwd gpu", "start"], ("memory a: 1048576 bytes give",)),
    (["set gpu buffer 100", "set fwd gpu", "start"], ("gpu-buffer 100", "expected 192..65472")),
    (["set gpu id 3", "set fwd gpu", "start"], ("gpu 3: expected 0..0",)),
    (["extmem create a type gpu 0 memory device size 5000"], ("size 5000", "4096")),
    (["extmem create a type gpu 0 memory host size 4096"], ('"host"', "device")),
])
def test_bad_input(binary, gpu, lines, words):
    """One line that says what is wrong; then forwarding starts as if nothing had been."""
    with Session(binary) as session:
        session.ok(*lines[:-1])
        text = said(session, lines[-1])
        assert all(word in text for word in words), text
        session.ok("set fwd io", "start", "stop")
        session.quit()
    gpu.check()


def test_kernel_is_made_of_its_source():
    """The PTX in the program is what clang makes of the kernel's source; skipped where clang lacks or is another."""
    done = subprocess.run([sys.executable, ROOT / "devtools/gpu-kernel", "--check"], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
