# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-otg as a server: what wrong requests and arguments are answered, and its life with the program."""
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys

import pytest
import zcfwd
from limits import limit, line_of
from otg import RINGS, SERVER, capturing, config, flow, own_words, server_env, serving, transmit
from package import gone, started, wait_gone
from session import wait_until

pytestmark = pytest.mark.zcfwd


@pytest.fixture(scope="module")
def client(binary):
    with serving(binary, own=own_words(RINGS)) as found:
        yield found


def raw(client, request):
    """The answer to bytes, until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=limit(20)) as connection:
        connection.sendall(request)
        found = b""
        while more := connection.recv(65536):
            found += more
    return found


def test_first(client):
    """Before there is a configuration."""
    assert client.good("GET", "/config") == {}
    assert client.good("GET", "/capabilities/version")["app_version"].startswith("zcfwd ")
    [error] = client.refused("POST", "/control/state", transmit("start"))
    assert error == "traffic.flow_transmit: there are no flows: expected a configuration with flows first"
    assert "expected a configuration with captures first" in client.refused("POST", "/control/state", capturing("start"))[0]
    assert "no capture is configured" in client.refused("POST", "/monitor/capture", {"port_name": "p1"})[0]
    assert client.flows() == {} == client.ports()


def test_requests(client):
    """Each wrong request has its code, and an error in OTG's form."""
    for path, body, message in (("/config", b"{", "expected JSON: "), ("/config", b"", "expected JSON: "), ("/config", b"[" * 100000, "expected JSON: "),
                                ("/config", b'{"options": NaN}', "expected JSON: NaN is not a finite number"),
                                ("/config", b'{"options": [1e999]}', "expected JSON: 1e999 is not a finite number"),
                                ("/config", b'{"flows": [{"name": "a", "name": "b"}]}', "expected JSON: member 'name': given twice"),
                                ("/config", b'{"options": ' + b"[" * 500 + b"]" * 500 + b"}", "expected JSON: more than 64 objects and lists"),
                                ("/config", b"\xff", "expected JSON: "), ("/config", b"[1]", "request: expected an object, not [1]"),
                                ("/control/state", {}, "traffic: missing"),
                                ("/control/state", {"choice": "x"}, "choice: x: not supported: expected traffic or port"),
                                ("/monitor/metrics", {"choice": "bgpv4"}, "choice: bgpv4: not supported: expected port or flow"),
                                ("/monitor/metrics", {"choice": "flow", "flow": {"flow_names": ["x"]}}, "flow.flow_names[0]: 'x': there is no such flow"),
                                ("/monitor/metrics", {"choice": "port", "port": {"port_names": ["x"]}},
                                 "port.port_names[0]: 'x': there is no such port"),
                                ("/monitor/metrics", {"choice": "flow", "flow": {"metric_names": ["loss", "losses"]}},
                                 "flow.metric_names[1]: 'losses': not supported: expected name or port_tx"),
                                ("/monitor/metrics", {"choice": "port", "port": {"column_names": ["x"]}},
                                 "port.column_names[0]: 'x': not supported: expected name or location"),
                                ("/monitor/capture", {}, "port_name: missing")):
        [error] = client.refused("POST", path, body)
        assert error.startswith(message), error
    [error] = client.refused("GET", "/foo", code=404)
    assert error.startswith("/foo: not supported: expected /config or /control/state")
    assert client.refused("DELETE", "/config", code=405) == ["DELETE /config: not supported: expected GET or POST or PATCH"]
    assert client.refused("GET", "/monitor/metrics", code=405) and client.refused("OPTIONS", "/config", code=405)
    assert client.refused("PUT", "/config", code=405) and client.refused("POST", "/foo", b"{", code=404)  # the body comes last
    status, answer = client.ask("POST", "/config", {}, {"Origin": "http://example.com"})
    assert status == 403 and answer["errors"] == ["Origin: requests of web pages are refused"]
    assert client.good("GET", "/config") == {}


def test_lengths(client):
    """A body that is too long is refused before it is read; one that ends early, or has no length, is refused too."""
    found = raw(client, b"POST /config HTTP/1.1\r\nContent-Length: 104857600\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 413 ") and b"a request of 104857600 bytes: expected at most 33554432" in found
    found = raw(client, b"POST /config HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 411 ") and json.loads(found.partition(b"\r\n\r\n")[2])["code"] == 411
    found = raw(client, b"POST /config HTTP/1.1\r\nContent-Length: -1\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 411 ")
    for length in (b"\xb2", b"9" * 5000):  # digits, of which Python makes no number
        assert raw(client, b"POST /config HTTP/1.1\r\nContent-Length: " + length + b"\r\n\r\n").startswith(b"HTTP/1.1 411 ")
    assert client.refused("POST", "/config", b" " * (33 << 20), 413) == ["a request of 34603008 bytes: expected at most 33554432"]
    assert json.loads(raw(client, b"nonsense\r\n\r\n").partition(b"\r\n\r\n")[2] or b'{"code": 400}')["code"] == 400
    with socket.create_connection(("127.0.0.1", client.port), timeout=limit(20)) as connection:
        connection.sendall(b"POST /config HTTP/1.1\r\nContent-Length: 10\r\n\r\n{}")
        connection.shutdown(socket.SHUT_WR)
        assert b"2 bytes: expected 10" in connection.makefile("rb").read()
    assert client.good("GET", "/config") == {}


def test_ends_of_connections(client):
    """A connection ends after the answer where the request says so, as each one of HTTP/1.0 does; others go on."""
    post = b"POST /config HTTP/%s\r\n%sContent-Length: 2\r\n\r\n{}"
    for version, line in ((b"1.0", b""), (b"1.1", b"Connection: close\r\n"), (b"1.1", b"Connection: TE, Close\r\n")):
        found = raw(client, post % (version, line))
        assert found.startswith(b"HTTP/1.1 200 ") and b"\r\nConnection: close\r\n" in found
    found = raw(client, post % (b"1.1", b"") * 3 + post % (b"1.0", b""))
    assert found.count(b"HTTP/1.1 200 ") == 4 and found.count(b"\r\nConnection: close\r\n") == 1


def test_configurations(client):
    """A wrong one changes nothing, also if only zcfwd sees it; a new one stops what transmits."""
    right = config(flow(pps=100, rx=["p1"]))
    client.config(right)
    client.control(transmit("start"))
    wait_until(lambda: client.flows()["f1"]["frames_rx"] > 0, "packets")
    assert client.refused("POST", "/config", config(flow(tx="p9"))) == ["flows[0].tx_rx.port.tx_name: 'p9': there is no such port: expected 'p1' or 'p2'"]
    assert client.flows()["f1"]["transmit"] == "started" and client.good("GET", "/config") == right
    # net_ring's port has no known speed.
    too_fast = flow(rx=["p1"])
    too_fast["rate"] = {"choice": "pps", "pps": 10 ** 13}
    [error] = client.refused("POST", "/config", config(too_fast))
    assert error.startswith("flows[0]: rate ") and client.good("GET", "/config") == right
    assert client.flows()["f1"]["transmit"] == "stopped"
    client.control(transmit("start"))
    assert client.flows()["f1"]["transmit"] == "started"
    assert client.config(config(flow("other"))) == {"warnings": ["flows f1 were transmitting: stopped"]}
    assert client.flows()["other"]["frames_tx"] == 0
    assert client.config({}) == {} and client.flows() == {}


def fails(binary, *words):
    done = subprocess.run([sys.executable, SERVER, *words], capture_output=True, text=True, timeout=limit(60), env=server_env(binary), check=False)
    assert done.returncode == 1 and not done.stdout, done
    return done.stderr


def test_arguments(binary, tmp_path):
    """One line for each wrong argument."""
    for words, message in ((["--lisen", "x"], "--lisen: expected --listen, --grpc, --control"), (["--listen"], "--listen: expected a value"),
                           (["--listen", "8443"], "--listen 8443: expected ADDRESS:PORT"), (["--listen=a:99999"], "expected ADDRESS:PORT"),
                           (["--control", "a", "--control", "b"], "--control: given twice"), (["--control", "a", "--", "x"], "a program that runs already"),
                           (["--grpc", "x"], "--grpc x: expected ADDRESS:PORT"), (["--inner-crc=1"], "--inner-crc=1: expected"),
                           (["--control", str(tmp_path / "none.sock")], "none.sock: No such file"),
                           (["--program", "/no/zcfwd", "--"], "no program /no/zcfwd: install zcfwd")):
        found = fails(binary, *words)
        assert message in found and found.startswith("zcfwd-otg: ") and found.count("\n") == 1, found
    assert "zcfwd did not start" in fails(binary, *own_words(["--vdev=net_nothing0"]))
    done = subprocess.run([sys.executable, SERVER, "--help"], capture_output=True, text=True, timeout=limit(60), env=server_env(binary), check=True)
    assert done.stdout.startswith("zcfwd-otg [--listen")


def test_no_package(tmp_path):
    """Installed where Python does not look: one line that says what to do."""
    alone = shutil.copy(SERVER, tmp_path)
    done = subprocess.run([sys.executable, "-I", "-S", alone, "--help"], capture_output=True, text=True, timeout=limit(60), check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "zcfwd-otg: No module named 'zcfwd': add the folder of the Python package zcfwd to PYTHONPATH\n"


def test_attached(binary, client):
    """It attaches, and leaves the program to go on. A port that is taken is one line; what forwards for others is not stopped."""
    with started(binary, ports=["net_ring0", "net_ring1"], memory_mib=256) as z:
        found = fails(binary, "--listen", f"127.0.0.1:{client.port}", "--control", z.path)
        assert found == f"zcfwd-otg: --listen 127.0.0.1:{client.port}: Address already in use\n"
        z.start("io")
        with serving(binary, "--control", z.path) as other:
            assert other.refused("POST", "/config", config()) == ["config: zcfwd forwards already, and not for this server: expected it stopped"]
            z.stop()
            other.config(config(flow(rx=["p1"])))
            other.control(transmit("start"))
        assert not z.command("show fwd stats all").get("running") and z.ports()


def test_program_dies(binary):
    """A program that is gone is an internal error that says so. One of its own ends with a server that is killed."""
    z = started(binary, ports=["net_ring0", "net_ring1"], memory_mib=256)
    with serving(binary, "--control", z.path, status=1) as client:
        client.config(config(flow(rx=["p1"])))
        client.control(transmit("start"))
        os.kill(z.pid, signal.SIGKILL)
        wait_gone(z.pid)
        for path, body in (("/monitor/metrics", {"choice": "flow"}), ("/config", config()), ("/control/state", transmit("stop"))):
            [error] = client.refused("POST", path, body, 500)
            assert "No such file" in error or "has ended" in error or "closed the connection" in error, error
    with pytest.raises(zcfwd.Error, match="did not end as it should"):
        z.close()


def children(parent):
    """Processes of a parent."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
            if int(file.read().rpartition(")")[2].split()[1]) == parent:
                found.append(int(name))
    return found


def test_killed(binary):
    """A server that is killed leaves no program."""
    process = subprocess.Popen([sys.executable, SERVER, "--listen", "127.0.0.1:0", *own_words(RINGS)], stdout=subprocess.PIPE, env=server_env(binary))
    try:
        assert line_of(process.stdout, "the server's address", 90)
        [program] = children(process.pid)
    finally:
        process.kill()
        process.wait(timeout=limit(10))
        process.stdout.close()
    wait_until(lambda: gone(program), "the program's end", 30)
