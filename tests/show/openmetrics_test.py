# SPDX-License-Identifier: BSD-3-Clause
"""Metrics for Prometheus: the text obeys OpenMetrics' rules, and its figures are the program's."""
import concurrent.futures
import contextlib
import importlib.util
import json
import pathlib
import re
import socket
import subprocess
import threading
import urllib.error
import urllib.request

import pytest
from limits import line_of
from session import Session, wait_until
from telemetry import Telemetry, socket_path

pytestmark = pytest.mark.zcfwd

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "app/tools"
PROGRAM = TOOLS / "zcfwd-openmetrics"
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)')
SCRAPERS = 32
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}


@pytest.fixture
def forwarder(binary):
    """Stopped after forwarding, so that figures stand still."""
    with Session(binary, telemetry=True) as session:
        session.ok("set record-burst-stats on", "set fwd csum", "start", "stop")
        yield session


def parse(text):
    """{(sample, labels): value}; asserts on what OpenMetrics forbids."""
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""]
    samples, kinds, family = {}, {}, None
    for line in lines[:-2]:
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            if word == "TYPE":
                assert name not in kinds, f"{name} comes twice, or its samples do not stand together"
                kinds[name], family = rest, name
            assert word in ("TYPE", "HELP") and name == family, line
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        assert match[1] in [family + suffix for suffix in SUFFIXES[kinds[family]]], line
        labels = tuple(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', match[2] or ""))
        assert (match[1], labels) not in samples, line
        samples[match[1], labels] = float(match[3])
    return samples


def of(samples, wanted, /, **labels):
    """Values of the samples that have these labels."""
    return [value for (sample, have), value in samples.items() if sample == wanted and labels.items() <= dict(have).items()]


def once(session, *words):
    done = subprocess.run([PROGRAM, "--once", *words], capture_output=True, text=True, timeout=60, check=True)
    return parse(done.stdout)


def test_pipeline(binary):
    """Workers and rings, as telemetry has them."""
    with Session(binary, telemetry=True, lcores="0@0,1@0,2@1") as session:
        session.ok("set fwd ring_pipeline", "set pipeline io 1 workers 1,2", "set pipeline spread flow", "start", "stop")
        samples = once(session, "-s", socket_path(session))
        with Telemetry(session) as client:
            rings, workers = (client.pages(f"/zcfwd/group,pipeline_{what}", "members") for what in ("ring", "worker"))
    assert len(rings) == 8 and len(workers) == 2
    for ring in rings.values():
        labels = {"direction": ring["direction"], "stream": str(ring["stream"]), "worker": str(ring["worker"])}
        assert of(samples, "zcfwd_pipeline_ring_put_packets_total", **labels) == [ring["put_packets"]]
        assert of(samples, "zcfwd_pipeline_ring_put_full_calls_total", **labels) == [ring["put_full"]]
        assert of(samples, "zcfwd_pipeline_ring_level_packets", **labels) == [0]
        assert of(samples, "zcfwd_pipeline_ring_fill_eighths_count", **labels) in ([ring["fill"]["bursts"]], [])
    for number, worker in workers.items():
        for row in ("packets", "bursts", "empty_polls", "deaths", "cycles", "stage_cycles"):
            assert of(samples, f"zcfwd_pipeline_worker_{row}_total", worker=number) == [worker[row]]
        assert of(samples, "zcfwd_pipeline_worker_timed_packets_total", worker=number) == [worker["timed"]]
    assert sum(of(samples, "zcfwd_pipeline_worker_packets_total")) > 0


def test_buffers(binary):
    with Session(binary, ["net_ring0", "net_ring1"], ["--no-flush-rx"], telemetry=True) as session:
        session.ok("set extbuf mode attach", "set fwd extbuf", "start tx_first 4")
        with Telemetry(session) as client:
            wait_until(lambda: client.ask("/zcfwd/group,extbuf")["members"]["0"]["out"] > 0, "buffers out")
        out = wait_until(lambda: (found := of(once(session, "-s", socket_path(session)), "zcfwd_extbuf_out_buffers"))
                         and max(found) > 0 and found, "buffers out in the metrics")
        assert len(out) == 2
        session.ok("stop", "set fwd recycle_mbufs", "start", "stop")
        samples = once(session, "-s", socket_path(session))
        for row in ("moved", "topped_up", "shared", "foreign", "freed", "from_blocks"):
            assert len(of(samples, f"zcfwd_recycle_{row}_mbufs_total")) == 2


def check(samples, session):
    with Telemetry(session) as client:
        streams = client.ask("/zcfwd/streams")["streams"]
        bursts = client.ask("/zcfwd/bursts,0,rx")["rx_bursts"]
    for number, wanted in streams.items():
        for key, name in (("rx", "rx_packets"), ("tx", "tx_packets"), ("tx_dropped", "tx_dropped_packets")):
            assert of(samples, f"zcfwd_stream_{name}_total", stream=number) == [wanted[key]]
    buckets = of(samples, "zcfwd_stream_rx_bursts_packets_bucket", stream="0")
    assert len(buckets) == 12 and buckets == sorted(buckets) and buckets[-1] == bursts["bursts"]
    assert of(samples, "zcfwd_stream_rx_bursts_packets_bucket", stream="0", le="16.0") == [0]  # net_null fills every burst
    assert of(samples, "zcfwd_stream_rx_bursts_packets_bucket", stream="0", le="32.0") == [bursts["bursts"]]
    assert of(samples, "zcfwd_stream_rx_bursts_packets_sum", stream="0") == [bursts["packets"]]
    assert of(samples, "zcfwd_stream_rx_bursts_packets_count", stream="0") == [bursts["bursts"]]
    assert of(samples, "zcfwd_info", engine="csum") == [1] and of(samples, "zcfwd_runs_total") == [1]
    assert len(of(samples, "zcfwd_engine_events_total", counter="bad_ipcsum")) == 1
    assert of(samples, "zcfwd_port_link_up", port="1", name="net_null1") == [1]
    assert of(samples, "zcfwd_pool_size_buffers", pool="mb_pool_0") == [8192]


def test_once(forwarder):
    check(once(forwarder, "--socket", socket_path(forwarder)), forwarder)


def scraped(url, together):
    """One of many scrapers that ask at the same moment."""
    together.wait(60)
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read().decode()


def test_served(forwarder):
    """As Prometheus asks: over HTTP, several times, also when zcfwd is gone."""
    server = subprocess.Popen([PROGRAM, "-s", socket_path(forwarder), "-l", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", line_of(server.stdout, "the URL of zcfwd-openmetrics"))[0]
        for _ in range(2):
            with urllib.request.urlopen(url, timeout=30) as answer:
                assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
                check(parse(answer.read().decode()), forwarder)
        # Of the ten clients that DPDK's socket takes, nine are others, then all ten for a while.
        with contextlib.ExitStack() as others, concurrent.futures.ThreadPoolExecutor(SCRAPERS) as pool:
            for n in (9, 1):
                for _ in range(n):
                    others.enter_context(Telemetry(forwarder))
                together = threading.Barrier(SCRAPERS + 1)
                scrapes = [pool.submit(scraped, url, together) for _ in range(SCRAPERS)]
                together.wait(60)
                if n == 1:
                    assert not concurrent.futures.wait(scrapes, timeout=1).done
                    others.close()
                assert all(of(parse(scrape.result(60)), "zcfwd_runs_total") == [1] for scrape in scrapes)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(url + "/x", timeout=30)
        assert forwarder.quit()[1] == 0
        with pytest.raises(urllib.error.HTTPError, match="503"):
            urllib.request.urlopen(url, timeout=30)
    finally:
        server.kill()
        server.communicate(timeout=60)


@contextlib.contextmanager
def serving(socket_name):
    """The program on a free port: (process, address)."""
    server = subprocess.Popen([PROGRAM, "-s", socket_name, "-l", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        yield server, ("127.0.0.1", int(re.search(r":(\d+)/metrics", line_of(server.stdout, "the URL of zcfwd-openmetrics"))[1]))
    finally:
        server.kill()
        server.communicate(timeout=60)


def exchange(address, request):
    """Send bytes; returns (status, headers, body) of the answer, to the end of the connection."""
    with socket.create_connection(address, timeout=60) as client:
        client.sendall(request)
        with client.makefile("rb") as answer:
            head, _, body = answer.read().partition(b"\r\n\r\n")
    return head.decode().split(" ")[1], head.decode().lower(), body.decode()


def test_request_targets(forwarder):
    """A query, a whole URL and HEAD, as RFC 9110 and 9112 have them."""
    with serving(socket_path(forwarder)) as (_, address):
        for target in ("/metrics", "/metrics?x=1", "/metrics?", "/?collect[]=port&x=%2F", "http://host/metrics", "http://[::1]:9877/metrics?x=1", "HTTP://host", "/"):
            status, head, body = exchange(address, f"GET {target} HTTP/1.1\r\nHost: host\r\n\r\n".encode())
            assert status == "200" and parse(body), target
            status, of_head, nothing = exchange(address, f"HEAD {target} HTTP/1.1\r\nHost: host\r\n\r\n".encode())
            assert status == "200" and nothing == "" and "content-type: application/openmetrics-text" in of_head
            length = re.compile(r"content-length: (\d+)")
            assert int(length.search(head)[1]) == len(body.encode()) and length.search(of_head)
        for target in ("/metric", "/metrics/", "/x?/metrics", "http://host/x", "http://[host/metrics", "*"):
            assert exchange(address, f"GET {target} HTTP/1.1\r\nHost: host\r\n\r\n".encode())[0] == "404", target
        assert exchange(address, b"POST /metrics HTTP/1.1\r\n\r\n")[0] == "501"


def test_clients_that_send_nothing(forwarder):
    """Half-open connections have a limited number of threads and a limited time; a scrape is answered meanwhile."""
    with serving(socket_path(forwarder)) as (server, address), contextlib.ExitStack() as open_ones:
        def half_open(data):
            client = open_ones.enter_context(socket.create_connection(address, timeout=60))
            client.sendall(data)
            return client
        idle = [half_open(b"GET /metrics HTTP/1.1\r\nHost:" if i % 2 else b"") for i in range(300)]
        for _ in range(3):
            assert exchange(address, b"GET /metrics HTTP/1.1\r\n\r\n")[0] == "200"
        assert len(list(pathlib.Path(f"/proc/{server.pid}/task").iterdir())) <= 64 + 2
        for client in idle:  # each is ended, the last ones by the time
            with contextlib.suppress(ConnectionResetError):
                assert client.recv(1) == b""


def test_installed(forwarder, tmp_path):
    """Where meson puts the two files, the program finds its endpoint."""
    (tmp_path / "bin").mkdir()
    folder = tmp_path / "share/dpdk/telemetry-endpoints"
    folder.mkdir(parents=True)
    program = tmp_path / "bin/zcfwd-openmetrics"
    program.write_bytes(PROGRAM.read_bytes())
    program.chmod(0o755)
    argv = [program, "--once", "-s", socket_path(forwarder)]
    missing = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert missing.returncode != 0 and "zcfwd.py not found" in missing.stderr
    (folder / "zcfwd.py").write_bytes((TOOLS / "telemetry-endpoints/zcfwd.py").read_bytes())
    parse(subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout)


def test_nobody_there(tmp_path):
    done = subprocess.run([PROGRAM, "--once", "-s", tmp_path / "none"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stdout == "" and str(tmp_path / "none") in done.stderr


def test_endpoint_for_dpdk(forwarder):
    """What dpdk-telemetry-exporter.py asks of an endpoint: each metric is in info(), whose types it knows."""
    spec = importlib.util.spec_from_file_location("endpoint", TOOLS / "telemetry-endpoints/zcfwd.py")
    endpoint = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(endpoint)
    with Telemetry(forwarder) as client:
        client.cmd = lambda uri, arg=None: client.ask(uri if arg is None else f"{uri},{arg}")
        values = endpoint.metrics(client)
    info = endpoint.info()
    assert {name for name, _, _ in values} <= set(info) and {kind for _, kind in info.values()} == {"counter", "gauge"}
    assert {name for name in info if name not in {n for n, _, _ in values}} == set()


def test_every_figure(forwarder):
    """Whatever the program says that it counts is in its answers and in the metrics; both tell the same tables as a recording."""
    with Telemetry(forwarder) as client:
        assert not {"busy_cycles", "rx_bytes", "tx_bytes"} & set(client.ask("/zcfwd/stream,0"))  # not counted yet
        forwarder.ok("set record-core-cycles on", "set record-bytes on")
        tables = [(one["table"], one.get("engine"), one["of"], one["rows"]) for one in client.pages("/zcfwd/schema", "tables").values()]
        told = {"port": client.ask("/zcfwd/ports")["ports"]["0"], "pool": client.ask("/zcfwd/pools")["pools"]["mb_pool_0"],
                "stream": client.ask("/zcfwd/stream,0"), "counters": client.ask("/zcfwd/engine")["counters"], "account": client.ask("/zcfwd/engine")}
    samples = {name for name, _ in once(forwarder, "-s", socket_path(forwarder))}
    path = pathlib.Path(forwarder.home) / "r"
    forwarder.ok(f"record start {path}", "record stop")
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    forwarder.cmd("set output json")
    shown = {what: forwarder.json_ok(f"show fwd {what}")["streams"][0] for what in ("counters", "bursts")}
    totals = forwarder.json_ok("show fwd stats all")
    forwarder.cmd("set output text")
    forwarder.ok("set record-core-cycles off", "set record-bytes off")
    assert [(one["table"], one.get("engine"), one["of"], one["rows"]) for one in header["schema"]] == tables
    for table, engine, of, rows in tables:
        if engine not in (None, "csum") or of == "vchan":  # no DMA device here
            continue
        for row, about in rows.items():
            if row == "lost_on_the_way":  # engine measure's
                continue
            assert row in told[table] and about["help"] and about["kind"] in SUFFIXES, (table, row)
            wanted = {"counters": "zcfwd_engine_events_total", "account": f"zcfwd_{row}_packets_total"}.get(table, f"zcfwd_{table}_{row}")
            assert any(name.startswith(wanted) for name in samples), wanted
            if table in ("stream", "counters"):
                assert row in shown["bursts" if about["kind"] == "histogram" else "counters"], row
            if table in ("port", "counters"):
                assert row in (totals["ports"][0] if table == "port" else totals["streams"][0]["counters"]), row
    assert {"recycle", "extbuf", "pipeline", "pipeline_io", "pipeline_worker", "pipeline_ring"} <= {table for table, _, _, _ in tables}
