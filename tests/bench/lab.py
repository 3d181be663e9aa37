#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the rows of doc/published.md on this machine: lab.py [FOLDER] [options, see --help]

It finds out what the machine has, runs the cases of `make bench` that repeat the published rows, prints each row beside its published figure, and writes
one file, FOLDER/lab-CPU-DATE.csv. It needs python3 and no network. Network ports and DMA engines are used only if they are bound to a driver for user
space (vfio-pci, uio_pci_generic, igb_uio), or named. Ports of mlx5 have to be named, because they stay with their kernel driver.
"""
import argparse
import ctypes
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import nic
import published
import results

HERE = pathlib.Path(__file__).resolve().parent
NODES = pathlib.Path("/sys/devices/system/node")
USER_DRIVERS = ("vfio-pci", *nic.PHYSICAL)
NETWORK, DMA_ENGINE = "0x0200", "0x0880"
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
LIMIT_S = 3600
CPUS = sorted(os.sched_getaffinity(0))


def words_of(path):
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def pci_devices(kind):
    """Addresses of the devices of a class that are bound to a driver for user space."""
    return [path.name for path in sorted(nic.PCI.glob("*")) if words_of(path / "class").startswith(kind) and (path / "driver").resolve().name in USER_DRIVERS]


def has_counters():
    """Whether the CPU counts cycles for a process."""
    attributes = (ctypes.c_uint8 * 128)()
    attributes[4] = 128  # size; type and config 0: the hardware's cycles
    attributes[40] = 0b1100001  # disabled, without kernel and hypervisor
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(PERF_EVENT_OPEN.get(platform.machine(), -1), attributes, 0, -1, -1, 0)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def cpus_in(text):
    """Of a list as sysfs has it: "0-3,8"."""
    return [cpu for part in filter(None, text.split(",")) for cpu in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]


def cores_near(address):
    """Main core and forwarding core, on the device's node where that is known."""
    near = cpus_in(words_of(nic.folder_of(address) / "local_cpulist")) if address else []
    return ([cpu for cpu in CPUS if cpu in near] + [cpu for cpu in CPUS if cpu not in near])[:2]


def core_far(address):
    """A core on another node than the device; None: there is none, or the device's node is unknown."""
    node = words_of(nic.folder_of(address) / "numa_node")
    others = [cpu for path in sorted(NODES.glob("node[0-9]*")) if path.name != "node" + node for cpu in cpus_in(words_of(path / "cpulist"))]
    return next((cpu for cpu in CPUS if cpu in others), None) if node.isdigit() else None


def machine(options):
    """What of the published rows' needs is here: {need: words for a person}."""
    nics = options.nic.split(",") if options.nic else pci_devices(NETWORK)[:2]
    engines = [options.dma] if options.dma else pci_devices(DMA_ENGINE)
    found = {}
    if len(nics) > 1 or nics == ["model"] or (nics and options.source):
        found[published.NIC] = found[published.MIXED if nic.is_mixed(nics) else published.ALIKE] = ",".join(nics)
    if has_counters():
        found[published.PMU] = "cycles are counted"
    if engines:
        found[published.ENGINE] = engines[0]
        far = core_far(engines[0].partition("=")[0])
        if far is not None:
            found[published.NODES] = "CPU %d is on another node than %s" % (far, engines[0])
    for need in (published.CORES, published.CARD_CORES):
        if len(CPUS) >= int(need.split()[0]):
            found[need] = "%d CPUs" % len(CPUS)
    return found


def chosen(found, pattern):
    """The cases that repeat rows, as one regular expression."""
    names = [case for table in published.TABLES for row in table.rows if row.ours and (not row.needs or row.needs in found)
             for case in row.ours.cases if re.search(pattern, case)]
    if not names:
        sys.exit("lab: --only %s: expected a part of the name of a case that this machine can measure" % pattern)
    return "^(%s)$" % "|".join(dict.fromkeys(re.escape(name).replace(r"\{\}", r"\d+") for name in names))


def bench(found, cases, options):
    """Runs make bench: the path of the samples, and its exit status. Its tables go to stderr; a row that failed does not end the others."""
    ports = found.get(published.NIC) or ("model" if published.PMU in found else "")
    engine = found.get(published.ENGINE, "")
    cores = cores_near("" if ports == "model" else (ports or engine).split(",")[0].partition("=")[0])
    beside = HERE.parent if (HERE.parent / "zcfwd").exists() else None
    words = ["--a", str(beside / "zcfwd"), "--b", str(beside / "zcfwd"), "--lockstep", str(beside / "lockstep")] if beside else []
    words += ["--cores", ",".join(map(str, cores)), "--cases", cases, "--keep", "lab"]
    words += ["--nic", ports] if ports else []
    words += ["--source", options.source] if options.source else []
    words += ["--load", str(options.load)] * bool(options.load) + ["--unequal", str(options.unequal)]
    words += ["--dma", engine] if engine else []
    words += ["--far-core", str(core_far(engine.partition("=")[0]))] if published.NODES in found else []
    words += ["--quick"] * options.quick + ["--trial"] * options.trial + ["--no-huge"] * options.no_huge
    before = set(pathlib.Path(results.FOLDER).glob("*-lab.csv"))
    done = subprocess.run([sys.executable, HERE / "bench.py", *words], stdout=sys.stderr, check=False, timeout=LIMIT_S)
    written = set(pathlib.Path(results.FOLDER).glob("*-lab.csv")) - before
    return (written.pop(), done.returncode) if written else sys.exit("lab: make bench wrote no samples")


def show(path):
    """Each row that the run has, why it failed, or what it waits for."""
    run = published.Run(path)
    for table in published.TABLES:
        print(table.title)
        for row in table.rows:
            text = row.ours.text(run) if row.ours else ""
            if not text and row.ours and (why := run.why_not(row.ours)):
                text = "failed: " + why
            print("  %-36s %-36s %s" % (row.what, row.published, text or published.waits_for(row)))


def main(argv):
    """0 if every row was measured, 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--nic", default="", metavar="ADDRESS[,ADDRESS]", help="two ports, or one with --source; \"model\" for modelled XL710s")
    parser.add_argument("--source", default="", metavar="ADDRESS[,ADDRESS]",
                        help="ports cabled to those of --nic, which send to them; without them IPv4 packets come from outside, to 198.18.0.0/16 and 198.19.0.0/16")
    parser.add_argument("--load", type=int, metavar="PPS", help="packets per second of --source or modelled ports, all together (70 %% of what the slower way forwards)")
    parser.add_argument("--unequal", type=float, default=5, metavar="PERCENT", help="by how much the loads of a sample's two ways may differ (5)")
    parser.add_argument("--dma", default="", metavar="ADDRESS[=NAME]", help="a DMA engine, and the name of its DMA device if that differs")
    parser.add_argument("--quick", action="store_true", help="fewer lengths and shorter slices")
    parser.add_argument("--trial", action="store_true",
                        help="one short sample per row: shows in a few minutes which rows can be measured here; its file is not for doc/published.md")
    parser.add_argument("--no-huge", action="store_true", help="do not reserve and use huge pages")
    parser.add_argument("--only", default="", metavar="REGEX", help="only rows whose case matches")
    options = parser.parse_args(argv)
    if len(CPUS) < 2:
        sys.exit("lab: 2 CPUs are needed, this process may use %d" % len(CPUS))
    options.folder.mkdir(parents=True, exist_ok=True)
    found = machine(options)
    for need, words in found.items():
        print("here is %s: %s" % (need, words))
    path, status = bench(found, chosen(found, options.only), options)
    to = options.folder / ("lab-" + path.name.replace("-lab.csv", ".csv"))
    shutil.move(path, to)
    show(to)
    print("\nsamples: %s" % to)
    print("A trial: one sample per row, which is not for doc/published.md." if options.trial else
          "To add them to doc/published.md, in a tree: tests/bench/published.py %s" % to)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
