# SPDX-License-Identifier: BSD-3-Clause
"""States of a machine: in each the program comes up and forwards, or ends with one line that says what is wrong.

A state is a command put in front, which makes it in namespaces, with limits or as another user; the machine stays as it is.
"""
import contextlib
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import pexpect
import pytest

from conftest import ROOT, binary_path
from session import STARTUP_S, die_with_parent, hugepages, lcore_args

pytestmark = pytest.mark.zcfwd

SCRIPT = "start for 100000 packets\nshow port stats all\nshow rxq info 0 0\nshow txq info 0 0\nquit\n"
MOVED = re.compile(r"RX-packets: +[1-9]\d* .*RX-bytes")
OURS = re.compile(r"(zcfwd|run|setup|model_nic): |Warning!")  # beginnings of lines that are not EAL's
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
LOCKED = r"zcfwd: memory is not locked: only \d+\.\d MiB may be locked \(RLIMIT_MEMLOCK\); raise it with ulimit -l, .*"
CAP_IPC_LOCK = 14  # capabilities(7)
LAST_CPU = max(os.sched_getaffinity(0))
SYSFS = "/sys/kernel/mm/hugepages"


def inside(unshare, shell):
    """A state that a shell makes in namespaces of its own; {folder} is the test's."""
    return ["unshare", *unshare.split(), "sh", "-ec", f'{shell}; exec "$@"', "sh"]


def lock_remark():
    """What the program says in every state, where this machine does not let its root lock memory, as in a container."""
    capabilities = re.search(r"(?m)^CapEff:\s*(\w+)", pathlib.Path("/proc/self/status").read_text(encoding="utf-8"))[1]
    free = int(capabilities, 16) >> CAP_IPC_LOCK & 1 or resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY
    return () if free else (LOCKED,)


def hide_cpu(word):
    """A CPU without these vectors; make run allows the widest ones that there are."""
    return ["env", f"HIDE_CPU={word}", f"LD_PRELOAD={binary_path().parent}/tests/cpu_hide.so", "EAL=--force-max-simd-bitwidth=512"]


# Pages as a kernel shows them that has none, and gives none.
NO_PAGES = inside("--mount", f"mount --bind '{{folder}}/no_pages' {SYSFS}")
CONTAINER = [str(ROOT / "devtools/container"), "--folder={folder}", "--env=HUGEPAGES={reserve}"]
NO_HUGETLBFS = inside("--mount", "umount -a -t hugetlbfs")

# State, command in front, huge pages in MiB, what may stand on stderr besides EAL's lines.
GOOD = [
    ("as it is", [], 0, ()),
    ("no huge pages", NO_PAGES, 0, ()),
    ("few huge pages", [], 80, ()),
    ("huge pages and no hugetlbfs", NO_HUGETLBFS, 256, ()),
    ("user nobody", NOBODY, 0, (LOCKED,)),
    ("user nobody and huge pages", NOBODY, 256, (LOCKED,)),
    ("user nobody, no memory may be locked", ["prlimit", "--memlock=0", *NOBODY], 0, (LOCKED,)),
    ("little memory may be locked", ["prlimit", "--memlock=65536"], 0, (LOCKED,)),
    ("few open files", ["prlimit", "--nofile=64"], 0, ()),
    ("no IPv6", inside("--net", "! [ -e /proc/sys/net/ipv6 ] || echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6"), 0, ()),
    ("one CPU, not the first", ["taskset", "-c", str(LAST_CPU)], 0, ()),
    ("PID namespace", ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"], 0, ()),
    ("no /dev/shm", inside("--mount", "mount -t tmpfs -o ro,size=0 tmpfs /dev/shm"), 0, ()),
    ("session without a terminal", ["setsid", "--wait"], 0, ()),
    ("home that cannot be written", inside("--mount", "mount -t tmpfs -o ro tmpfs '{folder}/home'; export HOME='{folder}/home'"), 0, ()),
    ("plain container", CONTAINER, 0, (LOCKED,)),
    ("plain container and huge pages", CONTAINER, 256, (LOCKED,)),
    ("AVX-512 hidden", hide_cpu("avx512"), 0, ()),
    ("AVX2 hidden, SSE alone", hide_cpu("avx2"), 0, ()),
    ("no home", ["env", "-u", "HOME", "-u", "XDG_STATE_HOME", "-u", "RUNTIME_DIRECTORY"], 0, ()),
]

# State, command in front, huge pages in MiB, EAL's options, the line.
BAD = [
    ("no huge pages, but asked for", NO_PAGES, 0, [*lcore_args("0"), "--no-pci"],
     "zcfwd: EAL initialisation failed: no free hugepages; reserve some (echo 512 > /proc/sys/vm/nr_hugepages) or add --no-huge -m 512"),
    ("huge pages and no hugetlbfs, but one is needed", NO_HUGETLBFS, 256, [*lcore_args("0"), "--no-pci"],
     "zcfwd: EAL initialisation failed: no hugetlbfs is mounted; add --in-memory, or mount one (mount -t hugetlbfs nodev /dev/hugepages)"),
    ("plain container, huge pages asked for", CONTAINER, 256, [*lcore_args("0"), "--no-pci", "--in-memory"],
     "zcfwd: EAL initialisation failed: hugepages need get_mempolicy(2), which is not permitted here; add --no-huge -m 512, "
     "or start the container with --cap-add=sys_nice"),
    ("no huge pages, and another mistake", NO_PAGES, 0, ["--no-such"],
     "zcfwd: EAL initialisation failed (Invalid argument): wrong EAL option, or an option of zcfwd before \"--\"; "
     "use zcfwd [EAL options] -- [options]"),
    ("few open files", ["prlimit", "--nofile=32"], 0, [*lcore_args("0"), "--no-pci", "--no-huge"],
     "zcfwd: open files limited to 32 (ulimit -n): expected 64 or more"),
    ("little memory", ["prlimit", f"--as={1 << 28}"], 0, [*lcore_args("0"), "--no-pci", "--no-huge", "-m", "512"],
     "zcfwd: EAL initialisation failed (Cannot allocate memory); see the EAL messages above"),
]


@pytest.fixture(scope="module")
def clone():
    """What make run needs of a built clone, below a folder that everybody may write, in a path with a space."""
    umask = os.umask(0o022)  # nobody has to read it
    parent = pathlib.Path(tempfile.mkdtemp(prefix="zct "))
    parent.chmod(0o777)
    folder, plugin = parent / "a clone", pathlib.Path("pmd_shims/drivers/model_nic/model_nic.so")
    (folder / "build" / plugin).parent.mkdir(parents=True)
    (folder / "devtools").mkdir()
    (folder / "home").mkdir()
    pages = folder / "no_pages" / "hugepages-2048kB"
    pages.mkdir(parents=True)
    for name in ("nr_hugepages", "free_hugepages", "resv_hugepages", "surplus_hugepages"):
        (pages / name).write_text("0\n", encoding="ascii")
    shutil.copy(binary_path(), folder / "build" / "zcfwd")
    shutil.copy(binary_path().parent / plugin, folder / "build" / plugin)
    for name in ("run", "setup"):
        shutil.copy(ROOT / "devtools" / name, folder / "devtools")
    os.umask(umask)
    yield folder
    shutil.rmtree(parent, ignore_errors=True)


def in_state(clone, front, argv, pages=0, **environment):
    """The finished process, with that many MiB of huge pages free; skips where the machine cannot be brought into the state."""
    environment = {"HUGEPAGES": "0", "HOME": str(clone / "home"), **environment}
    front = [word.replace("{folder}", str(clone)).replace("{reserve}", environment["HUGEPAGES"]) for word in front]
    options = {"capture_output": True, "check": False, "encoding": "utf-8", "errors": "replace", "timeout": STARTUP_S, "cwd": clone.parent,
               "env": {**os.environ, **environment}}
    if front:
        if shutil.which(front[0]) is None:
            pytest.skip(f"no {front[0]} here")
        probe = subprocess.run([*front, "true"], **options)
        if probe.returncode != 0:
            pytest.skip(f"this state cannot be had here: {probe.stderr.strip().splitlines()[-1]}")
    with hugepages(pages) as there:
        if not there:
            pytest.skip(f"the machine gives no {pages} MiB of huge pages")
        return subprocess.run([*front, *map(str, argv)], input=SCRIPT, preexec_fn=die_with_parent, **options)


def ours(done):
    return [line for line in done.stderr.splitlines() if OURS.match(line)]


@pytest.mark.parametrize("way", ["make run", "no EAL options"])
@pytest.mark.parametrize("state", GOOD, ids=[row[0] for row in GOOD])
def test_forwards(clone, state, way):
    name, front, pages, remarks = state
    program = clone / "build" / "zcfwd"
    argv = [clone / "devtools/run", program] if way == "make run" else [program, "--", "-i", "--model", "xl710,flows=64*2"]
    # make run is to take half of them.
    done = in_state(clone, front, argv, pages, HUGEPAGES=str(pages // 4))
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    assert len(MOVED.findall(done.stdout)) == 2, f"{name}: {done.stdout}"
    said = ours(done)
    strange = [line for line in said if not any(re.fullmatch(remark, line) for remark in (*remarks, *lock_remark()))]
    assert not strange and len(set(said)) == len(said), said
    modes = re.findall("Burst mode: (.*)", done.stdout)
    hidden = {"AVX-512 hidden": "AVX512", "AVX2 hidden, SSE alone": "AVX"}.get(name, "no such")
    assert len(modes) == 2 and not any(hidden in mode for mode in modes), modes
    if name.startswith("one CPU") and way != "make run":
        assert f"--lcores (0,1)@{LAST_CPU} " in done.stdout


@pytest.mark.parametrize("state", BAD, ids=[row[0] for row in BAD])
def test_says_what_is_wrong(clone, state):
    _, front, pages, options, line = state
    done = in_state(clone, front, [clone / "build" / "zcfwd", *options, "--", "-i"], pages)
    assert done.returncode == 1, f"{done.stdout}{done.stderr}"
    assert ours(done) == [line], done.stderr
    assert "zcfwd> " not in done.stdout


@pytest.mark.parametrize("front", [["env", "TERM=dumb"], ["env", "TERM=no-such-terminal"], ["env", "-u", "TERM"],
                                   ["env", "-i"]], ids=" ".join)
def test_terminal(clone, front):
    """Whatever a terminal is said to be, it has a prompt, an editor and the answer."""
    argv = [*front, "HUGEPAGES=0", str(clone / "devtools/run"), str(clone / "build/zcfwd"), "--no-mlockall"]
    child = pexpect.spawn(argv[0], argv[1:], encoding="utf-8", timeout=STARTUP_S, dimensions=(40, 200), preexec_fn=die_with_parent)
    with contextlib.closing(child):
        child.expect_exact("zcfwd> ")
        child.send("show port summary all\r")
        child.expect("Number of available ports: 2")
        child.expect_exact("zcfwd> ")
        child.send("quit\r")
        child.expect(pexpect.EOF)
    assert child.exitstatus == 0


def test_pages_are_reserved_aloud(clone, tmp_path):
    """make run tells what it leaves behind; HUGEPAGES=0 leaves nothing. The kernel's numbers are files here."""
    pages = tmp_path / "hugepages-2048kB"
    pages.mkdir()
    (pages / "nr_hugepages").write_text("100\n", encoding="ascii")
    (pages / "free_hugepages").symlink_to("nr_hugepages")
    state = inside("--mount", f"mount --bind '{tmp_path}' {SYSFS}")
    done = in_state(clone, state, [clone / "devtools/run", "echo"], HUGEPAGES="0")
    assert "--no-huge" in done.stdout and done.stderr == ""
    assert (pages / "nr_hugepages").read_text(encoding="ascii") == "100\n"
    done = in_state(clone, state, [clone / "devtools/run", "echo"], HUGEPAGES="256")
    assert "--in-memory" in done.stdout and "--no-huge" not in done.stdout
    assert done.stderr.startswith("run: reserved 156 huge pages of 2 MiB, which stay reserved") and done.stderr.count("\n") == 1
    assert (pages / "nr_hugepages").read_text(encoding="ascii") == "256\n"


@pytest.mark.parametrize("end", ["pass", "raise OSError", "os.killpg(0, signal.SIGTERM)", "os.killpg(0, signal.SIGKILL)"])
def test_pages_of_tests_are_given_back(clone, tmp_path, end):
    """Also by a test that is killed with its whole process group; pages that others have reserved meanwhile stay. The kernel's number is a file here."""
    knob = tmp_path / "knob"
    knob.write_text("100\n", encoding="ascii")
    state = inside("--mount", f"mount --bind '{knob}' /proc/sys/vm/nr_hugepages")
    lines = ["import os, pathlib, signal", "from machine import Hugepages", "os.setsid()", f"knob = pathlib.Path('{knob}')", "with Hugepages(1 << 20):",
             "    total = int(knob.read_text())", "    assert total > 1 << 19, total", "    knob.write_text(str(total + 64))", f"    {end}"]
    done = in_state(clone, state, [sys.executable, "-c", "\n".join(lines)], PYTHONPATH=str(ROOT / "tests/bench"))
    assert (done.returncode == 0) == (end == "pass") and "AssertionError" not in done.stderr, done.stderr
    assert knob.read_text(encoding="ascii") == "164\n"


def test_setup_as_nobody(clone):
    """Silent where the packages are; else one line says what root has to install."""
    done = in_state(clone, NOBODY, [clone / "devtools/setup", "run"])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    tools = pathlib.Path(tempfile.mkdtemp(prefix="zct", dir=clone.parent))
    tools.chmod(0o755)
    for tool in ("sh", "id", "sed", "tr", "sort"):
        (tools / tool).symlink_to(shutil.which(tool))
    (tools / "dpkg-query").write_text("#!/bin/sh\necho installed make\n", encoding="ascii")
    (tools / "dpkg-query").chmod(0o755)
    done = in_state(clone, NOBODY, ["env", f"PATH={tools}", "sh", clone / "devtools/setup", "run"])
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("setup: not root and no sudo; please install as root: apt-get install dpkg-dev gcc ") and done.stderr.count("\n") == 1
    assert "libdpdk-dev" in done.stderr and " make" not in done.stderr


@pytest.mark.parametrize("groups, kind, during, policy", [
    ("1", "rw", "0", "SCHED_OTHER"),
    ("0", "rw", "0", "SCHED_OTHER"),
    ("1", "ro", "1", "SCHED_BATCH"),
    ("0", "ro", "0", "SCHED_OTHER"),
], ids=["on", "off", "on, read-only", "off, read-only"])
def test_ungrouped(clone, tmp_path, groups, kind, during, policy):
    """Tests run while automatic groups of processes are off, or in a class that they spare; the setting is as before afterwards."""
    knob, setting = tmp_path / "knob", "/proc/sys/kernel/sched_autogroup_enabled"
    knob.write_text(groups + "\n", encoding="ascii")
    state = inside("--mount", f"mount --bind '{knob}' {setting} && mount -o remount,bind,{kind} {setting}")
    plain = ["chrt", "--other", "0"]  # these tests run in another class themselves
    done = in_state(clone, state, [*plain, ROOT / "devtools/ungrouped", "sh", "-c", f"cat {setting}; chrt --pid $$"])
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith(f"{during}\n") and f"policy: {policy}\n" in done.stdout
    assert knob.read_text(encoding="ascii") == groups + "\n"
