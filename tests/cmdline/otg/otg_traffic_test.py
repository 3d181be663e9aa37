# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-otg with traffic: packets on the wire between two modelled NICs, metrics, states of flows, captures, and clients of others."""
import io
import os
import subprocess
import sys

import pytest
from conftest import ROOT
from limits import limit
from modelled import PLUGIN, needs_model_nic
from otg import A, RINGS, WIRE, capturing, config, counting, ethernet, flow, header, own_words, server_env, serving, transmit, udp_packet, value, values
from scapy.all import RawPcapNgReader, RawPcapReader
from session import wait_until

pytestmark = pytest.mark.zcfwd
MODELS = own_words(["-d", PLUGIN], [WIRE, "--generate-late=1000000"], "--total-num-mbufs=16384")


@pytest.fixture(scope="module")
def wire(binary):
    with serving(binary, "--inner-crc", own=MODELS) as found:
        yield found


@pytest.fixture(scope="module")
def ring(binary):
    """Ports that receive what they send themselves."""
    with serving(binary, own=own_words(RINGS, ["--generate-late=1000000"])) as found:
        yield found


def captured(client, body):
    """Packets of flow f1 that port p2 has received, with their CRC, and the metrics of the flow."""
    client.config({**body, "captures": [{"name": "c", "port_names": ["p2"], "format": "pcap"}]})
    client.control(capturing("start"))
    client.control(transmit("start"))
    metric = client.until_stopped()
    client.control(capturing("stop"))
    found = [bytes(packet) for packet, _ in RawPcapReader(io.BytesIO(client.good("POST", "/monitor/capture", {"port_name": "p2"})))]
    return [packet for packet in found if packet[6:12].hex(":") == A], metric


IPV4 = header("ipv4", src="1.1.1.1", dst="1.1.1.2")
IPV6 = header("ipv6", src="2000::1", dst="2000::2")
COUNTS = {"value": (value(5000), [5000]), "values": (values(5000, 5010, 5020, 5030), [5000, 5010, 5020, 5030]),
          "increment": (counting(5000, 2, 10), list(range(5000, 5020, 2))), "decrement": (counting(5000, 2, 10, "decrement"), list(range(5000, 4980, -2)))}


@needs_model_nic
@pytest.mark.parametrize(("ip", "proto", "count"), [(IPV4, proto, count) for proto in ("tcp", "udp") for count in COUNTS] + [(IPV6, "udp", "values")])
def test_packets(wire, ip, proto, count):
    """Each packet arrives once, in order, with the value of its number; its size has the CRC."""
    pattern, wanted = COUNTS[count]
    packet = [ethernet(), ip, header(proto, src_port=pattern, dst_port=counting(6000, 1, 5))]
    found, metric = captured(wire, config(flow(packet=packet, packets=100, pps=400)))
    at = 34 if ip is IPV4 else 54
    ports = [(int.from_bytes(one[at:at + 2], "big"), int.from_bytes(one[at + 2:at + 4], "big")) for one in found]
    assert ports == [(wanted[j % len(wanted)], 6000 + j % 5) for j in range(100)]
    assert {len(one) for one in found} == {128} and (metric["frames_tx"], metric["frames_rx"], metric["loss"]) == (100, 100, 0)
    assert metric["bytes_tx"] == metric["bytes_rx"] == 12800 and metric["port_tx"] == "p1" and metric["port_rx"] == "p2"
    assert 0 < metric["latency"]["minimum_ns"] <= metric["latency"]["average_ns"] <= metric["latency"]["maximum_ns"]


@needs_model_nic
@pytest.mark.parametrize(("outer", "inner"), [(IPV4, IPV6), (IPV6, IPV4)])
def test_tunnel(wire, outer, inner):
    """VXLAN with a VNI for each of five packets; both frames have the lengths that OTG's conformance tests want."""
    packet = [ethernet(), outer, header("udp", src_port=4789, dst_port=4789), header("vxlan", vni=values(1000, 1001, 1002, 1003, 1004)),
              ethernet("02:00:00:00:00:03", "02:00:00:00:00:04"), inner, header("tcp", src_port=80, dst_port=80)]
    found, _ = captured(wire, config(flow(packet=packet, size=256, packets=50, pps=400)))
    udp = 34 if outer is IPV4 else 54
    ip = udp + 16 + 14
    assert [int.from_bytes(one[udp + 12:udp + 15], "big") for one in found] == [1000 + j % 5 for j in range(50)]
    for one in found:
        length = int.from_bytes(one[ip + 2:ip + 4] if inner is IPV4 else one[ip + 4:ip + 6], "big") + (0 if inner is IPV4 else 40)
        assert len(one) == 256 and int.from_bytes(one[udp + 4:udp + 6], "big") == 256 - 4 - udp and length == 256 - 4 - ip - 4


@needs_model_nic
def test_range(wire):
    """A flow of one stream with many headers; percentiles, which OTG lacks."""
    body = config(flow(packet=udp_packet(src_port=counting(1000, 1, 500)), packets=5000, pps=20000))
    found, metric = captured(wire, body)
    assert [int.from_bytes(one[34:36], "big") for one in found[:1000]] == [1000 + j % 500 for j in range(1000)]
    assert metric["frames_rx"] == len(found) == 5000
    assert metric["latency"]["percentiles_ns"]["p50"] <= metric["latency"]["percentiles_ns"]["p90"] <= metric["latency"]["maximum_ns"]


@needs_model_nic
def test_pcapng(wire):
    """A cut capture as pcapng: the length on the wire has the CRC, what is kept has none."""
    wire.config(config(flow(packets=20, pps=1000), captures=[{"name": "c", "port_names": ["p2"], "format": "pcapng", "packet_size": 40}]))
    wire.control(capturing("start"))
    wire.control(transmit("start"))
    wire.until_stopped()
    assert "the capture runs: expected it stopped" in wire.refused("POST", "/monitor/capture", {"port_name": "p2"})[0]
    assert wire.ports()["p2"]["capture"] == "started"
    wire.control(capturing("stop"))
    data = wire.good("POST", "/monitor/capture", {"port_name": "p2"})
    assert data[:4] == b"\n\r\r\n"
    assert [(len(packet), about.wirelen) for packet, about in RawPcapNgReader(io.BytesIO(data))] == [(40, 128)] * 20
    assert "no capture is configured" in wire.refused("POST", "/monitor/capture", {"port_name": "p1"})[0]


def test_states(ring):
    """Flows start and stop alone while others go on; a start begins with counters at 0, pause and resume send the rest."""
    ring.config(config(flow("long", pps=500, rx=["p1"]), flow("short", packets=20, pps=200, rx=["p1"]), flow("other", tx="p2", packets=1200, pps=400)))
    assert "there is no such flow: expected 'long' or 'short' or 'other'" in ring.refused("POST", "/control/state", transmit("start", "x"))[0]
    assert "is not paused: expected start" in ring.refused("POST", "/control/state", transmit("resume"))[0]
    ring.control(transmit("start", "long"))
    wait_until(lambda: ring.flows()["long"]["frames_rx"] > 10, "packets of the first flow")
    assert [one["transmit"] for one in ring.flows().values()] == ["started", "stopped", "stopped"] and ring.flows()["short"]["frames_tx"] == 0
    for _ in range(2):
        ring.control(transmit("start", "short"))
        assert ring.until_stopped("short", 20)["frames_tx"] == 20
    ring.control(transmit("start", "other"))
    wait_until(lambda: ring.flows()["other"]["frames_tx"] > 5, "packets of the third flow")
    ring.control(transmit("pause", "other"))
    before = ring.flows()["other"]
    assert before["transmit"] == "paused" and 5 < before["frames_tx"] < 1200 and before["frames_tx_rate"] == 0
    ring.control(transmit("resume", "other"))
    assert ring.until_stopped("other", 1200)["frames_tx"] == 1200
    assert ring.flows()["long"]["transmit"] == "started" and ring.ports()["p1"]["transmit"] == "started"
    ring.control(transmit("stop"))
    flows = ring.flows()
    assert {one["transmit"] for one in flows.values()} == {"stopped"} and flows["short"]["frames_tx"] == 20 and flows["long"]["frames_tx"] > 20
    ring.control(transmit("start", "short"))
    assert ring.until_stopped("short", 20) and ring.flows()["long"]["frames_tx"] == flows["long"]["frames_tx"]
    # What is paused goes on in the run of another flow.
    ring.control(transmit("start", "other"))
    wait_until(lambda: ring.flows()["other"]["frames_tx"] > 5, "packets of the third flow")
    ring.control(transmit("pause", "other"))
    before = ring.flows()["other"]["frames_tx"]
    ring.control(transmit("start", "long"))
    assert ring.flows()["other"]["frames_tx"] == before and ring.flows()["other"]["transmit"] == "paused"
    ring.control(transmit("resume", "other"))
    wait_until(lambda: before < ring.flows()["other"]["frames_tx"] < 1200, "packets after the pause")
    assert ring.until_stopped("other", 1200)["frames_tx"] == 1200
    ring.control(transmit("stop"))


@needs_model_nic
def test_under_way(binary):
    """Packets that arrive after their flow was started again are not among those that it has received since."""
    slow = own_words(["-d", PLUGIN], ["--model=xl710,rx=wire:1;xl710,rx=wire:0,delay=200000000", "--generate-late=1000000"], "--total-num-mbufs=16384")
    with serving(binary, own=slow) as client:
        client.config(config(flow("long", pps=100), flow("short", packets=20, pps=2000)))
        client.control(transmit("start", "long"))
        for _ in range(3):
            client.control(transmit("start", "short"))
            wait_until(lambda: client.flows()["short"]["frames_tx"] == 20, "the last packet")
        assert client.until_stopped("short", 20)["frames_tx"] == 20
        before = client.flows()["long"]["frames_rx"]
        wait_until(lambda: client.flows()["long"]["frames_rx"] > before + 40, "packets that were sent later")
        assert client.flows()["short"]["frames_rx"] == 20


def test_update(ring):
    """Rate and size change while a flow transmits; what cannot is refused."""
    tcp = [ethernet(), IPV4, header("tcp", src_port=values(1, 2))]
    ring.config(config(flow("u", packet=udp_packet(src_port=counting(1, 1, 9)), pps=100, rx=["p1"]), flow("t", packet=tcp, rx=["p1"])))
    ring.control(transmit("start", "u"))

    def update(name, **members):
        return {"choice": "flows", "flows": {"property_names": list(members), "flows": [{"name": name, "tx_rx": {}, **members}]}}
    ring.good("PATCH", "/config", update("u", rate={"choice": "pps", "pps": 4000}, size={"choice": "fixed", "fixed": 256}))
    wait_until(lambda: 2000 < ring.flows()["u"]["frames_tx_rate"] < 5000, "the new rate")
    assert ring.good("GET", "/config")["flows"][0]["size"] == {"choice": "fixed", "fixed": 256}
    ring.good("PATCH", "/config", update("t", size={"choice": "fixed", "fixed": 300}))
    assert "flows[0].rate.pps" in ring.refused("PATCH", "/config", update("u", rate={"choice": "pps", "pps": 0}))[0]
    assert "there is no such flow" in ring.refused("PATCH", "/config", update("x", rate={}))[0]
    assert "expected rate or size" in ring.refused("PATCH", "/config", update("u", packet=[]))[0]
    ring.control(transmit("start", "t"))
    wait_until(lambda: ring.flows()["t"]["frames_rx"] > 10, "packets of the other flow")
    ring.good("PATCH", "/config", update("t", size={"choice": "increment", "increment": {"start": 300, "end": 400, "step": 50}}))
    ring.control(transmit("stop"))
    wait_until(lambda: ring.flows()["t"]["frames_rx"] == ring.flows()["t"]["frames_tx"], "all packets, of both sizes")
    before = ring.flows()
    ring.good("PATCH", "/config", update("t", rate={"choice": "pps", "pps": 400}))
    assert ring.flows() == before and before["t"]["frames_tx"] > 10  # they are those of the flow that has ended
    ring.control(transmit("start", "t"))
    wait_until(lambda: ring.flows()["t"]["frames_rx"] > 10, "packets after the change")
    ring.control(transmit("stop"))


@needs_model_nic
def test_update_refused(wire):
    """If zcfwd refuses one of the flows, none is changed."""
    wire.config(config(flow("a", pps=100), flow("b", pps=100)))
    wire.control(transmit("start"))
    rates = [{"name": "a", "rate": {"choice": "pps", "pps": 20000}}, {"name": "b", "rate": {"choice": "gbps", "gbps": 50}}]
    [error] = wire.refused("PATCH", "/config", {"choice": "flows", "flows": {"property_names": ["rate"], "flows": rates}})
    assert error.startswith("flows[1]: generate streams of port 0: rates of 5")
    before = wire.flows()["a"]["frames_tx"]
    wait_until(lambda: wire.flows()["a"]["frames_tx"] > before + 10, "packets")
    assert wire.flows()["a"]["frames_tx_rate"] < 5000
    wire.control(transmit("stop"))


@needs_model_nic
def test_metrics(wire):
    """Those that are asked for; a flow of seconds ends; ports count from the configuration on, with the CRC."""
    quiet = flow("quiet", tx="p2", rx=["p1"], pps=100, seconds=0.5)
    quiet["metrics"] = {"enable": False}
    wire.config(config(flow(seconds=1, pps=300), quiet))
    wire.control(transmit("start"))
    wait_until(lambda: wire.flows()["f1"]["frames_tx_rate"] > 0, "a rate")
    metric = wire.until_stopped()
    assert 0 < metric["frames_tx"] <= 301 and set(wire.flows()) == {"f1"}
    [error] = wire.refused("POST", "/monitor/metrics", {"choice": "flow", "flow": {"flow_names": ["quiet"]}})
    assert "quiet' has no metrics: expected flows[1].metrics.enable" in error
    ports = wire.ports()
    assert ports["p1"]["frames_tx"] == metric["frames_tx"] and ports["p2"]["frames_rx"] == metric["frames_tx"]
    assert ports["p1"]["bytes_tx"] == 128 * metric["frames_tx"] and ports["p1"]["link"] == "up"
    assert ports["p1"]["location"] == "0" and ports["p1"]["speed"] == 40000
    asked = {"choice": "port", "port": {"port_names": ["p2"], "column_names": ["frames_rx"]}}
    assert wire.good("POST", "/monitor/metrics", asked)["port_metrics"] == [{"name": "p2", "frames_rx": ports["p2"]["frames_rx"]}]


def needs_snappi():
    if subprocess.run([sys.executable, "-c", "import snappi"], capture_output=True, timeout=limit(60), check=False).returncode != 0:
        pytest.skip("snappi is not installed")


def example(binary, change):
    """What the example of the page prints."""
    text = (ROOT / "doc/otg.md").read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    done = subprocess.run([sys.executable, "-c", change(text)], capture_output=True, text=True, timeout=limit(60), env=server_env(binary), check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@needs_model_nic
def test_snappi(binary, wire):
    """The example of the page, by a client of others."""
    needs_snappi()
    sent, received, loss, latency = example(binary, lambda text: text.replace("8443", str(wire.port)))
    assert (sent, received, float(loss)) == ("500", "500", 0) and float(latency) > 0


def test_grpc(binary):
    """The example over gRPC, an error in OTG's form, and a capture."""
    needs_snappi()
    more = """
config.flows[0].size.fixed = 10
try:
    api.set_config(config)
except Exception as error:
    print(error.args[0].code, error.args[0].kind, error.args[0].errors[0].split()[0])
config.flows[0].size.fixed = 128
capture = config.captures.capture(name="c", port_names=["a"])[-1]
api.set_config(config)
for state_of in ("start", "stop"):
    state = api.control_state()
    state.port.capture.state = state_of
    api.set_control_state(state)
wanted = api.capture_request()
wanted.port_name = "a"
print(len(api.get_capture(wanted).read()), api.get_version().app_version.split()[0], api.get_config().flows[0].name)
"""
    with serving(binary, "--grpc", "127.0.0.1:0", own=own_words(RINGS)) as client:
        address = f'location="127.0.0.1:{client.grpc}", transport="grpc"'
        words = example(binary, lambda text: text.replace('location="http://127.0.0.1:8443"', address).replace("[b.name]", "[a.name]") + more)
        assert words[:3] == ["500", "500", "0.0"] and words[4:] == ["400", "validation", "flows[0].size.fixed:", "24", "zcfwd", "f"]


@needs_model_nic
def test_conformance(binary, wire, tmp_path):
    """OTG's own tests of packets, unmodified, from a clone at $OTG_CONFORMANCE."""
    clone = os.environ.get("OTG_CONFORMANCE")
    if not clone:
        pytest.skip("no clone of OTG's conformance tests at $OTG_CONFORMANCE")
    (tmp_path / "test-config.yaml").write_text(f"otg_host: http://127.0.0.1:{wire.port}\notg_ports: ['0', '1']\n", encoding="utf-8")
    env = server_env(binary)
    env["PYTHONPATH"] += os.pathsep + clone
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "log_cli=false", "-c", "/dev/null", "--rootdir", clone, f"{clone}/feature/b2b/packet"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=limit(200), cwd=tmp_path, env=env, check=False)
    assert done.returncode == 0 and "9 passed" in done.stdout, done.stdout + done.stderr
