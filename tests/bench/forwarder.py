# SPDX-License-Identifier: BSD-3-Clause
# One forwarder (zcfwd or dpdk-testpmd) driven at its prompt, with timestamps taken around what it answers.
"""stdin is a pipe, stdout and stderr a raw pty: testpmd buffers its text on a pipe, and prompts overtake it."""

import contextlib
import ctypes
import os
import pty
import re
import select
import signal
import subprocess
import time
import tty
from collections import namedtuple

PROMPT = re.compile(rb"(\w+> )$")
RX = re.compile(rb"^ *RX-packets: *(\d+)", re.M)
TX = re.compile(rb"^ *TX-packets: *(\d+)", re.M)
REFUSED = (b"Command not found", b"Bad arguments", b"Ambiguous command")
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
NICE = -15
ALL_CPUS = os.sched_getaffinity(0)

# at: when the newline of the command left, s; doubt: until the first byte of the answer came back, s.
Reading = namedtuple("Reading", "at doubt ports rx tx")


class ForwarderError(Exception):
    """The program refused a command, died or fell silent; the message holds its last words."""


class Forwarder:
    """A running process at its prompt. The caller must close() it."""

    def __init__(self, argv, netns=None, timeout=30):
        self.argv = argv
        self.prompt = None
        master, slave = pty.openpty()
        tty.setraw(slave)
        self.fd = master
        enter = ["nsenter", "--net=/run/netns/" + netns] if netns else []
        began = time.monotonic()
        self.process = subprocess.Popen(
            enter + argv, stdin=subprocess.PIPE, stdout=slave, stderr=slave, bufsize=0,
            start_new_session=True, preexec_fn=before_exec)
        os.close(slave)
        self.gone = os.pidfd_open(self.process.pid)
        try:
            self.banner = self._until_prompt(timeout)
        except ForwarderError:
            self.close()
            raise
        self.prompt_after = time.monotonic() - began
        self.polling = self._workers()

    def command(self, line, timeout=10):
        """Run one command and return its answer as text; raise if the parser refuses it."""
        _, _, text = self._ask(line, timeout)
        if any(word in text for word in REFUSED):
            raise ForwarderError("%s: %s" % (line, last_words(text)))
        return text.decode(errors="replace")

    def reading(self, timeout=5):
        """Read the packet counters of all ports, summed, their number, and the time of reading."""
        at, doubt, text = self._ask("show port stats all", timeout)
        rx, tx = RX.findall(text), TX.findall(text)
        if not rx or len(rx) != len(tx):
            raise ForwarderError("show port stats all: " + last_words(text))
        return Reading(at, doubt, len(rx), sum(map(int, rx)), sum(map(int, tx)))

    def expect_ports(self, ports):
        """Raise, with what the program said, unless it has that many: testpmd goes on without those that fail."""
        found = len(RX.findall(self._ask("show port stats all", 5)[2]))
        if found != ports:
            said = [line for line in self.banner.splitlines() if b"fail" in line or b"could not" in line]
            raise ForwarderError("%d ports instead of %d: %s" % (found, ports, last_words(b"\n".join(said))))

    def waited(self):
        """Seconds that the polling threads were runnable but not running since they began."""
        total = 0
        for tid in self.polling:
            with open("/proc/%d/task/%d/schedstat" % (self.process.pid, tid)) as file:
                total += int(file.read().split()[1])
        return total / 1e9

    def hurry(self):
        """
        Let the prompt thread preempt all that shares its core: it only answers, and it times the slices.
        Not for a process whose forwarding lcore is on that core too.
        """
        with contextlib.suppress(OSError):
            os.sched_setscheduler(self.process.pid, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))

    def freeze(self, still):
        """Stop the whole process where it is, or let it go on: at once, while `stop` waits for a core to answer on."""
        self.process.send_signal(signal.SIGSTOP if still else signal.SIGCONT)

    def close(self):
        """Quit, politely first; return the seconds from `quit` to the exit."""
        self.freeze(False)
        began = time.monotonic()
        try:
            self.process.stdin.write(b"quit\n")
            self._read_until_gone(began + 10)
        except OSError:
            self.process.kill()
            select.select([self.gone], [], [], 5)
        took = time.monotonic() - began
        # Reaping at once would spin in the kernel, at this driver's priority, against the last steps of the exit.
        time.sleep(0.002)
        self.process.wait(60)
        self.process.stdin.close()
        for fd in (self.gone, self.fd):
            os.close(fd)
        return took

    def alive(self):
        """Whether the process has not ended."""
        return not select.select([self.gone], [], [], 0)[0]

    def _read_until_gone(self, end):
        """Read what a leaving program says until it is gone; OSError if it does not leave in time."""
        sources = [self.gone, self.fd]
        while True:
            ready = select.select(sources, [], [], max(0, end - time.monotonic()))[0]
            if not ready:
                raise TimeoutError
            if self.gone in ready:
                return
            try:
                os.read(self.fd, 65536)
            except OSError:  # it hung up: only the exit is left
                sources = [self.gone]

    def _ask(self, line, timeout):
        """The line goes first and the newline, which starts the work, alone after it: only that is timed."""
        try:
            self.process.stdin.write(line.encode())
            time.sleep(0.002)
            self._discard_pending()
            at = time.monotonic()
            self.process.stdin.write(b"\n")
        except BrokenPipeError:
            raise ForwarderError("%s: the program is gone" % line) from None
        text = self._read(timeout, line)
        doubt = time.monotonic() - at
        return at, doubt, text + self._until_prompt(timeout, text, line)

    def _until_prompt(self, timeout, text=b"", line="start-up"):
        """Read until the text ends in the prompt; return what was read here."""
        fresh, end = b"", time.monotonic() + timeout
        while not self._at_prompt(text + fresh):
            fresh += self._read(end - time.monotonic(), line, text + fresh)
        return fresh

    def _at_prompt(self, text):
        if self.prompt is None:
            found = PROMPT.search(text)
            self.prompt = found.group(1) if found else None
            return found is not None
        return text.endswith(self.prompt)

    def _read(self, timeout, line, before=b""):
        ready, _, _ = select.select([self.fd], [], [], max(timeout, 0))
        if not ready:
            raise ForwarderError("%s: no prompt in time: %s" % (line, last_words(before)))
        try:
            return os.read(self.fd, 65536)
        except OSError:
            raise ForwarderError("%s: the program died: %s" % (line, last_words(before))) from None

    def _discard_pending(self):
        while select.select([self.fd], [], [], 0)[0]:
            self._read(0, "idle")

    def _workers(self):
        """Thread ids of the forwarding lcores; EAL of every version has "worker" in their names."""
        tasks = "/proc/%d/task/" % self.process.pid
        found = []
        for tid in os.listdir(tasks):
            with contextlib.suppress(FileNotFoundError), open(tasks + tid + "/comm") as file:
                if "worker" in file.read():
                    found.append(int(tid))
        return found


def before_exec():
    """
    In the child: any CPU (EAL pins itself), preferred to other tasks of the machine, and never outliving the driver,
    not even frozen. Where the kernel groups tasks by session, only the nice value of the group counts.
    """
    os.sched_setaffinity(0, ALL_CPUS)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
        with open("/proc/self/autogroup", "w") as file:
            file.write(str(NICE))


def last_words(text, count=3):
    """The last lines of raw output as one line, for error messages."""
    lines = [line.strip() for line in text.decode(errors="replace").splitlines() if line.strip()]
    return " | ".join(lines[-count:]) or "(silence)"
