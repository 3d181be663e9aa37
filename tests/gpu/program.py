# SPDX-License-Identifier: BSD-3-Clause
"""The program of a bundle, driven line by line; plain python3, and nothing here waits for ever."""
import collections
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
CPUS = sorted(os.sched_getaffinity(0))
ANSWER_S = 60


class Refused(Exception):
    """The program did not start, did not answer, or refused a command; the text has its words."""


def lcores_of(n):
    """EAL's option for a main lcore and n workers, a CPU each where there are as many."""
    if n < len(CPUS):
        return ["--lcores", ",".join(f"{i}@{CPUS[i]}" for i in range(n + 1))]
    return ["--lcores", f"(0-{n})@({','.join(map(str, CPUS))})"]


class Program:
    """A running program that answers in JSON. Use as a context manager: the child never outlives the block."""

    def __init__(self, vdevs=(), args=(), *, workers=1, mib=512, eal=(), env=None, name="zcfwd"):
        self.home = tempfile.mkdtemp(prefix="gpu")
        self.program = str(HERE / name)
        argv = [self.program, *lcores_of(workers), "--no-huge", "-m", str(mib), "--no-shconf", "--no-pci", "--iova-mode=va", "--no-telemetry",
                f"--file-prefix=gpu{os.getpid()}", *(f"--vdev={vdev}" for vdev in vdevs), *eal, "--", "-i", "--no-mlockall", "--no-flush-rx", *args]
        environ = {**os.environ, "RUNTIME_DIRECTORY": self.home, "HOME": self.home, "XDG_STATE_HOME": self.home, **(env or {})}
        self.child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1, env=environ,
                                      errors="replace")
        self.lines, self.errors = queue.Queue(), collections.deque(maxlen=200)
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=lambda: self.errors.extend(line.rstrip() for line in self.child.stderr), daemon=True).start()
        self._send("set output json")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def _read(self):
        for line in self.child.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _send(self, line):
        try:
            self.child.stdin.write(line + "\n")
        except (BrokenPipeError, ValueError):
            pass  # the answer says it

    def ask(self, line, timeout=ANSWER_S):
        """Send a command; its object, also when it failed."""
        self._send(line)
        end = time.monotonic() + timeout
        while True:
            try:
                answer = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise Refused(f"{line}: no answer in {timeout} s") from None
            if answer is None:
                self.child.wait(10)
                raise Refused(f"{line}: the program ended with {self.child.returncode}: {' / '.join(list(self.errors)[-3:])}")
            if answer.startswith("{"):
                answer = json.loads(answer)
                if answer.get("command") == line:
                    return answer

    def do(self, *lines, timeout=ANSWER_S):
        """Commands that must succeed; the last one's object."""
        for line in lines:
            answer = self.ask(line, timeout)
            if not answer["ok"]:
                raise Refused(f"{line}: {said(answer)}")
        return answer

    def until(self, line, condition, timeout=20):
        """Ask until condition(answer) is true."""
        end = time.monotonic() + timeout
        while not condition(answer := self.do(line)):
            if time.monotonic() > end:
                raise Refused(f"{line}: {timeout} s in vain: {json.dumps(answer)[:600]}")
            time.sleep(0.02)
        return answer

    def quit(self, timeout=30):
        """Its exit status after quit; Refused when it does not end in time."""
        self._send("quit")
        return self.ended(timeout)

    def ended(self, timeout=30):
        try:
            return self.child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Refused(f"not ended after {timeout} s") from None

    def signal(self, number):
        os.kill(self.child.pid, number)

    def kill(self):
        if self.child.poll() is None:
            self.signal(signal.SIGKILL)
        self.child.wait(60)


def said(answer):
    """The words of a failure."""
    error = answer.get("error", {})
    return error.get("message") or error.get("text") or json.dumps(error) if isinstance(error, dict) else str(error)
