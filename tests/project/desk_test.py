# SPDX-License-Identifier: BSD-3-Clause
"""A desk without cards (make run PORTS=veth, hosts, wire): packets cross it, nothing of it is left, and what it says where it cannot be made."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import pexpect
import pytest

from conftest import ROOT, binary_path
from modelled import needs_model_nic
from session import STARTUP_S, die_with_parent, limit, wait_until

pytestmark = pytest.mark.zcfwd

RUN, PEER = ROOT / "devtools/run", ROOT / "tests/fixtures/peer.py"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
PROMPT = "zcfwd> "
SIZE = 1_000_000


class Desk:
    """The shell that make run opens, on a terminal. front: a command that runs it."""

    def __init__(self, kind, run=RUN, binary=None, front=()):
        argv = [*front, str(run), str(binary or binary_path()), "--no-mlockall"]
        self.home = tempfile.TemporaryDirectory(prefix="zct")
        os.chmod(self.home.name, 0o777)  # of whoever the front makes it
        self.child = pexpect.spawn(argv[0], argv[1:], encoding="utf-8", timeout=limit(STARTUP_S), dimensions=(50, 300), preexec_fn=die_with_parent,
                                   env={**os.environ, "PORTS": kind, "HUGEPAGES": "0", "HOME": self.home.name, "TERM": "dumb"})
        self.child.delaybeforesend = None
        self.child.expect_exact(PROMPT)
        self.banner = self.child.before.replace("\r", "")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.child.close(force=True)
        self.home.cleanup()

    def cmd(self, line):
        self.child.send(line + "\r")
        self.child.expect_exact(PROMPT, timeout=limit(60))
        return self.child.before.replace("\r", "")

    def quit(self):
        self.child.send("quit\r")
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus

    def enter(self, host):
        """The words that its first line gives another terminal, for this host."""
        return re.search(r"nsenter (.*?) ip netns exec ", self.banner)[0].split() + [host]


def of_the_host():
    """A desk's names among those of the host, where they would be had it no namespaces of its own. Other tests have other names there meanwhile."""
    seen = [subprocess.run(words, capture_output=True, text=True, check=True, timeout=20).stdout
            for words in (["ip", "-o", "link", "show", "type", "veth"], ["ip", "-br", "link", "show", "type", "bridge"], ["ip", "netns", "list"])]
    return [sorted(set(re.findall(r"\b(?:port[01]|far[01]?|bridge|host[01])(?=[@:\s])", one))) for one in seen]


def measured(desk):
    """Packets that each port received intact of those that the other one sent."""
    for line in ("set fwd measure", "set generate flows 4", "set generate-rate 5kpps", "set generate-late 1000000", "start for 300ms"):
        desk.cmd(line)
    text = desk.cmd("show measure")
    rows = re.findall(r"sent (\d+), lost 0 .*\n  received (\d+) intact, of these reordered 0 .* 0 damaged, (\d+) foreign", text)
    assert len(rows) == 2 and all(sent == got and int(sent) > 100 and foreign == "0" for sent, got, foreign in rows), text


@pytest.mark.netns
@pytest.mark.needs("measure")
def test_bridge():
    """All packets cross the kernel's bridge, and nobody else's. The host does not see the desk, and nothing is left."""
    before = of_the_host()
    with Desk("veth") as desk:
        measured(desk)
        links = subprocess.run([*desk.enter("far"), "ip", "-o", "link"], capture_output=True, text=True, check=True, timeout=20).stdout
        assert len(re.findall(r"far[01]@.* master bridge", links)) == 2
        assert of_the_host() == before
        assert desk.quit() == 0
    assert of_the_host() == before


@pytest.mark.netns
@pytest.mark.needs("measure")
def test_two_desks():
    """The second one finds no name taken; each measures its own packets."""
    with Desk("veth") as one, Desk("veth") as other:
        measured(one)
        measured(other)
        assert one.quit() == 0
        measured(other)


def namespaces_of(pid):
    return [os.readlink(f"/proc/{pid}/ns/{kind}") for kind in ("net", "mnt")]


def held(spaces):
    """Whether any process is in one of these namespaces."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if set(namespaces_of(pid)) & set(spaces):
                return True
    return False


@pytest.mark.netns
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM], ids=lambda number: number.name)
def test_killed(number):
    """However the program ends, no process keeps the desk, so the kernel removes it."""
    before = of_the_host()
    with Desk("veth") as desk:
        spaces = namespaces_of(desk.child.pid)
        assert held(spaces) and os.readlink("/proc/self/ns/net") not in spaces
        desk.cmd("start")
        desk.child.kill(number)
        wait_until(lambda: not desk.child.isalive(), "the end of the program", 20)
    assert not held(spaces) and of_the_host() == before


@pytest.mark.netns
def test_key():
    """^C at the prompt and in a run ends neither the shell nor the desk."""
    with Desk("hosts") as desk:
        desk.child.send("\x03")
        desk.child.expect_exact(PROMPT)
        desk.cmd("set fwd io")
        desk.child.send("start for 100s\r")
        desk.child.expect("forwarding")
        desk.child.send("\x03")
        desk.child.expect_exact(PROMPT)
        desk.cmd("start")
        ping(desk)


def ping(desk):
    subprocess.run([*desk.enter("host0"), "ping", "-q", "-c", "3", "-i", "0.2", "10.77.0.2"], capture_output=True, check=True, timeout=limit(20))


@pytest.mark.netns
def test_hosts():
    """Two hosts of the kernel reach each other through the program, with TCP too: its checksums are not left open."""
    with Desk("hosts") as desk:
        desk.cmd("start")
        ping(desk)
        popen = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "preexec_fn": die_with_parent}
        serve = subprocess.Popen([*desk.enter("host1"), sys.executable, str(PEER), "serve", "10.77.0.2", "5001"], **popen)
        send = subprocess.Popen([*desk.enter("host0"), sys.executable, str(PEER), "send", "10.77.0.2", "5001", str(SIZE)], **popen)
        try:
            sent, got = (process.communicate(timeout=limit(60)) for process in (send, serve))
        finally:
            for process in (send, serve):
                process.kill()
                process.wait(20)
        assert (send.returncode, serve.returncode) == (0, 0) and f'"bytes": {SIZE}' in got[0], (sent, got)
        desk.cmd("stop")
        assert desk.quit() == 0


@pytest.fixture(name="open_tree")
def fixture_open_tree(tmp_path_factory):
    """devtools/run, devtools/desk and the program, where a user without rights may read them."""
    folder = tmp_path_factory.mktemp("tree")
    for above in (folder, folder.parent, folder.parent.parent):
        above.chmod(0o755)
    for path in (RUN, ROOT / "devtools/desk", binary_path()):
        shutil.copy(path, folder)
        (folder / path.name).chmod(0o755)
    return folder


@pytest.mark.netns
@pytest.mark.needs("measure")
def test_nobody(open_tree):
    """Who is not root gets a desk where the machine gives everybody user namespaces, else one line."""
    front = NOBODY if os.getuid() == 0 else []
    given = subprocess.run([*front, "unshare", "--user", "--map-current-user", "--keep-caps", "--net", "true"], capture_output=True, check=False, timeout=20)
    if given.returncode != 0:
        status, out, err = refused("veth", *front, run=open_tree / "run")
        assert (status, out) == (1, "") and re.fullmatch(r"run: PORTS=veth: no network namespace: .*: use root, or .*\n", err), err
        return
    with Desk("veth", open_tree / "run", open_tree / "zcfwd", front) as desk:
        measured(desk)
        assert "nsenter --target" in desk.banner and "--user --preserve-credentials" in desk.banner
        assert desk.quit() == 0


@needs_model_nic
@pytest.mark.needs("measure")
def test_wire():
    """Two modelled cards with a wire between them."""
    with Desk("wire") as desk:
        measured(desk)
        assert desk.quit() == 0


def refused(kind, *front, path=None, run=RUN):
    """The status and the lines of a desk that cannot be made; the program is not started."""
    environment = {**os.environ, "PORTS": kind, "HUGEPAGES": "0", **({"PATH": str(path)} if path else {})}
    done = subprocess.run([*front, str(run), "/bin/echo", "started"], capture_output=True, text=True, check=False, timeout=60, env=environment)
    return done.returncode, done.stdout, done.stderr


def tools(folder, without=(), **scripts):
    """A PATH that lacks some commands, and has scripts for others."""
    folder.mkdir()
    for tool in ("sh", "id", "sed", "nproc", "cat", "dirname", "tail", "mkdir", "mount", "ip", "unshare", "ethtool", "true", "uname"):
        if tool not in (*without, *scripts) and shutil.which(tool):
            (folder / tool).symlink_to(shutil.which(tool))
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize("without, line", [
    ("ip", "run: PORTS=veth: no command \"ip\": install iproute2\n"),
    ("unshare", "run: PORTS=veth: no command \"unshare\": install util-linux\n"),
])
def test_no_command(tmp_path, without, line):
    assert refused("veth", path=tools(tmp_path / "bin", [without])) == (1, "", line)


def test_unknown():
    assert refused("veht") == (2, "", "run: unknown PORTS=veht: expected xl710, 82599, x540, wire, veth, hosts, null, ring, tap or none\n")


@pytest.mark.parametrize("words", [[], ["veth"], ["veht", "true"], ["--help", "lab"]], ids=" ".join)
def test_usage(words):
    """devtools/desk with words that it does not have: how to call it, not what the shell says of its lines."""
    done = subprocess.run([str(ROOT / "devtools/desk"), *words], capture_output=True, text=True, check=False, timeout=20, env={**os.environ, "kind": "lab"})
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "usage: devtools/desk veth|hosts|lab COMMAND...\n")


def test_no_rights(tmp_path):
    """A machine that gives neither namespaces nor user namespaces."""
    stub = tools(tmp_path / "bin", unshare='echo "unshare: unshare failed: Operation not permitted" >&2; exit 1')
    assert refused("veth", path=stub) == (1, "", "run: PORTS=veth: no network namespace: unshare: unshare failed: Operation not permitted: "
                                                 "use root, or CAP_NET_ADMIN and CAP_SYS_ADMIN\n")


@pytest.mark.netns
@pytest.mark.parametrize("scripts, line", [
    ({"ip": 'case $* in "link add"*) echo "Error: Unknown device type." >&2; exit 2 ;; *) exec {ip} "$@" ;; esac'},
     "run: PORTS=veth: ip link add port0 type veth peer name far0 netns far: Error: Unknown device type.\n"),
    ({"mount": 'echo "mount: /run/netns: permission denied." >&2; exit 32'}, "run: PORTS=veth: mount: /run/netns: permission denied.\n"),
], ids=["no veth", "no mount"])
def test_cannot_be_made(tmp_path, scripts, line):
    """A step that fails is the one line, and the program is not started."""
    before = of_the_host()
    scripts = {name: text.replace("{ip}", shutil.which("ip")) for name, text in scripts.items()}
    assert refused("veth", path=tools(tmp_path / "bin", **scripts)) == (1, "", line)
    assert of_the_host() == before


@pytest.mark.netns
@pytest.mark.parametrize("scripts, line", [
    ({}, "run: TCP and UDP packets of host{i} have open checksums, and their receiver drops them: no command \"ethtool\": install ethtool"),
    ({"ethtool": "echo 'Cannot change tx-checksum-ip-generic' >&2; exit 1"},
     "run: TCP and UDP packets of host{i} have open checksums, and their receiver drops them: ethtool -K eth0 tx off: Cannot change tx-checksum-ip-generic"),
], ids=["no ethtool", "refused"])
def test_open_checksums(tmp_path, scripts, line):
    """The desk is made, and says what will not work on it."""
    status, out, err = refused("hosts", path=tools(tmp_path / "bin", ["ethtool"], **scripts))
    assert status == 0 and "started" in out and err.splitlines()[:2] == [line.replace("{i}", str(i)) for i in (0, 1)], err
