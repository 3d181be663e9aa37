# SPDX-License-Identifier: BSD-3-Clause
"""Devices of OTG: what is read of them, and a kernel that finds and pings them while flows between them start and stop."""
import copy
import pathlib
import re
import signal
import tempfile

import pytest
from netns import bridged_ports, entering, inside, ip
from otg import A, B, config, ethernet, flow, header, serving, transmit, udp_packet
from session import Session, wait_until
from zcfwd import Port
from zcfwd.otg._config import config_read
from zcfwd.otg._values import Refused

pytestmark = pytest.mark.zcfwd
PORTS = [Port(0, "net_ring0", "net_ring", A, True, 1000), Port(1, "net_ring1", "net_ring", B, True, 0)]
MACS = ["02:00:00:00:00:0a", "02:00:00:00:00:0b"]


def address(name, own, gateway, **more):
    return {"name": name, "address": own, "gateway": gateway, **more}


def device(number, gateway="10.77.0.1", **more):
    """Device d1 or d2 of port p1 or p2, with addresses of both kinds."""
    return {"name": f"d{number}", "ethernets": [{
        "name": f"e{number}", "connection": {"choice": "port_name", "port_name": f"p{number}"}, "mac": MACS[number - 1],
        "ipv4_addresses": [address(f"i{number}", f"10.77.0.1{number}", gateway)],
        "ipv6_addresses": [address(f"v{number}", f"2001:db8::1{number}", "2001:db8::1", prefix=96)], **more}]}


def between(tx, rx, packet=None, **more):
    """A flow from a device, to the MAC address of its gateway."""
    body = flow(packet=packet or [header("ethernet", src=MACS[int(tx[1]) - 1]), *udp_packet()[1:]], **more)
    return {**body, "tx_rx": {"choice": "device", "device": {"tx_names": [tx], "rx_names": [rx], "mode": "mesh"}}}


def read(*flows, devices):
    return config_read(config(*flows, devices=devices), PORTS)


def test_hosts():
    """Each address is a host of its port, with the interface's MAC address or the port's."""
    bare = device(2)
    del bare["ethernets"][0]["mac"]
    plan = read(devices=[device(1), bare])
    assert [line for one in plan.interfaces for _, line in one.lines()] == [
        f"set port 0 host 10.77.0.11/24 mac {MACS[0]}", f"set port 0 host 2001:db8::11/96 mac {MACS[0]}",
        f"set port 1 host 10.77.0.12/24 mac {B}", f"set port 1 host 2001:db8::12/96 mac {B}"]
    assert plan.interfaces[0].names == ("d1", "e1", "i1", "v1") and not plan.warnings
    warned = read(devices=[device(1, vlans=[{"name": "v", "id": 5}], mtu=9000)]).warnings
    assert [text.partition(":")[0] for text in warned] == ["devices[0].ethernets[0].vlans", "devices[0].ethernets[0].mtu"]
    assert not read(devices=[device(1, mtu=1500)]).warnings


@pytest.mark.parametrize(("gateway", "more", "wanted"), [
    ("10.77.0.12", {}, MACS[1]), ("10.77.0.1", {"gateway_mac": {"choice": "value", "value": "02:00:00:00:00:99"}}, "02:00:00:00:00:99"),
    ("10.77.0.12", {"gateway_mac": {"choice": "auto", "auto": "00:00:00:00:00:00"}}, MACS[1])])
def test_next_hop(gateway, more, wanted):
    """Packets go to the MAC address of the gateway, unless the flow has another one."""
    one = device(1, gateway)
    one["ethernets"][0]["ipv4_addresses"][0].update(more)
    for name in ("d1", "e1", "i1"):
        made = read(between(name, "d2"), devices=[one, device(2)]).flows[0]
        assert f" raw {wanted}{MACS[0]}0800".replace(":", "") in made.words and (made.tx_name, made.rx_names) == ("p1", ("p2",))
    assert f" raw {B}{A}0800".replace(":", "") in read(between("i1", "i2", [ethernet(), *udp_packet()[1:]]), devices=[one, device(2)]).flows[0].words
    # The gateway of the IPv6 addresses is no device of this configuration.
    with pytest.raises(Refused, match="the gateway's MAC address is not known"):
        read(between("v1", "v2"), devices=[one, device(2)])


REFUSED = [
    ("devices[0].name", None, "devices[0].name: missing: expected a string"),
    ("devices[0].bgp", {"router_id": "1.1.1.1"}, "devices[0].bgp: not supported: expected name, ethernets"),
    ("devices[0].ethernets[0].connection.port_name", "p9", "'p9': there is no such port: expected 'p1' or 'p2'"),
    ("devices[0].ethernets[0].connection", {"choice": "lag_name", "lag_name": "l"}, "connection.choice: lag_name: not supported: expected port_name"),
    ("devices[0].ethernets[0].mac", "02:00", "mac: '02:00': expected a MAC address"),
    ("devices[0].ethernets[0].mac", "01:00:5e:00:00:01", "mac: 01:00:5e:00:00:01: expected the address of one host"),
    ("devices[0].ethernets[0].ipv4_addresses[0].address", "10.0.0", "address: '10.0.0': expected an IPv4 address"),
    ("devices[0].ethernets[0].ipv4_addresses[0].gateway", None, "gateway: missing: expected an address"),
    ("devices[0].ethernets[0].ipv4_addresses[0].prefix", 33, "prefix: expected a number 1..32, not 33"),
    ("devices[0].ethernets[0].dhcpv4_interfaces", [{"name": "x"}], "dhcpv4_interfaces: not supported: expected"),
    ("devices[1].name", "i1", "devices[1].ethernets[0]: 'i1': given twice"),
    ("flows[0].tx_rx.device.tx_names", ["d3"], "tx_names[0]: 'd3': there is no such device: expected 'd1' or 'e1' or 'i1'"),
    ("flows[0].tx_rx.device.rx_names", ["d1", "d2"], "rx_names: 2 names: expected one, and a flow for each pair of devices"),
    ("flows[0].tx_rx.device.bidirectional", True, "bidirectional: not supported: expected False"),
    ("flows[0].tx_rx.device.mode", "star", "mode: star: expected mesh or one_to_one"),
    ("flows[0].packet[0]", {"choice": "ethernet"}, "packet[0].ethernet.dst: auto: the gateway's MAC address is not known"),
]


@pytest.mark.parametrize(("path", "new", "message"), REFUSED)
def test_refused(path, new, message):
    body = copy.deepcopy(config(between("d1", "d2", [ethernet(), *udp_packet()[1:]]), devices=[device(1), device(2)]))
    at = body
    *names, last = re.findall(r"\w+", path)
    for name in names:
        at = at[int(name) if name.isdigit() else name]
    at[int(last) if last.isdigit() else last] = new
    with pytest.raises(Refused) as refused:
        config_read(body, PORTS)
    [error] = refused.value.errors
    assert message in error and error.startswith(path.partition("[")[0]), error


def protocols(state):
    return {"choice": "protocol", "protocol": {"choice": "all", "all": {"state": state}}}


@pytest.fixture
def beside(binary):
    """A server that attaches to a zcfwd on two ports of a kernel's bridge, and a function that pings devices from there."""
    with bridged_ports("zo") as (mine, near, kernel), tempfile.TemporaryDirectory(prefix="zco") as home:
        ip("-n", kernel, "addr", "add", "10.77.0.1/24", "dev", "zcbr")
        path = pathlib.Path(home) / "c"
        with Session(binary, [f"net_af_packet{i},iface={near[i]},framecnt=2048" for i in (0, 1)], args=["--control", f"unix:{path}", "--generate-late=1000000"],
                     wrapper=entering(mine), interactive=False, ends=0) as session:
            wait_until(path.exists, "the socket", 90)
            with serving(binary, "--control", f"unix:{path}") as client:
                yield client, kernel
            session.signal(signal.SIGTERM)
            session.finish()


def pinged(kernel):
    """Answers to a ping of each device."""
    return [inside(kernel, "ping", f"10.77.0.1{number}", 1)["answered"] for number in (1, 2)]


@pytest.mark.netns
def test_kernel(beside):
    """Devices answer from the start of the protocols to their end, also while flows start, end and are stopped; the kernel learns their MAC addresses."""
    client, kernel = beside
    client.config(config(devices=[device(1), device(2)]))
    client.control(protocols("start"))
    assert pinged(kernel) == [1, 1], "without flows"
    assert client.ports()["p1"]["transmit"] == "stopped"
    client.control(protocols("stop"))
    body = config(between("d1", "d2", packets=100, pps=500), {**between("d2", "d1", pps=200), "name": "f2"},
                  devices=[device(1, "10.77.0.12"), device(2, "10.77.0.11")])
    client.config(body)
    client.control(protocols("start"))
    assert pinged(kernel) == [1, 1]
    client.control(transmit("start"))
    assert pinged(kernel) == [1, 1]
    assert client.until_stopped()["frames_rx"] == 100
    client.control(transmit("stop"))
    assert client.until_stopped("f2")["frames_rx"] > 0 and pinged(kernel) == [1, 1]
    known = ip("-n", kernel, "neigh", "show", "dev", "zcbr")
    assert all(f"10.77.0.1{number} lladdr {MACS[number - 1]}" in known for number in (1, 2)), known
    client.control(transmit("start", "f1"))
    assert client.until_stopped()["frames_rx"] == 100 and client.flows()["f2"]["frames_rx"] > 0
    client.control(protocols("stop"))
    assert client.flows()["f1"]["frames_rx"] == 100
    inside(kernel, "last_hop", "10.77.0.11", 9, 1)


@pytest.mark.netns
def test_refused_by_zcfwd(beside):
    """A configuration that only zcfwd finds wrong leaves no addresses; one without devices takes them away, and protocols start nothing."""
    client, _ = beside
    body = config(devices=[device(1), device(2)])
    client.config(body)
    bad = copy.deepcopy(body)
    bad["devices"][1]["ethernets"][0]["ipv4_addresses"][0]["address"] = "10.77.0.255"
    path = "devices[1].ethernets[0].ipv4_addresses[0].address"
    assert client.refused("POST", "/config", bad)[0].startswith(f'{path}: host "10.77.0.255/24" is the broadcast address of its network')
    client.config(body)
    client.config(config())
    assert client.control(protocols("start"))["warnings"] == ["protocol: there are no protocols: nothing was changed"]
    client.config(body)
    assert "expected start or stop" in client.refused("POST", "/control/state", protocols("pause"))[0]
