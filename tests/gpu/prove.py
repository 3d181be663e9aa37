#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a machine with a GPU and several CPUs can show: results and faults of the engine gpu, in place against copies, more lcores, and `make bench` without a tree.

run-gpu [FOLDER] [--parts machine,checks,bench,lcores,testpmd,drivers,rings] [--minutes N] [--quick] [--standin]

FOLDER (default $OUT, or .) gets report.md and a CSV file for each part. Without a GPU the report says why, and only the parts that need none run. --standin
replaces NVIDIA's driver by a stand-in; the GPU's figures then mean nothing. The status is 1 if a check failed.
"""
import argparse
import csv
import json
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import time

import bench
import frames
from program import CPUS, HERE, Program, Refused, said

PARTS = ("machine", "checks", "bench", "lcores", "testpmd", "drivers", "rings")
# Of `make bench`: what needs no other process and no network.
CASES = {"testpmd": "^(null|null-copy|ring|bursts|records)/", "drivers": "^(xl710|82599)/.*/(io|mac|bucket)/",
         "rings": "^pipeline/(published|two-nic|processes-nic)/"}
QUICK_CASES = {"testpmd": "^null/io$", "drivers": "^xl710/256bit/.*/fast-free/io/hot$", "rings": "^pipeline/published/xl710/256bit/none$"}
MODES = {"in-place": ["set gpu mode in-place"], "copy": ["set gpu mode copy"]}
FREE_BYTES = """
import ctypes
c = ctypes.CDLL("libcuda.so.1")
context, left, total, device = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_int()
assert c.cuInit(0) == 0 and c.cuDeviceGet(ctypes.byref(device), 0) == 0
assert c.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0 and c.cuCtxPushCurrent_v2(context) == 0
assert c.cuMemGetInfo_v2(ctypes.byref(left), ctypes.byref(total)) == 0
print(left.value)
"""


class Checks:
    """Rows of name, verdict and words. Verdicts: "ok", "refused" (no failure; the words have the reason) and "FAILED"."""

    def __init__(self):
        self.rows = []

    def add(self, name, verdict, words=""):
        self.rows.append((name, verdict, words))
        print(f"  {verdict:8}{name}{': ' + words if words else ''}", flush=True)

    def check(self, name, function, *args):
        try:
            self.add(name, "ok", function(*args) or "")
        except (Refused, AssertionError, OSError, subprocess.SubprocessError) as failure:
            self.add(name, "FAILED", str(failure) or type(failure).__name__)

    @property
    def failed(self):
        return [row for row in self.rows if row[1] == "FAILED"]


def output(*argv):
    """What a tool prints, or why it cannot run."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
        return (done.stdout or done.stderr).strip()
    except (OSError, subprocess.SubprocessError) as failure:
        return str(failure)


def machine():
    """Name and value of what figures depend on."""
    cpu = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines())}
    yield "processor", f"{cpu.get('model name')} family {cpu.get('cpu family')} model {cpu.get('model')}, {len(CPUS)} CPUs"
    yield "commit", json.loads((HERE / "origin.json").read_text(encoding="utf-8"))["commit"]
    yield "kernel", platform.release()
    yield "libc", " ".join(platform.libc_ver())
    yield "program", output(str(HERE / "zcfwd"), "--version").splitlines()[-1] if (HERE / "zcfwd").exists() else "?"
    yield "nvidia-smi", output("nvidia-smi", "--query-gpu=name,driver_version,pci.bus_id,pcie.link.gen.current,pcie.link.width.current,memory.total", "--format=csv,noheader")


def why_no_gpu():
    """None with a GPU; else the program's words."""
    with Program(["net_null0"]) as p:
        answer = p.ask("extmem create probe type gpu 0 size 2M")
        return None if answer["ok"] else said(answer)


def why_no_device_memory():
    with Program(["net_null0"]) as p:
        answer = p.ask("extmem create probe type gpu 0 memory device size 2M")
        return None if answer["ok"] else said(answer)


def streams_right(answer):
    for stream in answer["streams"]:
        counts = stream.get("counters", stream)
        assert counts["wrong"] == counts["unread"] == counts["skipped"] == 0, f"{counts}"
        assert counts["verified"] == counts["results"] == stream["rx"] > 0, f"{counts} of {stream['rx']}"
    return sum(stream["rx"] for stream in answer["streams"])


def histograms_right(p):
    for stream in p.do("show gpu")["streams"]:
        assert stream["buckets_wrong"] == 0, f"{stream}"


def results_of_file(folder, mode, memory, batch):
    """Frames of every kind, once: sum, hash and histogram as the CPU has them."""
    path = folder / "in.pcap"
    frames.write(path, 5000)
    with Program([f"net_pcap0,rx_pcap={path},tx_pcap=/dev/null"], ["--port-topology=loop", "--total-num-mbufs=16384"], env={}) as p:
        p.do(*memory, *MODES[mode], "set gpu verify on", f"set gpu batch {batch}", "set fwd gpu", "start")
        p.until("show fwd counters", lambda answer: answer["streams"][0]["tx"] >= 5000)
        p.do("stop")
        n = streams_right(p.do("show fwd counters"))
        histograms_right(p)
        assert p.quit() == 0
    return f"{n} packets"


def results_of_null(mode, size, batch, workers):
    with Program([f"net_null{i},size={size},copy=1" for i in range(workers)],
                 ["--port-topology=loop", f"--nb-cores={workers}", "--mbuf-size=9344", f"--total-num-mbufs={8192 * workers}"], workers=workers,
                 mib=1024 * workers) as p:
        p.do("set gpu verify on", *MODES[mode], f"set gpu batch {batch}", "set fwd gpu")
        n = streams_right(p.do("start for 200ms"))
        histograms_right(p)
        assert p.quit() == 0
    return f"{n} packets"


def results_of_model(device):
    """The drivers' own receive functions write into memory that the GPU reads. The model verifies the packets that it gets back."""
    with Program(args=["--model", f"{device},verify,size=64-1500,count=20000,flows=64*2", "--forward-mode=gpu", "--gpu-verify", "--total-num-mbufs=32768"], mib=1024,
                 eal=["--log-level=pmd.net.i40e:error", "--log-level=pmd.net.ixgbe:error"]) as p:
        p.do("set fwd gpu retry", "set burst tx delay 100 retry 60000", "start")
        p.until("show fwd counters", lambda answer: all(one["tx"] >= 20000 for one in answer["streams"]), 60)
        p.do("stop")
        n = streams_right(p.do("show fwd counters"))
        assert p.quit() == 0
    return f"{n} packets"


def too_much():
    """More memory than any GPU has: one line, and the next attempt succeeds."""
    with Program(["net_null0"]) as p:
        answer = p.ask("extmem create big type gpu 0 memory device size 4096G")
        assert not answer["ok"] and "OUT_OF_MEMORY" in said(answer), said(answer)
        p.do("extmem create small type gpu 0 size 2M", "extmem delete small")
        assert p.quit() == 0
        return said(answer)


def another_version():
    """A driver that lacks a function."""
    with Program(["net_null0"], env={"LD_LIBRARY_PATH": str(HERE / "standin/old")}) as p:
        answer = p.ask("extmem create x type gpu 0 size 2M")
        assert not answer["ok"] and "cuLaunchKernel" in said(answer), said(answer)
        assert p.quit() == 0
        return said(answer)


def faults(mode, words):
    """A kernel that faults, or that never reports its end: packets are still forwarded, one line says why, and the program ends."""
    with Program(["net_null0,size=512,copy=1"], ["--port-topology=loop", "--gpu-timeout=500", "--gpu-batch=64"],
                 env={"LD_PRELOAD": str(HERE / "cuda_faults.so"), "CUDA_FAULTS": words}) as p:
        p.do(*MODES[mode], "set fwd gpu", "start")
        p.until("show fwd counters", lambda answer: answer["streams"][0]["unread"] > 10000)
        p.do("stop")
        failure = p.do("show gpu")["streams"][0]["failure"]
        p.do("set fwd io", "start", "stop")
        assert p.quit() == 0
        return failure


def delete_while_running():
    with Program(["net_null0,size=512"], ["--port-topology=loop"]) as p:
        p.do("extmem create m type gpu 0 size 64M", "set gpu memory m", "set fwd gpu", "start")
        p.until("show fwd counters", lambda answer: answer["streams"][0]["results"] > 1000)
        answer = p.ask("extmem delete m")
        assert not answer["ok"] and "receive into it" in said(answer), said(answer)
        p.do("stop", "set fwd io", "start", "stop", "extmem delete m")
        assert p.quit() == 0
        return said(answer)


def free_bytes():
    return int(subprocess.run([sys.executable, "-c", FREE_BYTES], check=True, capture_output=True, text=True, timeout=60).stdout)


def killed(number):
    """While kernels run: the program is gone in time, and the GPU has as much memory free as before."""
    before = free_bytes()
    with Program(["net_null0,size=1500"], ["--port-topology=loop", "--gpu-batch=1024", "--total-num-mbufs=16384"]) as p:
        p.do("set gpu mode copy", "set fwd gpu", "start")
        p.until("show fwd counters", lambda answer: answer["streams"][0]["results"] > 1000)
        during = free_bytes()
        p.signal(number)
        p.ended(30)
    end = time.monotonic() + 15
    while (after := free_bytes()) < before - (1 << 20) and time.monotonic() < end:
        time.sleep(0.2)
    assert after >= before - (1 << 20), f"{before} bytes free before, {after} after"
    return f"{before - during} bytes in use while it ran, {before - after} after"


def gpu_checks(checks, folder):
    device = why_no_device_memory()
    memories = {"of its own": [], "registered": ["extmem create m type gpu 0 size 128M", "set gpu memory m"]}
    if device is None:
        memories["of the device"] = ["extmem create m type gpu 0 memory device size 64M", "set gpu memory m"]
        checks.add("memory of the device", "ok")
    else:
        checks.add("memory of the device", "refused", device)
    for name, lines in memories.items():
        for batch in (1, 256, 4096):
            checks.check(f"results, frames of all kinds, memory {name}, batch {batch}", results_of_file, folder, "in-place", lines, batch)
    checks.check("results, frames of all kinds, copied", results_of_file, folder, "copy", [], 256)
    for size in (64, 1500, 9000):
        for mode in MODES:
            checks.check(f"results, {size} bytes, {mode}", results_of_null, mode, size, 512, 1)
    workers = min(4, max(1, len(CPUS) - 1))
    checks.check(f"results, {workers} lcores", results_of_null, "in-place", 512, 256, workers)
    for model in ("xl710", "82599"):
        checks.check(f"results, modelled {model}", results_of_model, model)
    checks.check("out of memory", too_much)
    checks.check("delete while kernels run", delete_while_running)
    for mode in MODES:
        checks.check(f"a kernel that faults, {mode}", faults, mode, "fault=20")
        checks.check(f"a kernel that never ends, {mode}", faults, mode, "mute=20")
    for number in (signal.SIGTERM, signal.SIGKILL):
        checks.check(f"{signal.Signals(number).name} while kernels run", killed, number)


def compared(part, folder, quick):
    """Lines of `make bench` with the cases of a part; the samples go to PART.csv."""
    if not (HERE / "dpdk-testpmd").exists():
        return ["dpdk-testpmd was not installed where the bundle was made."]
    if len(CPUS) < 2:
        return ["Two CPUs are needed."]
    done = subprocess.run([sys.executable, HERE / "bench/bench.py", "--quick", "--markdown", "--a", HERE / "zcfwd", "--b", HERE / "dpdk-testpmd", "--lockstep", HERE / "lockstep",
                           "--cores", f"{CPUS[0]},{CPUS[1]}", "--cases", (QUICK_CASES if quick else CASES)[part], "--keep", part], stdout=subprocess.PIPE, text=True,
                          timeout=900, check=False)
    for path in (HERE / "bench/results").glob(f"*-{part}.csv"):
        shutil.move(path, folder / f"{part}.csv")
    return [line if line.startswith("|") else line + "  " if line else "" for line in done.stdout.splitlines() if not line.startswith("samples:")]


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as f:
        csv.writer(f).writerows(rows)


def write_report(folder, sections):
    with open(folder / "report.md", "w", encoding="utf-8") as f:
        for title, lines in sections:
            f.write(f"## {title}\n\n" + "\n".join(lines) + "\n\n")


def table(rows):
    head, *rest = rows
    return ["| " + " | ".join(map(str, head)) + " |", "|" + "---|" * len(head), *("| " + " | ".join(str(cell).replace("|", "/") for cell in row) + " |" for row in rest)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("OUT", "."), type=pathlib.Path)
    parser.add_argument("--parts", default=",".join(PARTS), help="of " + ",".join(PARTS))
    parser.add_argument("--minutes", type=float, default=8, help="for part bench and for part lcores; the report says how many points did not fit")
    parser.add_argument("--quick", action="store_true", help="few points, to try the script itself")
    parser.add_argument("--standin", action="store_true", help="with the stand-in in place of NVIDIA's driver")
    options = parser.parse_args()
    options.parts = options.parts.split(",")
    if set(options.parts) - set(PARTS):
        parser.error(f"parts {','.join(options.parts)}: expected some of {','.join(PARTS)}")
    return options


def main():
    options = arguments()
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    if options.standin:
        os.environ["LD_LIBRARY_PATH"] = str(HERE / "standin")
    checks, sections = Checks(), []
    facts = list(machine())
    reason = why_no_gpu()
    sections.append(("Machine", table([("what", "value"), *facts, ("GPU", "a stand-in, whose figures mean nothing" if options.standin else reason or "yes")])))
    print(f"GPU: {reason or 'yes'}", flush=True)
    if "checks" in options.parts:
        if reason is not None:
            checks.add("GPU", "refused", reason)
        else:
            gpu_checks(checks, folder)
        checks.check("a driver of another version", another_version)
        write_csv(folder / "checks.csv", [("check", "verdict", "words"), *checks.rows])
        sections.append(("Checks", table([("check", "verdict", "words"), *checks.rows])))
        write_report(folder, sections)
    if "bench" in options.parts and reason is None:
        rows, left_out = bench.gpu(options.minutes * 60, options.quick)
        write_csv(folder / "bench.csv", rows)
        sections.append(("In place against copies", [*bench.gpu_summary(rows), "", f"Points left out because the time was short: {left_out}."]))
        write_report(folder, sections)
    if "lcores" in options.parts:
        rows, left_out = bench.lcores(options.minutes * 60, options.quick)
        write_csv(folder / "lcores.csv", rows)
        sections.append(("More lcores", [*table(list(bench.lcores_summary(rows))), "", f"Points left out because time or CPUs were short: {left_out}."]))
    for part in (part for part in CASES if part in options.parts):
        write_report(folder, sections)
        sections.append((f"make bench, {CASES[part]}", compared(part, folder, options.quick)))
        print(f"  {part}", flush=True)
    write_report(folder, sections)
    (folder / "in.pcap").unlink(missing_ok=True)
    print(f"{folder / 'report.md'}: {len(checks.failed)} checks failed", flush=True)
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
