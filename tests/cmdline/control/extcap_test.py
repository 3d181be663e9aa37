# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd extcap: what Wireshark asks a program that captures for it, in its words, and a capture to its FIFO."""
import os
import pathlib
import re
import signal
import socket
import subprocess

import pcapng
import pytest
from limits import limit, until
from session import Session, open_files, wait_until

pytestmark = pytest.mark.zcfwd
ONE = "zcfwd:lab:1"


@pytest.fixture
def lab(binary, home):
    with Session(binary, args=["--control", "lab", "--no-flush-rx"], env={"XDG_RUNTIME_DIR": str(home)}) as session:
        yield session


def environment(home):
    return {**os.environ, "XDG_RUNTIME_DIR": str(home)}


def extcap(binary, home, *words, status=0):
    """(stdout, stderr)"""
    done = subprocess.run([str(binary), "extcap", *words], env=environment(home), capture_output=True, text=True, check=False, timeout=limit(60))
    assert done.returncode == status, done
    return done.stdout, done.stderr


def sentences(text):
    """[(word, {key: value})] of Wireshark's language."""
    lines = [re.fullmatch(r"(\w+) ((?:\{\w+=[^{}]+\})+)", line) for line in text.splitlines()]
    return [(line[1], dict(pair.split("=", 1) for pair in re.findall(r"\{([^}]+)\}", line[2]))) for line in lines]


def test_interfaces(binary, home, lab):
    """The ports of all programs that answer; of others one line on stderr."""
    with socket.socket(socket.AF_UNIX) as dead, socket.socket(socket.AF_UNIX) as busy:
        dead.bind(str(home / "zcfwd/dead.sock"))
        busy.bind(str(home / "zcfwd/busy.sock"))
        busy.listen()
        text, errors = extcap(binary, home, "--extcap-interfaces", "--extcap-version=4.4")
    version, *ports = sentences(text)
    assert version == ("extcap", {"version": "1.0", "display": "zcfwd"})
    assert ports == [("interface", {"value": f"zcfwd:lab:{n}", "display": f"zcfwd lab port {n}: net_null{n}"}) for n in (0, 1)]
    assert "busy does not answer: it is busy" in errors and "dead.sock" in errors and errors.count("\n") == 2


def test_none(binary, home):
    """A machine without a program has no interfaces, and that is no failure."""
    text, errors = extcap(binary, home, "--extcap-interfaces")
    assert len(sentences(text)) == 1 and errors == ""


def test_about(binary, home):
    """Link types and options do not need the program."""
    assert sentences(extcap(binary, home, "--extcap-interface", ONE, "--extcap-dlts")[0]) == [("dlt", {"number": "1", "name": "EN10MB", "display": "Ethernet"})]
    config = sentences(extcap(binary, home, "--extcap-config", f"--extcap-interface={ONE}")[0])
    assert [(word, about["call"]) for word, about in config if word == "arg"] == [("arg", "--direction"), ("arg", "--snaplen")]
    assert [about["value"] for word, about in config if word == "value"] == ["both", "rx", "tx"]


def test_check(binary, home, lab):
    """What is wrong about a filter is on stdout; nothing: it is right."""
    assert extcap(binary, home, "--extcap-interface", ONE, "--extcap-capture-filter", 'udp port 53 and ip[8] > 4') == ("", "")
    assert "syntax error" in extcap(binary, home, "--extcap-interface", ONE, "--extcap-capture-filter", "udp prt 53")[0]


@pytest.mark.parametrize("end", [signal.SIGTERM, "fifo"])
def test_capture(binary, home, lab, end):
    """Wireshark reads its FIFO, and ends the capture by a signal or by closing that."""
    os.mkfifo(home / "fifo")
    argv = [str(binary), "extcap", "--capture", "--extcap-interface", ONE, "--fifo", str(home / "fifo"), "--extcap-capture-filter", "greater 10",
            "--direction", "tx", "--snaplen", "40", "--some-later-word", "x"]
    lab.ok("start")
    with subprocess.Popen(argv, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        with open(home / "fifo", "rb") as fifo:
            data = fifo.read(20000)
            if end != "fifo":
                process.send_signal(end)
                data += fifo.read()
        out, errors = process.communicate(timeout=limit(40))
    assert process.returncode == 0 and out == "" and errors.startswith("Tap of port 1: "), errors
    if end != "fifo":
        stream = pcapng.read(data)
        assert stream.counts["written"] == len(stream.packets) > 0 and stream.filter == "greater 10" and stream.snaplen == 40
        assert {(p.direction, len(p.data)) for p in stream.packets} == {(pcapng.OUTBOUND, 40)}
    lab.cmd("set output json")
    for _ in until(lambda: not lab.json_ok("show capture")["taps"], "the end of the tap"):
        pass
    lab.cmd("set output text")
    lab.ok("stop")


def test_nobody_reads(binary, home):
    """A signal ends the wait for the FIFO's reader."""
    os.mkfifo(home / "fifo")
    argv = [str(binary), "extcap", "--capture", "--extcap-interface", ONE, "--fifo", str(home / "fifo")]
    with subprocess.Popen(argv, env=environment(home), stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: "anon_inode:[signalfd]" in open_files(process.pid), "the blocked signals")
        process.send_signal(signal.SIGTERM)
        assert "extcap: no reader opens" in process.communicate(timeout=limit(40))[1] and process.returncode == 1


@pytest.mark.parametrize("words, answer", [
    ([], "extcap: Wireshark runs this"),
    (["--capture", "--extcap-interface", ONE], "extcap: --capture: expected --fifo PATH"),
    (["--extcap-interface", "eth0", "--extcap-capture-filter", "udp"], 'extcap: interface "eth0": expected zcfwd:NAME:PORT'),
    (["--extcap-interface", "zcfwd:lab", "--extcap-capture-filter", "udp"], 'expected zcfwd:NAME:PORT'),
    (["--extcap-interface", "zcfwd:lab:x", "--extcap-capture-filter", "udp"], 'expected zcfwd:NAME:PORT'),
    (["--extcap-interface", ONE, "--extcap-capture-filter", "udp"], "lab.sock: No such file or directory"),
    (["--extcap-interface", ONE, "--capture", "--fifo", "/none/x"], "extcap: /none/x: No such file or directory"),
    (["--extcap-interface", ONE, "--capture", "--fifo", "/none/x", "--direction", "in"], "--direction in: expected rx, tx or both"),
])
def test_refused(binary, home, words, answer):
    out, errors = extcap(binary, home, *words, status=1)
    assert out == "" and answer in errors and errors.count("\n") == 1


def test_wrapper(binary, home, lab):
    """What is installed for Wireshark runs the installed zcfwd."""
    [wrapper] = pathlib.Path(binary).parent.glob("**/zcfwd-extcap")
    text = re.sub(r"exec \S+", f"exec {binary}", wrapper.read_text(encoding="utf-8"))
    done = subprocess.run(["sh", "-c", text, "zcfwd-extcap", "--extcap-interfaces"], env=environment(home), capture_output=True, text=True, check=True, timeout=60)
    assert len(sentences(done.stdout)) == 3
