# SPDX-License-Identifier: BSD-3-Clause
# The machine: what it is, and the hugepages, veth pairs and priorities that the benches borrow and give back.
import ctypes
import hashlib
import json
import mmap
import os
import re
import select
import shlex
import signal
import struct
import subprocess
import time

HUGEPAGES = "/proc/sys/vm/nr_hugepages"
HUGEPAGES_WANTED = 384  # four processes of about 64 MiB in 2 MiB pages, and as much again to spare
KEEPER_LIMIT_S = 60  # the kernel may move other memory away before it has so many pages
PING_PONG_S, PING_PONG_LIMIT_S = 2, 60  # what laps may take together; and one of them, thousands of times of what it takes


def first_line(path, key=""):
    """The first line of a file that starts with key, '' if there is none."""
    try:
        with open(path) as file:
            return next((line.strip() for line in file if line.startswith(key)), "")
    except OSError:
        return ""


def value_of(path, key):
    """What follows the colon on the line that starts with key."""
    return first_line(path, key).partition(":")[2].strip()


# A process of its own reserves pages: it gives as many back when its input ends, so even after the death of the program that needed
# them. It prints a line once they are reserved. Its session is its own, because a test is killed together with its process group.
KEEPER = """before=$(cat "$1")
echo $((before + $2)) >"$1"
added=$(($(cat "$1") - before))
echo "$added"
read -r _
left=$(($(cat "$1") - added))
echo $((left > 0 ? left : 0)) >"$1"
"""


def free_hugepages():
    """Free pages of the usual size as the kernel counts them."""
    return int(value_of("/proc/meminfo", "HugePages_Free") or 0)


class Hugepages:
    """Free 2 MiB pages for the length of a `with`; .reserved tells whether there are enough. locks: files that stay locked until the pages are given back."""

    def __init__(self, pages=HUGEPAGES_WANTED, locks=()):
        self.pages, self.locks, self.keeper, self.reserved = pages, locks, None, False

    def __enter__(self):
        free = free_hugepages()
        if free < self.pages and os.access(HUGEPAGES, os.W_OK):
            # What others hold counts as well, even beyond the reservation (surplus).
            add = int(value_of("/proc/meminfo", "HugePages_Total") or 0) - free + self.pages - int(first_line(HUGEPAGES) or 0)
            self.keeper = subprocess.Popen(["sh", "-c", KEEPER, "sh", HUGEPAGES, str(add)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                start_new_session=True, pass_fds=self.locks)
            select.select([self.keeper.stdout], [], [], KEEPER_LIMIT_S)
        self.reserved = free_hugepages() >= self.pages
        return self

    def __exit__(self, *_):
        if self.keeper is not None:
            self.keeper.communicate(timeout=KEEPER_LIMIT_S)


class HugepageFolder:
    """A folder in which processes share huge pages, for the length of a `with`; OSError where it cannot be mounted."""

    def __init__(self, above):
        self.path = os.path.join(above, "pages")

    def __enter__(self):
        os.makedirs(self.path, exist_ok=True)
        self.call("mount", b"nodev", os.fsencode(self.path), b"hugetlbfs", ctypes.c_ulong(0), b"pagesize=2M")
        return self.path

    def __exit__(self, *_):
        self.call("umount2", os.fsencode(self.path), 0)

    def call(self, name, *words):
        """A function of libc, since a small system has no program for it."""
        if getattr(ctypes.CDLL(None, use_errno=True), name)(*words) != 0:
            code = ctypes.get_errno()
            raise OSError(code, "%s: %s" % (name, os.strerror(code)), self.path)


class Veths:
    """A network namespace with veth pairs ((near, far), ...) for the length of a `with`."""

    def __init__(self, netns, pairs):
        self.netns, self.pairs = netns, pairs

    def __enter__(self):
        run("ip", "netns", "add", self.netns)
        try:
            # Neighbour discovery would be counted as traffic.
            run("nsenter", "--net=/run/netns/" + self.netns, "env", "-u", "HIDE_IPV6", "sh", "-c",
                "[ ! -e /proc/sys/net/ipv6 ] || for f in all default; do echo 1 >/proc/sys/net/ipv6/conf/$f/disable_ipv6; done")
            for place, (near, far) in enumerate(self.pairs):
                # net_af_packet names its fanout group PID ^ ifindex and fails where that meets another process's:
                # far apart in the high bits, indexes cannot make up for the distance of two PIDs.
                indexes = [str((2 * place + n + 1) << 11) for n in range(2)]
                run("ip", "-n", self.netns, "link", "add", near, "index", indexes[0], "type", "veth",
                    "peer", "name", far, "index", indexes[1])
                for end in (near, far):
                    run("ip", "-n", self.netns, "link", "set", end, "up")
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        subprocess.run(["ip", "netns", "del", self.netns], check=False, timeout=60)


def run(*argv):
    """Run a command; OSError with its own words if it fails."""
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise OSError("%s: %s" % (" ".join(argv), done.stderr.strip()))
    return done.stdout


def take_core(core):
    """Pin this process and let it preempt: it sleeps nearly always, and its timestamps are the measurement."""
    os.sched_setaffinity(0, {core})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(2))
        return True
    except OSError:
        return False


def ping_pong_ns(cores=(0, 1), laps=3000, seconds=PING_PONG_S):
    """
    Median round trip of one cache line between two cores, Python's own loop (about 150 ns) included.
    Only the jump between two calls means something: a VM's cores sit near each other or far apart.
    seconds: no lap begins later; where CPUs are shared or emulated, one lap takes milliseconds.
    """
    area = mmap.mmap(-1, 4096)
    ball = memoryview(area).cast("q")
    child = os.fork()
    signal.alarm(PING_PONG_LIMIT_S)  # for each of the two: a fork inherits none
    if child == 0:
        os.sched_setaffinity(0, {cores[1]})
        for lap in range(1, laps + 1):
            while ball[0] < lap:
                pass
            ball[64] = lap
        os._exit(0)
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cores[0]})
    trips, until = [], time.perf_counter_ns() + seconds * 1e9
    for lap in range(1, laps + 1):
        began = time.perf_counter_ns()
        ball[0] = lap
        while ball[64] < lap:
            pass
        trips.append(time.perf_counter_ns() - began)
        if began + trips[-1] >= until:
            break
    ball[0] = laps  # the other one ends, however many laps there were
    os.waitpid(child, 0)
    signal.alarm(0)
    os.sched_setaffinity(0, before)
    return sorted(trips)[len(trips) // 2]


def steal_ticks():
    """Clock ticks that the hypervisor gave to others, all CPUs, since boot."""
    return int(first_line("/proc/stat", "cpu ").split()[8])


def _origin(word):
    """What the file `origin.json` of a bundle (devtools/bundle) says of the commit or of a program; None in a tree."""
    try:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../origin.json"), encoding="utf-8") as file:
            return json.load(file).get(word)
    except OSError:
        return None


def fingerprint(path):
    """Short hash of a binary, so that raw samples can be traced to it."""
    if bundled := _origin(os.path.basename(path)):
        return bundled["fingerprint"]
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:12]


def build_of(path):
    """How a program was built: its compiler's flags where its build folder says so, and the hardening that the binary itself shows."""
    if bundled := _origin(os.path.basename(path)):
        return bundled["build"]
    return "; ".join(filter(None, (_flags(path), _package(path), "hardening: " + (", ".join(_hardening(path)) or "none"))))


def _flags(path):
    """The options that decide about speed, of the compile command of main.c in the folder of the program."""
    try:
        with open(os.path.join(os.path.dirname(os.path.realpath(path)), "compile_commands.json"), encoding="utf-8") as file:
            command = next(one["command"] for one in json.load(file) if one["file"].endswith("app/main.c"))
    except (OSError, ValueError, StopIteration):
        return ""
    chosen = [word for word in shlex.split(command) if re.match(r"-(O|m(arch|tune|avx|sse)|f(lto|stack|cf|PI[CE]|pi[ce])|D_FORTIFY|g$)", word)]
    return "flags " + " ".join(chosen)


def _package(path):
    """The Debian package of a program that was not built here."""
    done = subprocess.run(["dpkg-query", "-S", os.path.realpath(path)], capture_output=True, text=True, check=False, timeout=60)
    package = done.stdout.partition(":")[0]
    if done.returncode or not package:
        return ""
    return run("dpkg-query", "-W", "-f=package ${Package} ${Version}", package) + ", built with dpkg-buildflags (-O2)"


def _hardening(path):
    """What readelf sees of it."""
    try:
        headers, symbols = run("readelf", "-hdlW", path), run("readelf", "--dyn-syms", "-W", path)
    except OSError:
        return ["unknown (no readelf)"]
    seen = (("PIE", re.search(r"Type:\s+DYN", headers)), ("BIND_NOW", re.search(r"BIND_NOW|Flags:.*\bNOW\b", headers)),
            ("stack protector", "__stack_chk_fail" in symbols), ("fortified libc calls", re.search(r"__\w+_chk\b(?<!__stack_chk)", symbols)))
    return [name for name, there in seen if there]


def commit():
    """The commit of this tree, and whether files differ from it; empty where git does not know."""
    if bundled := _origin("commit"):
        return bundled
    folder = os.path.dirname(os.path.abspath(__file__))
    try:
        head = run("git", "-C", folder, "rev-parse", "--short=12", "HEAD").strip()
        return head + (" with changes" if run("git", "-C", folder, "status", "--porcelain", "--untracked-files=no").strip() else "")
    except OSError:
        return ""


def cache_sizes():
    """Of the first core, such as "L1d 32K, L2 1024K, L3 32768K"."""
    found = []
    for index in range(4):
        level, kind, size = (first_line("/sys/devices/system/cpu/cpu0/cache/index%d/%s" % (index, name)) for name in ("level", "type", "size"))
        if size and kind != "Instruction":
            found.append("L%s%s %s" % (level, "d" if kind == "Data" else "", size))
    return ", ".join(found) or "unknown"


def description():
    """Facts about the host as (label, text) pairs."""
    release = os.uname()
    mhz = value_of("/proc/cpuinfo", "cpu MHz")
    pages = "%s x %s" % (value_of("/proc/meminfo", "HugePages_Total"), value_of("/proc/meminfo", "Hugepagesize"))
    hypervisor = " (virtual machine)" if "hypervisor" in value_of("/proc/cpuinfo", "flags").split() else ""
    return [
        ("cpu", "%s family %s model %s, %d cores, %s MHz%s" % (
            value_of("/proc/cpuinfo", "model name"), value_of("/proc/cpuinfo", "cpu family"), value_of("/proc/cpuinfo", "model\t"),
            os.cpu_count(), mhz, hypervisor)),
        ("caches", cache_sizes()),
        ("kernel", "%s %s, %d-bit" % (release.sysname, release.release.partition("-")[0], 8 * struct.calcsize("P"))),
        ("hugepages", pages),
        ("load average", first_line("/proc/loadavg")),
    ]
