# SPDX-License-Identifier: BSD-3-Clause
"""What every Python test shares: the binaries under test, and TAP on stdout for `meson test`."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

import limits
import pytest
from _pytest.terminal import TerminalReporter

sys.dont_write_bytecode = True
pytest_plugins = ["transcript_play"]
ROOT = pathlib.Path(__file__).resolve().parent.parent
SEED = int(os.environ.get("ZCFWD_TEST_SEED", "1"))  # of everything random in tests
WITHOUT = os.environ.get("WITHOUT", "").split()  # features that the build under test leaves out
ROTATE = os.environ.get("ZCFWD_TEST_ROTATE", "") != ""  # devtools/test sets it: the seed chooses a part of the cases


def binary_path():
    """Absolute, but not resolved: a link called testpmd must stay one, the name decides the prompt."""
    return pathlib.Path(os.path.abspath(os.environ.get("ZCFWD", ROOT / "build" / "zcfwd")))


def testpmd_path():
    found = shutil.which(os.environ.get("TESTPMD", "/usr/bin/dpdk-testpmd"))  # not a link that make install left
    return pathlib.Path(found) if found else None


testpmd_path.__test__ = False
HOST_HIDE = f"{binary_path().parent}/tests/host_hide.so"  # preloaded: FAKE_L2, FAKE_L3 and HIDE_IPV6 make another host of this one


@pytest.fixture(scope="session")
def binary():
    """The program under test: $ZCFWD, or build/zcfwd. Setting it to dpdk-testpmd runs what testpmd can do."""
    path = binary_path()
    if not path.exists():
        pytest.fail(f"{path} does not exist: build it, or set ZCFWD", pytrace=False)
    return path


@pytest.fixture(scope="session")
def testpmd():
    """The reference program; tests that compare with it skip where it is not installed."""
    path = testpmd_path()
    if path is None:
        pytest.skip("dpdk-testpmd is not installed")
    if b"libasan" in binary_path().read_bytes():
        pytest.skip("dpdk-testpmd cannot load the plugins of a build with sanitizers")
    return path


def cpu_has(flag):
    """Whether the CPU has what /proc/cpuinfo calls by this word, as far as HIDE_CPU lets the program see it."""
    hidden = {"": (), "avx512": ("avx512",), "avx2": ("avx2", "avx512")}[os.environ.get("HIDE_CPU", "")]
    return not flag.startswith(hidden) and flag in pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii").split()


def is_testpmd():
    reference = testpmd_path()
    return reference is not None and reference.resolve() == binary_path().resolve()


def tap_name(nodeid):
    return nodeid.split("/")[-1].replace("#", "_")


def turns(cases, n, seed):
    """
    One of every n cases; n consecutive seeds take all of them. Each block of n cases gives another place than the one before, by a step that is
    odd if n is even and the other way round: a run does not have the same value of a parameter each time.
    """
    n = min(n, len(cases))
    return [case for number, case in enumerate(cases) if number % n == (seed + number // n * (1 + n % 2)) % n]


def rotated(items):
    """The items without the cases that are another seed's turn."""
    groups = {}
    for item in items:
        groups.setdefault(item.nodeid.partition("[")[0], []).append(item)
    chosen = set()
    for function, cases in groups.items():
        mark = cases[0].get_closest_marker("rotates")
        # By its name too: with one seed, not all functions have the same device.
        chosen.update(turns(cases, *mark.args, SEED + zlib.crc32(function.split("/")[-1].encode())) if mark else cases)
    return [item for item in items if item in chosen]


def pytest_collection_modifyitems(config, items):
    mine = rotated(items) if ROTATE else items
    if only := os.environ.get("TEST_ONLY"):  # names as TAP has them, one a line: devtools/ci-tests repeats what failed
        mine = [item for item in mine if tap_name(item.nodeid) in only.split("\n")]
    if len(mine) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in mine])
        items[:] = mine
    for item in items:
        if is_testpmd() and item.get_closest_marker("zcfwd"):
            item.add_marker(pytest.mark.skip(reason="testpmd does not have it"))
        for mark in item.iter_markers("needs"):
            if WITHOUT and (not mark.args or mark.args[0] in WITHOUT):
                item.add_marker(pytest.mark.skip(reason=f"a build without {mark.args[0] if mark.args else 'all features'}"))
        for name in ("netns", "tap"):
            if item.get_closest_marker(name):
                item.fixturenames.insert(0, f"needs_{name}")


@pytest.fixture(scope="session")
def needs_netns():
    """Neither uid nor programs decide it, but capabilities and the filter of system calls: one is made."""
    import netns
    if reason := netns.refused():
        pytest.skip(reason)


@pytest.fixture(scope="session")
def needs_tap():
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        pytest.skip(f"no tap devices here: {error}")


@pytest.fixture
def home():
    """A short path: addresses of sockets have 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="zct") as folder:
        yield pathlib.Path(folder)


@pytest.fixture
def small_disk(tmp_path):
    """A function that mounts a disk of a size, "8k", and returns its folder; gone afterwards."""
    folder = tmp_path / "disk"

    def mount(size):
        folder.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "zcfwd-test", str(folder)], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            folder.rmdir()
            pytest.skip(f"cannot mount a small disk: {done.stderr.strip()}")
        return folder
    yield mount
    if folder.exists():
        subprocess.run(["umount", str(folder)], check=True, timeout=60)


@pytest.fixture
def of_the_table(monkeypatch):
    """
    For tests that expect recycling, or no mbufs with engine direct, from the first packets on: both begin later where a layout has to be
    proved. A release newer than the table is taken for the one of its series that was run.
    """
    from plugin import dpdk_series
    table = (ROOT / "pmd_shims/recycle/layout_rows.h").read_text(encoding="ascii")
    release = dpdk_series()
    [(newest, run)] = [(int(newest), run) for *series, newest, run in re.findall(r"\bS\((\d+), (\d+), (\d+), (\w+),", table) if tuple(map(int, series)) == release[:2]]
    if run == "SHIM_NEVER":
        pytest.skip("no release of DPDK {}.{:02} was run".format(*release))
    if release[2] > newest:
        monkeypatch.setenv("LD_PRELOAD", os.environ["ANOTHER_RELEASE"], prepend=":")
        monkeypatch.setenv("RELEASE", "DPDK {}.{:02}.{}".format(*release[:2], run))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """A wait without a limit ends just before meson would end the whole file."""
    if limits.END != float("inf"):
        signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, max(0.1, limits.END - limits.REPORT_S / 2 - time.monotonic()))
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)


def over(*_):
    pytest.fail("the limit of this file's time is reached")


class TapReporter:
    """One TAP line per test on stdout; pytest's own report, failures included, goes to stderr."""

    def __init__(self, stream):
        self.stream = stream
        self.number = 0
        self.state = {}
        self.skipped = ""  # why a whole file was

    def line(self, text):
        print(text, file=self.stream, flush=True)

    def pytest_collectreport(self, report):
        if report.failed:
            self.line(f"Bail out! cannot collect {report.nodeid}")
        elif report.skipped:
            self.skipped = f" # SKIP {skip_reason(report)}"

    def pytest_collection_finish(self, session):
        self.line(f"1..{len(session.items)}" + ("" if session.items else self.skipped))

    def pytest_sessionfinish(self, session, exitstatus):
        """A file that is skipped whole is no failure."""
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.skipped:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_runtest_logreport(self, report):
        verdict, remark = self.state.get(report.nodeid, ("ok", ""))
        if report.failed:
            verdict = "not ok"
        elif report.skipped:
            remark = f" # SKIP {skip_reason(report)}"
        self.state[report.nodeid] = verdict, remark
        if report.when == "teardown":
            self.number += 1
            self.line(f"{verdict} {self.number} - {tap_name(report.nodeid)}{remark}")


def pytest_report_header():
    return f"ZCFWD_TEST_SEED={SEED}"


def skip_reason(report):
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ").splitlines()[0] if text else ""


def pytest_addoption(parser):
    parser.addoption("--tap", action="store_true", help="TAP on stdout, the usual report on stderr")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a time limit: tear down as for ^C
    os.environ["ZCFWD_CHECK"] = "1"  # each program that is started checks packets and buffers
    os.environ["RUNTIME_DIRECTORY"] = tempfile.mkdtemp(prefix="zct")  # where EAL keeps its sockets
    # Linux 6.18 with its automatic groups: a busy lcore and a thread that often sleeps, alone on a CPU, let nothing from
    # outside their group run there, the kernel's own threads and the last of a killed process included. Not in this class.
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    if not config.getoption("tap"):
        return
    old = config.pluginmanager.getplugin("terminalreporter")
    if old is not None:
        config.pluginmanager.unregister(old)
        config.pluginmanager.register(TerminalReporter(config, sys.stderr), "terminalreporter")
    config.pluginmanager.register(TapReporter(sys.stdout), "tap-reporter")


def pytest_unconfigure():
    shutil.rmtree(os.environ.pop("RUNTIME_DIRECTORY", ""), ignore_errors=True)
