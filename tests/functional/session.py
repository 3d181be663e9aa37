# SPDX-License-Identifier: BSD-3-Clause
"""Drives the binary under test: one prompt, one command, one answer, on a pipe or on a terminal."""
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pexpect
from limits import limit, until
from machine import Hugepages
from pexpect.popen_spawn import PopenSpawn

PROMPT = r"(?m)^(?:zcfwd|testpmd)> "
STARTUP_S = 90
COMMAND_S = 40
TAIL = 4000  # characters of a transcript that an error shows
WINDOW = 4096  # characters that are searched again as more come in, 2000 at a time; some objects have millions
VERDICT = re.compile(r"(?m)^(Bad arguments|Command not found|Ambiguous command|Invalid|Please|Cannot|Failed|Error)")
COMPLAINT = re.compile(r"(?i)invalid|fail|error|please|cannot")
POOL = "--total-num-mbufs=8192"
UNBALANCED = 3  # the exit status of a program that lost or invented a packet or a buffer
KILLED = "killed"
_serial = iter(range(1 << 30))
TO_JSON, TO_TEXT = "set output json", "set output text"
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent():
    """In the child before exec: a forwarder must not outlive tests that were killed, nor inherit that nohup(1) ignores SIGHUP."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class SessionError(AssertionError):
    """The program did not do what the test waited for; carries the whole transcript."""


PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 17, 0x4206, 0x4207, 0x40000000


@contextlib.contextmanager
def frozen(thread):
    """One thread stands still, as it does when other programs keep its CPU; all others of its process go on."""
    def ptrace(request):
        if LIBC.ptrace(request, thread, None, None) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), f"ptrace {request}")
    ptrace(PTRACE_SEIZE)
    ptrace(PTRACE_INTERRUPT)
    wait_until(lambda: os.waitpid(thread, os.WNOHANG | WALL) != (0, 0), f"thread {thread} standing still")
    try:
        yield
    finally:
        ptrace(PTRACE_DETACH)


LOCKS = tempfile.gettempdir()  # before a test changes it: all tests have to find the same locks


def lock_path(name):
    return f"{LOCKS}/zcfwd-tests-{os.geteuid()}.{name}"


def locked(file):
    """Lock an open file unless another process has locked it; whether it is locked now."""
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


@contextlib.contextmanager
def hugepages(mib):
    """Room in free huge pages, for one test at a time: those that lack are reserved, and given back. False where the machine gives none."""
    # A lock that tests in other roots on this machine see too, where the kernel has huge pages.
    shared = pathlib.Path("/sys/kernel/mm/hugepages")
    turn = os.open(shared, os.O_RDONLY | os.O_CLOEXEC) if shared.is_dir() else os.open(lock_path("pages"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        wait_until(lambda: locked(turn), "the huge pages, which another test has", 600)
        with Hugepages(mib // 2, (turn,)) as pages:
            yield pages.reserved
    finally:
        os.close(turn)


@contextlib.contextmanager
def hugetlbfs(mib):
    """A folder with so much room in huge pages, which processes share. Skips where there are none, or nothing may be mounted."""
    import pytest  # not of what devtools/image-test needs
    with hugepages(mib) as there, tempfile.TemporaryDirectory(prefix="zct") as folder:
        if not there:
            pytest.skip(f"needs {mib} MiB of huge pages")
        done = subprocess.run(["mount", "-t", "hugetlbfs", "-o", "pagesize=2M", "nodev", folder], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 0:
            pytest.skip(f"needs a hugetlbfs: {done.stderr.strip()}")
        try:
            yield folder
        finally:
            subprocess.run(["umount", folder], check=True, timeout=60)


def one_prefix(words):
    """The last --file-prefix counts; EAL of DPDK 25.11 refuses a second one."""
    given = [at for at, word in enumerate(words) if word.startswith("--file-prefix")]
    return [word for at, word in enumerate(words) if at not in given[:-1]]


def _own_side():
    """Of two tests that run side by side, one has the other CPU for its workers: until it ends, by a lock on a file."""
    for side in range(2):
        lock = os.open(lock_path(side), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        if locked(lock):
            return side
        os.close(lock)
    return 0


USUAL_LCORES = "0-1" if _own_side() == 0 else "0@1,1@0"


def ordinary_pages(mib):
    """EAL's options for so much memory, so that nobody's huge pages decide what a test does. Most of the time of a start goes into it: ask for little."""
    return ["--no-huge", "-m", str(mib)]


def lcore_args(lcores):
    """EAL's option for these lcores. CPUs that this process may not use are replaced by those that it may: all lcores share them."""
    own, here, elsewhere = sorted(os.sched_getaffinity(0)), [], False
    for element in re.findall(r"(?:\([^)]*\)|[^,(])+", lcores):
        these, at, cpus = element.partition("@")
        for lcore, where in [(these, cpus)] if at else [(number, number) for number in _numbers(these)]:
            elsewhere |= not set(_numbers(where)) <= set(own)
            on = sorted({number if number in own else own[number % len(own)] for number in _numbers(where)})
            here.append(f"{lcore}@({','.join(map(str, on))})")
    if elsewhere:
        lcores = ",".join(here)
    return ["--lcores" if "@" in lcores else "-l", lcores]


def _numbers(text):
    """Those of a list such as 0,2-4 or (0-1)."""
    found = []
    for part in str(text).strip("()").split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def eal_args(lcores=USUAL_LCORES, telemetry=False, memory=None):
    """memory: EAL's options for it, where a test wants more than most. EAL takes back no --no-telemetry."""
    if memory is None:
        memory = ordinary_pages(128)
    prefix = f"zct{os.getpid()}_{next(_serial)}"
    return [*lcore_args(lcores), *memory, "--no-pci", *([] if telemetry else ["--no-telemetry"]), f"--file-prefix={prefix}"]


class Session:
    """A running forwarder. Use as a context manager: the child never outlives the block.

    vdevs: --vdev values. args: program options after `--`. merge: stderr in the same stream as stdout, else in a
    file that stderr() reads. pty: a terminal instead of pipes. interactive: adds -i and waits for the prompt.
    wrapper: a command that execs the program, such as `ip netns exec NAME`. telemetry: EAL's socket, in home. memory: EAL's options for it.
    ends: the expected exit status, or KILLED. A block whose program still runs at its end sends `quit`, or kills it for KILLED.
    """

    def __init__(self, binary, vdevs=("net_null0", "net_null1"), args=(), *, lcores=USUAL_LCORES, eal=(), merge=False,
                 pty=False, interactive=True, wrapper=(), env=None, pool=POOL, telemetry=False, memory=None, ends=0):
        self.binary = binary
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="zct"))
        self.err_path = self.home / "stderr"
        options = [*(["-i"] if interactive else []), "--no-mlockall", *([pool] if pool else []), *args]
        devices = [f"--vdev={v}" for v in vdevs]
        program = [str(binary), *one_prefix([*eal_args(lcores, telemetry, memory), *eal]), *devices, "--", *options]
        if "testpmd" in os.path.realpath(binary) and not pty:
            program = ["stdbuf", "-o0", *program]  # it mixes write(2) and stdio: unbuffered, the order is right
        self.argv = [*wrapper, *program]
        redirect = "exec \"$@\" 2>&1" if merge else f"exec \"$@\" 2>'{self.err_path}'"
        shell = ["/bin/sh", "-c", redirect, "sh", *self.argv]
        environ = {**os.environ, "RUNTIME_DIRECTORY": str(self.home), "HOME": str(self.home), "TERM": "dumb",
                   "XDG_STATE_HOME": str(self.home), "ZCFWD_CHECK": "1", **(env or {})}
        if env and "LD_PRELOAD" in env and "LD_PRELOAD" in os.environ:  # beside what all tests have: HIDE_CPU's
            environ["LD_PRELOAD"] = f"{env['LD_PRELOAD']}:{os.environ['LD_PRELOAD']}"
        self.log = _Log()
        common = {"encoding": "utf-8", "codec_errors": "replace", "env": environ, "timeout": COMMAND_S,
                  "preexec_fn": die_with_parent}
        if pty:
            self.child = pexpect.spawn(shell[0], shell[1:], dimensions=(50, 250), **common)
            self.child.delaybeforesend = None
        else:
            self.child = _Piped(shell, **common)
        self.pty = pty
        self.child.logfile_read = self.log
        self.in_json = False
        self.ends = ends if "testpmd" not in os.path.realpath(binary) else KILLED
        self.rc = None
        self.banner = ""
        if interactive:
            try:
                self.banner = self.expect(PROMPT, STARTUP_S)
            except SessionError:
                self.close()
                raise

    def __enter__(self):
        return self

    def __exit__(self, kind, *exc):
        try:
            if kind is None and self.rc is None and self.ends != KILLED:
                self.leave()
        finally:
            self.close()

    def leave(self):
        """End the program; only then it counts every buffer of every pool. One that was killed is waited for: below a wrapper it may live on for a moment."""
        if self.ends != -signal.SIGKILL:
            with contextlib.suppress(OSError):  # it has ended already
                self.send("quit\n")
        self.finish()

    def end_of_it(self):
        return f"--- stdout\n{tail(self.transcript())}\n--- stderr\n{tail(self.stderr())}\n--- {' '.join(self.argv)}"

    @property
    def pid(self):
        """sh execs a wrapper and a wrapper execs the program, so the child's pid is the program's."""
        return self.child.pid

    def transcript(self):
        return self.log.text()

    def stderr(self):
        return self.err_path.read_text(encoding="utf-8", errors="replace") if self.err_path.exists() else ""

    def expect(self, pattern, timeout=COMMAND_S, window=None):
        """Wait for a regular expression; returns the text before it, with plain newlines."""
        seconds = limit(timeout)
        try:
            self.child.expect(pattern, timeout=seconds, searchwindowsize=window)
        except pexpect.TIMEOUT:
            raise SessionError(f"{seconds:.0f} s passed without {pattern!r}\n{self.end_of_it()}") from None
        except pexpect.EOF:
            raise SessionError(f"the program ended before {pattern!r}\n{self.end_of_it()}") from None
        return plain(self.child.before)

    def send(self, text):
        self.child.send(text)

    def cmd(self, line, timeout=COMMAND_S):
        """Send one command; returns its answer without echo and prompt. In JSON a pipe carries neither."""
        self.send(line + "\n")
        if self.in_json:
            answer = self.expect(r"\r*\n", timeout, WINDOW)
            if line == TO_TEXT:
                self.in_json = False
                self.expect(PROMPT, timeout)
            return answer
        self.expect(re.escape(line) + r"\r*\n", timeout)
        if line == TO_JSON and not self.pty:
            self.in_json = True
            return ""
        return self.expect(PROMPT, timeout)

    def ok(self, *lines):
        """Commands that must succeed; warnings are allowed. zcfwd loads them as a script, which ends at the first line that fails and names it."""
        if TO_JSON in lines or self.in_json or "testpmd" in os.path.realpath(self.binary):
            for line in lines:
                self._looks_ok(line)
        elif lines:
            script = self.home / "script"
            script.write_text("\n".join(lines) + "\n", encoding="utf-8")
            before = len(self.stderr())
            answer = self.cmd(f"load {script}")
            assert f"Read CLI commands from {script}\n" in answer, f"{lines}: {answer!r} {self.stderr()[before:]!r}"

    def _looks_ok(self, line):
        """An object without an error, or text without known words for one: testpmd does not name a line that fails."""
        before = len(self.stderr())
        answer = self.cmd(line)
        errors = self.stderr()[before:]
        failed = '"ok": false' in answer if self.in_json else VERDICT.search(answer) or COMPLAINT.search(errors)
        assert not failed, f"{line!r}: {answer!r} {errors!r}"

    def json(self, line, timeout=COMMAND_S):
        """Send one command after `set output json`; returns its object, which is one line."""
        answer = json.loads(self.cmd(line, timeout))
        for _ in until(lambda: "command" in answer, f"the answer to {line!r}", timeout):  # events come unasked, such as a link's state
            answer = json.loads(self.expect(r"\r*\n", timeout, WINDOW))
        assert answer["command"] == line and isinstance(answer["ok"], bool) and answer.pop("time").endswith("Z") and answer.pop("schema", 1) == 1, answer
        return answer

    def json_ok(self, line, timeout=COMMAND_S):
        answer = self.json(line, timeout)
        assert answer["ok"], f"{line!r} failed: {answer} {self.stderr()}"
        return answer

    def json_end(self, line="stop"):
        """The end of a run of any engine: one of measure fails on ports that do not receive what the others send."""
        answer = self.json(line)
        foreign = not answer["ok"] and answer["engine"] == "measure" and answer["error"]["code"] == "EPROTO"
        assert answer["ok"] or foreign, f"{line!r} failed: {answer} {self.stderr()}"
        return answer

    def quit(self, line="quit", ends=None):
        """Send quit; returns as finish() does."""
        self.send(line + "\n")
        return self.finish(ends=ends)

    def signal(self, number):
        if number == signal.SIGKILL:
            self.ends = -number
        os.kill(self.pid, number)

    def finish(self, timeout=STARTUP_S, ends=None):
        """Wait for the program's end, with the status `ends` or the session's; returns (what it printed since the last expect, exit status)."""
        expected = self.ends if ends is None else ends
        text = self.expect(pexpect.EOF, timeout)
        if self.pty:
            self.child.close()
            self.rc = self.child.exitstatus if self.child.signalstatus is None else -self.child.signalstatus
        else:
            self.rc = self.child.proc.wait(limit(timeout))
        if expected not in (self.rc, KILLED):
            raise SessionError(f"exit status {self.rc}, expected {expected}\n{self.end_of_it()}")
        return text, self.rc

    def eof(self):
        """End of input: ^D on a terminal, a closed pipe otherwise."""
        self.child.sendeof()

    def close(self):
        """Kill it unless it has ended."""
        if self.rc is None:
            self.ends = KILLED
            _kill(self.child)
        shutil.rmtree(self.home, ignore_errors=True)


class _Piped(PopenSpawn):
    """Waits for output: what it inherits looks for some thousands of times a second, on CPUs that the forwarders need."""

    def read_nonblocking(self, size, timeout):
        if not self._buf and not self._read_reached_eof and timeout != 0:
            with contextlib.suppress(queue.Empty):
                piece = self._read_queue.get(timeout=self.timeout if timeout == -1 else timeout)
                if piece is None:
                    self._read_reached_eof = True
                else:
                    self._buf = self._decoder.decode(piece, final=False)
        return super().read_nonblocking(size, timeout)


class _Log:
    """Collects what the child printed, for failure messages and for tests of the raw bytes."""

    def __init__(self):
        self.parts = []

    def write(self, text):
        self.parts.append(text)

    def flush(self):
        pass

    def text(self):
        return "".join(self.parts)


def tail(text):
    return text if len(text) < TAIL else "[...]" + text[-TAIL:]


def plain(text):
    return re.sub(r"\r+\n", "\n", text) if isinstance(text, str) else ""


def _kill(child):
    try:
        os.kill(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if isinstance(child, PopenSpawn):
        child.proc.wait(limit(STARTUP_S))
        child.proc.stdin.close()
    else:
        wait_until(lambda: not child.isalive(), "the end of a killed program", STARTUP_S)
        child.close()


def run(binary, script, timeout=60, ends=0, **options):
    """A whole run with the script on stdin, ended with the status `ends`; returns the finished process, stdout and stderr apart."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="zct"))
    vdevs = options.get("vdevs", ("net_null0", "net_null1"))
    argv = [str(binary), *eal_args(options.get("lcores", USUAL_LCORES)), *[f"--vdev={v}" for v in vdevs], "--",
            *(["-i"] if options.get("interactive", True) else []), "--no-mlockall", POOL, *options.get("args", ())]
    environ = {**os.environ, "RUNTIME_DIRECTORY": str(home), "HOME": str(home), "XDG_STATE_HOME": str(home)}
    try:
        done = subprocess.run(argv, input=script, capture_output=True, timeout=limit(timeout), env=environ, check=False,
                              encoding="utf-8", errors="replace")
        assert done.returncode == ends, done
        return done
    finally:
        shutil.rmtree(home, ignore_errors=True)


def wait_until(condition, what, timeout=10.0):
    """Ask again until condition() is true; the only pause in these tests."""
    seconds = limit(timeout)
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise SessionError(f"{seconds:.0f} s passed without: {what}")
        time.sleep(0.01)
    return value
