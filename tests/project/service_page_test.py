# SPDX-License-Identifier: BSD-3-Clause
"""doc/control.md: its examples of a program with a control socket, in the background and as a service of systemd, as they are typed."""
import json
import os
import pathlib
import re
import shlex
import socket
import subprocess
import tempfile

import pytest
from conftest import ROOT
from limits import limit
from session import POOL, USUAL_LCORES, die_with_parent, lcore_args, wait_until

PAGE = (ROOT / "doc/control.md").read_text(encoding="utf-8")
NO_HUGE = [*lcore_args(USUAL_LCORES), "--no-huge", "--no-shconf", "-m", "256", "--no-pci", "--no-telemetry", "--iova-mode=va"]
pytestmark = pytest.mark.zcfwd


def typed(word):
    """The commands of the page's block that has the word."""
    (block,) = [text for text in re.findall(r"(?ms)^```\n(.*?)^```$", PAGE) if word in text]
    return re.findall(r"(?m)^# (.+)$", block), block


@pytest.fixture(name="home")
def fixture_home():
    with tempfile.TemporaryDirectory(prefix="zct") as folder:  # a short path: addresses of sockets have 107 bytes
        yield pathlib.Path(folder)


def run(binary, home, lines):
    """Commands as a shell runs them, where the page's folder for sockets is one of the test's. A machine may have no huge pages."""
    (home / "bin").mkdir(exist_ok=True)
    if not (home / "bin/zcfwd").exists():
        (home / "bin/zcfwd").symlink_to(binary)
    text = "\n".join(lines).replace("--vdev=net_null0 ", f"{shlex.join(NO_HUGE)} --vdev=net_null0 ").replace(" -- ", f" -- --no-mlockall {POOL} ")
    environment = {**os.environ, "PATH": f"{home}/bin:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(home), "XDG_STATE_HOME": str(home)}
    return subprocess.run(["bash", "-ec", text], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit(100), check=False)


def test_session(binary, home):
    """The first example, with a wait for the socket behind the line that a person types before the next one."""
    lines, _ = typed("zcfwd attach lab\n# zcfwd exec lab quit")
    assert lines[0].endswith("&") and lines[-1] == "zcfwd exec lab quit"
    done = run(binary, home, [lines[0], "until [ -S $XDG_RUNTIME_DIR/zcfwd/lab.sock ]; do sleep 0.1; done", *lines[1:], "wait"])
    assert done.returncode == 0 and "NIC statistics for port 1" in done.stdout and "Bye..." in done.stdout, done.stdout + done.stderr


def test_background(binary, home):
    """The program is ready when the command returns, and its log is where the command says."""
    lines, block = typed("--daemon --auto-start")
    done = run(binary, home, lines)
    said = re.escape(block.splitlines()[-1]).replace("4711", r"(\d+)").replace(r"/run/zcfwd", re.escape(f"{home}/zcfwd"))
    found = re.fullmatch(said + "\n", done.stdout)
    assert done.returncode == 0 and found, done
    shown = run(binary, home, ["zcfwd exec lab 'show fwd stats all'", "zcfwd exec lab quit"])
    assert "RX-packets" in shown.stdout, shown
    wait_until(lambda: not pathlib.Path(f"/proc/{found[1]}").exists(), "the end of the program", 30)
    assert "Bye..." in (home / "zcfwd/lab.log").read_text(encoding="utf-8")


def test_service(binary, home):
    """The unit's command with the page's file of options, as systemd expands it; cards are replaced by ports that any machine has."""
    lines, block = typed("/etc/zcfwd/lab.conf")
    assert lines == ["cat /etc/zcfwd/lab.conf", "systemctl enable --now zcfwd@lab", "zcfwd attach lab"]
    given = dict(re.findall(r'(?m)^(\w+)="(.*)"$', block))
    assert set(given) == {"EAL", "OPTIONS"}
    given["EAL"] = shlex.join([*NO_HUGE, "--vdev=net_null0", "--vdev=net_null1"])
    unit = next(pathlib.Path(binary).parent.glob("**/zcfwd@.service")).read_text(encoding="utf-8")
    assert "EnvironmentFile=-/etc/zcfwd/%i.conf" in unit and "RuntimeDirectory=zcfwd\n" in unit
    words = re.search(r"(?m)^ExecStart=(.*)$", unit)[1].replace("%i", "lab").replace("/run/zcfwd", str(home)).split()
    argv = [str(binary), *(part for word in words[1:] for part in (shlex.split(given[word[1:]]) if word.startswith("$") else [word]))]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(home / "notify"))
        manager.settimeout(limit(60))
        environment = {**os.environ, "NOTIFY_SOCKET": str(home / "notify"), "XDG_STATE_HOME": str(home)}
        service = subprocess.Popen([*argv, "--no-mlockall", POOL], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
        try:
            assert manager.recv(64) == b"READY=1"
            shown = subprocess.run([str(binary), "exec", "--json", f"unix:{home}/lab.sock", "show fwd stats all"], env=environment, capture_output=True,
                                   text=True, timeout=limit(30), check=False)
            answer = json.loads(shown.stdout)
            assert answer["running"] and answer["engine"] == "macswap"
            service.terminate()
            assert manager.recv(64) == b"STOPPING=1" and service.wait(limit(60)) == 0
        finally:
            service.kill()
            service.wait(20)
