# SPDX-License-Identifier: BSD-3-Clause
"""A Linux guest in QEMU with vhost-user network cards, spoken to over its serial console."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pexpect
import pytest
from pexpect.popen_spawn import PopenSpawn

import initrd
from session import die_with_parent

ROOT = pathlib.Path(__file__).resolve().parents[2]
QEMU = "qemu-system-x86_64"
PROMPT = r"guest# $"
BOOT_S = 120
COMMAND_S = 60
MIB = 320
CLOUD, HARDWARE = "cloud-amd64", "amd64"  # Debian's kernels: for virtual machines, and with the drivers of cards
# With room for one CPU alone, TCG of QEMU before 8.1 leaves out the guest's memory barriers, though a backend runs beside it:
# guest and backend may miss each other's indices, and a notification is lost.
SMP = ("-smp", "1,maxcpus=2")


def lacking(flavour=CLOUD):
    """Why no guest can run here, or None; fetches its kernel."""
    missing = [name for name in (QEMU, "busybox", "iperf3", "ethtool") if not shutil.which(name)]
    if missing:
        return f"{', '.join(missing)} not installed: devtools/setup vm"
    fetched = subprocess.run([ROOT / "devtools/guest-kernel", flavour], capture_output=True, text=True, check=False, timeout=600)
    return fetched.stderr.strip() if fetched.returncode else None


def kernel(flavour=CLOUD):
    """The folder with the guest's kernel, which may be given as such."""
    if isinstance(flavour, pathlib.Path):
        return flavour
    said = subprocess.run([ROOT / "devtools/guest-kernel", flavour], capture_output=True, text=True, check=True, timeout=600).stdout
    return pathlib.Path(said.strip())


def archive(tmp_path_factory, modules=initrd.MODULES, programs=initrd.PROGRAMS, flavour=CLOUD):
    """What guests boot from; skips the test where no guest can run."""
    if why := lacking(flavour):
        pytest.skip(why)
    path = tmp_path_factory.mktemp("vm") / "initrd"
    initrd.write(path, kernel(flavour), modules, programs)
    return path


class Program:
    """zcfwd in a guest. files: what its archive needs; drivers: names of those that the program loads, without librte_ and .so."""

    def __init__(self, binary, drivers, more=()):
        eal = next(pathlib.Path(path) for path in initrd.libraries(binary) if "/librte_eal.so" in path)
        plugins = [str(eal.with_name(eal.name.replace("eal", name))) for name in drivers]
        # Threads load libgcc_s when they end.
        self.files = (str(binary), *plugins, str(eal.with_name("libgcc_s.so.1")), *more)
        self.start = " ".join([str(binary), "--no-telemetry", *(f"-d {plugin}" for plugin in plugins)])

    def line(self, eal, own):
        """The command line with options of EAL and of its own."""
        return f"{self.start} {eal} -- --no-mlockall {own}"


class Card:
    """A virtio network card whose backend is at the other end of a socket.

    listens: QEMU makes the socket, and the backend comes back to it; else the backend makes it. features: properties of
    virtio-net-pci, such as host_tso4=off.
    """

    def __init__(self, socket, mac, *, listens=True, queues=1, features=""):
        self.socket, self.mac, self.listens, self.queues, self.features = socket, mac, listens, queues, features

    def options(self, number):
        end = "server=on" if self.listens else "reconnect=1"
        device = ["virtio-net-pci", f"netdev=n{number}", f"mac={self.mac}", "romfile=", f"addr={number + 2:#x}",
                  "vectors=0",  # without KVM, QEMU 7.2 dereferences NULL when it asks vhost-user for MSI-X
                  *(["mq=on"] if self.queues > 1 else []), *filter(None, [self.features])]
        return ["-chardev", f"socket,id=c{number},path={self.socket},{end}",
                "-netdev", f"vhost-user,id=n{number},chardev=c{number},queues={self.queues}",
                "-device", ",".join(device)]


class Guest:
    """A machine that is on while the block runs: `guest.boot()`, then `guest.sh("ip link")`. There is no way in but its console."""

    def __init__(self, disk, cards, mib=MIB, flavour=CLOUD):
        # A guest's memory is its backend's too.
        self.argv = [QEMU, "-nodefaults", "-no-reboot", "-accel", "tcg", "-cpu", "max", *SMP, "-m", str(mib),
                     "-object", f"memory-backend-memfd,id=mem,size={mib}M,share=on", "-numa", "node,memdev=mem",
                     "-display", "none", "-serial", "stdio", "-kernel", str(next(kernel(flavour).glob("boot/vmlinuz-*"))),
                     "-initrd", str(disk), "-append", "console=ttyS0 quiet panic=-1 no_timer_check"]
        for number, card in enumerate(cards):
            self.argv += card.options(number)
        self.child, self.said = None, []

    def __enter__(self):
        self.power_on()
        return self

    def power_on(self):
        """Again after kill(), too; goes on once its backends have come."""
        self.child = PopenSpawn(self.argv, encoding="utf-8", codec_errors="replace", timeout=COMMAND_S, preexec_fn=die_with_parent)
        self.child.logfile_read = self

    def __exit__(self, *exc):
        self.kill()

    def boot(self, timeout=BOOT_S):
        """Waits for its shell."""
        self.expect(PROMPT, timeout)
        return self

    def write(self, text):
        self.said.append(text)

    def flush(self):
        pass

    def expect(self, pattern, timeout):
        try:
            self.child.expect(pattern, timeout)
        except (pexpect.TIMEOUT, pexpect.EOF) as e:
            raise AssertionError(f"guest: {type(e).__name__} instead of {pattern!r}\n{''.join(self.said)[-4000:]}") from None
        return self.child.before

    def start(self, line):
        """A command whose end is waited for later."""
        self.child.send(f"{line}; echo status=$?\n")

    def finish(self, timeout=COMMAND_S):
        """What it printed; it must have gone well."""
        text = self.expect(r"status=(\d+)\r?\n", timeout)
        status = int(self.child.match[1])
        self.expect(PROMPT, timeout)
        text = re.sub(r"\r", "", text)
        assert status == 0, f"guest: status {status}: {text}"
        return text

    def sh(self, line, timeout=COMMAND_S):
        self.start(line)
        return self.finish(timeout)

    def kill(self):
        """As if the machine went away."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.child.pid, signal.SIGKILL)
        self.child.proc.wait(COMMAND_S)
        self.child.proc.stdin.close()
