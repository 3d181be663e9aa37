# SPDX-License-Identifier: BSD-3-Clause
"""doc/howto/several-hosts.md: a zcfwd-otg on each of two hosts of the kernel, a bridge between them, and one controller."""
import contextlib
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

import pytest
import yaml
from conftest import ROOT
from limits import limit, line_of
from otg import config, flow, own_words, server_env, transmit
from session import die_with_parent, wait_until

PAGE = ROOT / "doc/howto/several-hosts.md"
CONTROLLER = ROOT / "doc/fleet/controller.py"
ADDRESSES = ["10.78.0.10:8443", "10.78.0.11:8443"]
PORT = ["--vdev=net_af_packet0,iface=port0"]
ASK = """
import sys, urllib.request
method, url, body = sys.argv[1:]
print(urllib.request.urlopen(urllib.request.Request(url, body.encode() or None, method=method), timeout=20).read().decode())
"""
pytestmark = [pytest.mark.zcfwd, pytest.mark.needs("measure")]


class Lab:
    """Three hosts (devtools/desk lab), with a zcfwd-otg on gen0 and gen1."""

    def __init__(self, binary):
        self.binary = binary
        self.servers, self.said = {}, {}
        self.desk = subprocess.Popen([ROOT / "devtools/desk", "lab", "sleep", "infinity"], stderr=subprocess.PIPE, preexec_fn=die_with_parent)
        said = line_of(self.desk.stderr, "the desk")
        self.enter = re.search(r"nsenter .* --wd", said)[0].split()

    def __enter__(self):
        try:
            for host in (0, 1):
                self.serve(host)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        for process in (*self.servers.values(), self.desk):
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(limit(20))
            process.kill()
            process.wait(limit(20))
            for pipe in (process.stdout, process.stderr, *self.said.values()):
                if pipe is not None:
                    pipe.close()

    def words(self, name, *words):
        """A command of a host; name "": of the controller."""
        return [*self.enter, *(["ip", "netns", "exec", name] if name else []), *map(str, words)]

    def run(self, name, *words, check=True):
        return subprocess.run(self.words(name, *words), capture_output=True, text=True, timeout=limit(60), check=check, env=server_env(self.binary))

    def serve(self, host, *words):
        """Start the server of a host. words: the whole command, if it is not the usual one."""
        usual = ["--listen", ADDRESSES[host], *own_words(PORT)]
        argv = self.words(f"gen{host}", *(words or [sys.executable, ROOT / "cmdline/python/zcfwd-otg", *usual]))
        self.said[host] = tempfile.TemporaryFile()
        self.servers[host] = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=self.said[host], env=server_env(self.binary), preexec_fn=die_with_parent)
        assert "Open Traffic Generator" in line_of(self.servers[host].stdout, "the server's address", 90), os.pread(self.said[host].fileno(), 8192, 0).decode()

    def stop(self, host, number=signal.SIGTERM):
        self.servers[host].send_signal(number)
        self.servers[host].wait(limit(30))
        self.servers[host].stdout.close()

    def controller(self, *options):
        return subprocess.Popen(self.words("", sys.executable, CONTROLLER, *options, *ADDRESSES), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=server_env(self.binary), preexec_fn=die_with_parent)

    def ask(self, host, method, path, body=None):
        return json.loads(self.run("", sys.executable, "-c", ASK, method, f"http://{ADDRESSES[host]}{path}", json.dumps(body) if body else "").stdout)

    def flows(self, host):
        return {one["name"]: one for one in self.ask(host, "POST", "/monitor/metrics", {"choice": "flow", "flow": {}})["flow_metrics"]}

    def frames(self, host, which):
        """What the bridge received from a host, or sent to it, by its driver's count."""
        link = json.loads(self.run("dut", "ip", "-j", "-s", "link", "show", "dev", f"dut{host}").stdout)[0]
        return link["stats64"][which]["packets"]


@pytest.fixture(name="lab", scope="module")
def fixture_lab(needs_netns, binary):
    with Lab(binary) as lab:
        yield lab


def ended(process, seconds=90):
    """Status, rows of the table, and lines of stderr."""
    try:
        out, err = process.communicate(timeout=limit(seconds))
    finally:
        process.kill()
        process.wait(20)
    rows = {found[1]: (int(found[2]), int(found[3]), float(found[4])) for found in re.finditer(r"(?m)^(\d to \d) +(\d+) +(\d+) +(-?[\d.]+) ", out)}
    return process.returncode, rows, [line for line in err.splitlines() if "the sender is the limit" not in line]


def sending(lab, host):
    """Wait until a host sends the controller's flow."""
    wait_until(lambda: any(one["transmit"] == "started" and one["frames_tx"] > 5 for one in lab.flows(host).values()), f"packets of host {host}", 60)


def snappi_is_there():
    return subprocess.run([sys.executable, "-c", "import snappi"], capture_output=True, timeout=limit(60), check=False).returncode == 0


@pytest.mark.netns
def test_loss_and_rate(lab):
    """What a host sends arrives at the other one, packet by packet, by the bridge's own counts; by plain HTTP, and by snappi where it is installed."""
    for option in ["--http", *(["--loss=0"] if snappi_is_there() else [])]:
        before = [(lab.frames(host, "rx"), lab.frames(host, "tx")) for host in (0, 1)]
        status, rows, said = ended(lab.controller("--frames=300", "--pps=400", option))
        assert (status, said, rows) == (0, [], {"0 to 1": (300, 300, 0.0), "1 to 0": (300, 300, 0.0)})
        assert [(lab.frames(host, "rx") - rx, lab.frames(host, "tx") - tx) for host, (rx, tx) in enumerate(before)] == [(300, 300)] * 2
    assert all(one["transmit"] == "stopped" for host in (0, 1) for one in lab.flows(host).values())


@pytest.mark.netns
@pytest.mark.extended
def test_loss(lab):
    """A device that loses all of one flow: the other one is whole. The status is of the limit."""
    lab.run("dut", "bridge", "fdb", "replace", "02:00:00:00:00:00", "dev", "bridge", "self", "permanent")  # it keeps what is for gen0
    try:
        status, rows, said = ended(lab.controller("--frames=200", "--http"))
        assert (status, rows) == (1, {"0 to 1": (200, 200, 0.0), "1 to 0": (200, 0, 100.0)})
        assert said == ["controller: 1 to 0: loss 100.0000 %: expected at most 0 %"]
        assert ended(lab.controller("--frames=20", "--loss=100", "--http"))[0] == 0
    finally:
        lab.run("dut", "bridge", "fdb", "del", "02:00:00:00:00:00", "dev", "bridge", "self")


@pytest.mark.netns
@pytest.mark.extended
def test_foreign_packets(lab):
    """Packets of others at a receiver are no gain: they are an error."""
    process = lab.controller("--frames=300", "--pps=100", "--http")
    sending(lab, 0)
    lab.run("dut", sys.executable, "-c", "import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind(('dut1', 0))\n"
            "for _ in range(50): s.send(bytes(6 * [255] + 6 * [2] + [8, 0] + 46 * [0]))")
    status, rows, said = ended(process)
    assert status == 1 and rows["0 to 1"][:2] == (300, 350) and rows["1 to 0"][:2] == (300, 300)
    assert said == ["controller: 0 to 1: more received than sent: something else sends to this port"]


@pytest.mark.netns
@pytest.mark.extended
def test_no_latency(lab):
    """A host knows only its own flows: to it, one that ends elsewhere is lost, and nothing has a latency. One name on both hosts is two flows."""
    for host in (0, 1):
        body = config(flow("same", tx="p1", rx=(), packets=50 + host, pps=200))
        lab.ask(host, "POST", "/config", {**body, "ports": body["ports"][:1]})
    for host in (0, 1):
        lab.ask(host, "POST", "/control/state", transmit("start"))
    wait_until(lambda: [lab.flows(host)["same"]["frames_tx"] for host in (0, 1)] == [50, 51], "both flows", 60)
    wait_until(lambda: [lab.ask(host, "POST", "/monitor/metrics", {"choice": "port"})["port_metrics"][0]["frames_rx"] for host in (0, 1)] == [51, 50],
               "the packets of the other host", 60)
    for host in (0, 1):
        one = lab.flows(host)["same"]
        assert (one["frames_rx"], one["loss"]) == (0, 100) and "latency" not in one
        lab.ask(host, "POST", "/control/state", transmit("stop"))


@pytest.mark.netns
@pytest.mark.extended
def test_second_controller(lab):
    """It is refused while the first one measures. One that takes a host all the same is found out by the first one."""
    first = lab.controller("--frames=100000", "--http")
    sending(lab, 0)
    status, rows, said = ended(lab.controller("--http"))
    assert (status, rows, said) == (2, {}, [f"controller: {ADDRESSES[0]}: transmits 0 to 1 for another controller: expected it stopped"])
    assert first.poll() is None
    other = json.dumps(lab.ask(1, "GET", "/config"))
    lab.ask(1, "POST", "/config", json.loads(re.sub(r"port 1 \w{8}", "port 1 ffffffff", other)))  # as the controller itself would, a moment later
    status, rows, said = ended(first)
    assert (status, rows) == (2, {}) and re.fullmatch(rf"controller: {ADDRESSES[1]}: .*there is no such port.*", said[0]), said
    assert lab.flows(0)["0 to 1"]["transmit"] == "stopped"


@pytest.mark.netns
@pytest.mark.extended
@pytest.mark.parametrize("how", ["killed", "silent"])
def test_host_dies(lab, how):
    """The measurement ends with a line about this host, and the other one sends no more."""
    process = lab.controller("--frames=100000", "--http")
    sending(lab, 1)
    if how == "killed":
        lab.stop(1, signal.SIGKILL)
    else:
        lab.run("gen1", "ip", "link", "set", "manage", "down")
    status, rows, said = ended(process)
    assert (status, rows) == (2, {}) and said and all(line.startswith(f"controller: {ADDRESSES[1]}: no answer: ") for line in said), said
    assert lab.flows(0)["0 to 1"]["transmit"] == "stopped"
    if how == "killed":
        lab.serve(1)
    else:
        lab.run("gen1", "ip", "link", "set", "manage", "up")
        lab.ask(1, "POST", "/control/state", transmit("stop"))


@contextlib.contextmanager
def fakes(*versions, busy=()):
    """Servers that have versions, and flows that transmit, and refuse all else; their addresses."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            found = {"/capabilities/version": {"app_version": self.server.version}, "/monitor/metrics": {"flow_metrics": self.server.flows}}
            data = json.dumps(found.get(self.path, {"errors": ["refused"]})).encode()
            self.send_response(200 if self.path in found else 400)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    servers = []
    with contextlib.ExitStack() as stack:
        for version in versions:
            server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler))
            server.version, server.flows = version, [{"name": name, "transmit": "started"} for name in busy]
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
            stack.callback(server.shutdown)
            servers.append(server)
        yield [f"127.0.0.1:{server.server_address[1]}" for server in servers]


def refused(*words):
    done = subprocess.run([sys.executable, CONTROLLER, *words], capture_output=True, text=True, timeout=limit(60), check=False)
    assert done.stdout == "" and done.returncode == 2, done
    return done.stderr.splitlines()[-1]


def test_versions_differ():
    with fakes("zcfwd 1.0", "zcfwd 1.1") as (one, other):
        assert refused("--http", one, other) == f"controller: expected one version on all hosts: {one} has zcfwd 1.0, {other} has zcfwd 1.1"


def test_busy():
    with fakes("zcfwd 1.0", "zcfwd 1.0", busy=["a", "b"]) as both:
        assert refused("--http", *both) == f"controller: {both[0]}: transmits a, b for another controller: expected it stopped"


def test_refused_configuration():
    with fakes("zcfwd 1.0", "zcfwd 1.0") as both:
        assert refused("--http", *both) == f"controller: {both[0]}: refused"


def test_absent():
    with fakes("zcfwd 1.0") as (one,):
        assert re.fullmatch(r"controller: 127.0.0.1:1: no answer: .*refused", refused("--http", one, "127.0.0.1:1"))


@pytest.mark.parametrize("words, line", [
    (["127.0.0.1:1"], "controller.py: error: 127.0.0.1:1: expected two hosts or more"),
    (["127.0.0.1:1", "127.0.0.1:1"], "controller.py: error: 127.0.0.1:1: given twice"),
])
def test_words(words, line):
    assert refused(*words) == line


@pytest.mark.netns
@pytest.mark.extended
def test_page(binary, tmp_path):
    """The example of the page, on hosts of its own, by the names that are installed."""
    (block,) = re.findall(r"(?ms)^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"))
    (tmp_path / "zcfwd").symlink_to(binary)
    (tmp_path / "zcfwd-otg").symlink_to(ROOT / "cmdline/python/zcfwd-otg")
    environment = {**server_env(binary), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([ROOT / "devtools/desk", "lab", "bash", "-eu", "-c", block.replace("--wait 60", "--wait 90 --frames 200")], cwd=ROOT, env=environment,
                          capture_output=True, text=True, timeout=limit(200), check=False)
    assert done.returncode == 0 and re.findall(r"(?m)^(\d to \d) +(\d+) +(\d+) +0.0000 ", done.stdout) == [
        ("0 to 1", "200", "200"), ("1 to 0", "200", "200")], done.stdout + done.stderr


@pytest.fixture(name="installed")
def fixture_installed(lab, tmp_path, monkeypatch):
    """The names that packages install, in $PATH; the usual servers are stopped, and started again afterwards."""
    (tmp_path / "zcfwd").symlink_to(lab.binary)
    (tmp_path / "zcfwd-otg").symlink_to(ROOT / "cmdline/python/zcfwd-otg")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for host in (0, 1):
        lab.stop(host)
    yield lab
    for host in (0, 1):
        lab.stop(host)
        lab.serve(host)


@pytest.mark.netns
@pytest.mark.extended
def test_manifest(installed):
    """The container of the Job, with the capabilities that it has, on both hosts."""
    (job,) = [one for one in yaml.safe_load_all((ROOT / "doc/kubernetes/job-otg.yaml").read_text(encoding="utf-8")) if one["kind"] == "Job"]
    (container,) = job["spec"]["template"]["spec"]["containers"]
    added = container["securityContext"]["capabilities"]["add"]
    assert container["args"].count("--vdev=net_af_packet0,iface=net1") == 1
    words = [*container["command"], *container["args"]]
    few = ",".join(["-all", *(f"+{name.lower()}" for name in added)])
    few = ["setpriv", "--no-new-privs", f"--bounding-set={few}", f"--inh-caps={few}"] if os.getuid() == 0 else []
    for host in (0, 1):
        installed.serve(host, *few, *(word.replace("net1", "port0") for word in words))
    status, rows, said = ended(installed.controller("--frames=100", "--http"))
    assert (status, said, rows) == (0, [], {"0 to 1": (100, 100, 0.0), "1 to 0": (100, 100, 0.0)})


@pytest.mark.netns
@pytest.mark.extended
def test_play(installed, tmp_path):
    """What the play runs on each host, run; and its controller."""
    (play,) = yaml.safe_load((ROOT / "doc/fleet/otg.yaml").read_text(encoding="utf-8"))
    (block,) = [task for task in play["tasks"] if "block" in task]
    tasks = [task for part in ("block", "always") for task in block[part] if "ansible.builtin.command" in task]
    commands = {task["name"]: task["ansible.builtin.command"]["cmd"] for task in tasks}
    options = re.search(r"default\('(.*?)' ~ zcfwd_interface ~ '(.*?)'\)", play["vars"]["options"])

    def filled(name, host):
        text = commands[name]
        for word, value in (("folder", tmp_path / str(host)), ("endpoint", ADDRESSES[host]), ("options", f"{options[1]}port0{options[2]}"),
                            ("playbook_dir", CONTROLLER.parent), ("controller_options", "--wait 90 --frames 100 --http"),
                            ("endpoints | join(' ')", " ".join(ADDRESSES))):
            text = text.replace("{{ %s }}" % word, str(value))
        assert "{{" not in text
        return text.split()

    try:
        for host in (0, 1):
            (tmp_path / str(host)).mkdir()
            installed.run(f"gen{host}", *filled("Start the endpoint", host))
        done = installed.run("", *filled("Run the controller; loss is a failing task", 0))
        assert re.findall(r"(?m)^(\d to \d) +(\d+) +(\d+) +0.0000 ", done.stdout) == [("0 to 1", "100", "100"), ("1 to 0", "100", "100")]
    finally:
        for host in (0, 1):
            installed.run(f"gen{host}", *filled("Stop the endpoint", host))
            installed.serve(host)
    assert all("Open Traffic Generator at http" in (tmp_path / str(host) / "otg.log").read_text(encoding="utf-8") for host in (0, 1))


@pytest.mark.netns
@pytest.mark.extended
def test_there_and_back(lab, tmp_path):
    """A host that sends back what it receives: its packets are the sender's own, with a latency."""
    lab.stop(1)
    eal = own_words(PORT)[1:]
    back = subprocess.Popen(lab.words("gen1", lab.binary, *eal, "--auto-start", "--forward-mode=macswap", "--stats-period=1"), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=server_env(lab.binary), preexec_fn=die_with_parent)
    try:
        wait_until(lambda: "RX-packets" in line_of(back.stdout, "statistics of the other host"), "statistics of the other host", 60)
        body = config(flow("round", tx="p1", rx=("p1",), packets=200, pps=200))
        lab.ask(0, "POST", "/config", {**body, "ports": body["ports"][:1]})
        lab.ask(0, "POST", "/control/state", transmit("start"))
        wait_until(lambda: (lambda one: one["transmit"] == "stopped" and one["frames_rx"] == one["frames_tx"] == 200)(lab.flows(0)["round"]), "all packets", 60)
        one = lab.flows(0)["round"]
        assert one["loss"] == 0 and 0 < one["latency"]["minimum_ns"] <= one["latency"]["average_ns"]
        lab.ask(0, "POST", "/control/state", transmit("stop"))
    finally:
        back.terminate()
        back.wait(limit(30))
        back.stdout.close()
        lab.serve(1)
