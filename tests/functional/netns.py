# SPDX-License-Identifier: BSD-3-Clause
"""Network namespaces for one test: unique names, removed on every way out, those of dead runs too.

Who may make none gets them in a user namespace, whose root may, where the machine allows that.
"""
import json
import os
import pathlib
import subprocess
import sys

from limits import line_of
from session import die_with_parent

PEER = pathlib.Path(__file__).with_name("peer.py")
PREFIX = "zct"
# Its network namespace is its own, for veths are made from there; names of namespaces are files in /run.
USER_NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount", "--net", "sh", "-ec", "mount -t tmpfs tmpfs /run; echo; exec sleep infinity")
_enter = []  # what to put before a command that deals with namespaces


def refused():
    """Why no namespaces can be made here; empty: they can. To be asked before the first is made."""
    reason = attempt()
    if reason:
        try:
            keeper = subprocess.Popen(USER_NAMESPACE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
        except OSError as error:
            return f"no network namespaces here: {error}"
        if line_of(keeper.stdout, "a user namespace"):
            _enter[:] = ["nsenter", f"--target={keeper.pid}", "--user", "--preserve-credentials", "--mount", "--net"]
            reason = attempt()
    return reason and f"no network namespaces here: {reason}"


def attempt():
    try:
        with Namespaces(1):
            return ""
    except (OSError, AssertionError) as error:
        return str(error).strip().splitlines()[-1]


def entering(name):
    """What to put before a command that is to run inside."""
    return [*_enter, "nsenter", f"--net=/run/netns/{name}"]


def ip(*words):
    done = subprocess.run([*_enter, "ip", *words], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"
    return done.stdout


def remove_stale():
    """Namespaces are named after the process that made them; where it is gone, so must they be."""
    for row in json.loads(ip("-j", "netns", "list") or "[]"):
        name = row["name"]
        owner = name.removeprefix(PREFIX).split("n")[0]
        if name.startswith(PREFIX) and owner.isdigit() and not pathlib.Path(f"/proc/{owner}").exists():
            ip("netns", "del", name)


class Namespaces:
    """with Namespaces(3) as (a, b, c): each is the name of a fresh namespace without IPv6."""
    serial = 0

    def __init__(self, count):
        remove_stale()
        self.names = []
        for _ in range(count):
            Namespaces.serial += 1
            self.names.append(f"{PREFIX}{os.getpid()}n{Namespaces.serial}")

    def __enter__(self):
        try:
            for name in self.names:
                ip("netns", "add", name)
                inside(name, "sysctl", "net/ipv6/conf/all/disable_ipv6=1", "net/ipv6/conf/default/disable_ipv6=1")
        except BaseException:
            self.__exit__()
            raise
        return self.names

    def __exit__(self, *exc):
        for name in self.names:
            subprocess.run([*_enter, "ip", "netns", "del", name], capture_output=True, timeout=20, check=False)


def start(name, *words):
    """Start peer.py with these words inside a namespace; the caller finishes it."""
    return subprocess.Popen([*entering(name), sys.executable, str(PEER), *map(str, words)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def result(process, timeout=60):
    """Its answer, one JSON object; the process is gone afterwards, whatever happened."""
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
        process.wait(20)
    assert process.returncode == 0, f"{process.args}: {out}{err}"
    return json.loads(out.splitlines()[-1]) if out else None


def inside(name, *words):
    return result(start(name, *words))


def bridge(name, devices):
    """Connect devices of a namespace by a bridge of the kernel, and set all up."""
    ip("-n", name, "link", "add", "zcbr", "type", "bridge")
    for device in devices:
        ip("-n", name, "link", "set", device, "master", "zcbr")
    for device in (*devices, "zcbr"):
        ip("-n", name, "link", "set", device, "up")


def counters(name, device):
    """What the kernel counted on its end."""
    return json.loads(ip("-n", name, "-j", "-s", "link", "show", "dev", device))[0]["stats64"]
