# SPDX-License-Identifier: BSD-3-Clause
"""Ports that answer ARP, neighbor solicitations and ping of the kernel while they measure, and addresses that are refused."""
import collections
import json
import re

import pytest

from measuring import refused, results
from netns import bridged_ports, entering, has_ipv6, inside, ip
from session import Session, wait_until

HOST = "set port {} host {}"
MAC = "02:00:00:00:00:bb"
IP4, IP6 = ("10.77.0.10", "10.77.0.11"), ("2001:db8::10", "2001:db8::11")
KERNEL4, KERNEL6 = "10.77.0.1", "2001:db8::1"


@pytest.fixture
def beside(binary):
    """A session on two ports of a kernel's bridge, and the namespace of the bridge, which has addresses."""
    with bridged_ports("zh") as (mine, near, kernel):
        ip("-n", kernel, "addr", "add", f"{KERNEL4}/24", "dev", "zcbr")
        if has_ipv6():
            ip("-n", kernel, "addr", "add", f"{KERNEL6}/64", "dev", "zcbr", "nodad")
        with Session(binary, [f"net_af_packet{i},iface={near[i]},framecnt=2048" for i in (0, 1)], wrapper=entering(mine)) as session:
            yield session, kernel


def neighbours(kernel):
    """The MAC addresses that the kernel has learnt, by IP address, or its states of those that do not answer."""
    return {row["dst"]: row.get("lladdr", row["state"][0]) for row in json.loads(ip("-n", kernel, "-j", "neigh", "show", "dev", "zcbr") or "[]")}


def macs(session):
    return [re.search(r"MAC address: ([0-9A-F:]{17})", session.cmd(f"show port info {i}"))[1].lower() for i in (0, 1)]


def address_state(kernel, address):
    """The flags of an address of the bridge."""
    rows = json.loads(ip("-n", kernel, "-j", "addr", "show", "dev", "zcbr"))[0]["addr_info"]
    return next(row for row in rows if row["local"] == address)


@pytest.mark.netns
def test_kernel(beside):
    """The kernel finds both ports by ARP and ND, and pings them, while they measure without a loss; each packet is in one row."""
    session, kernel = beside
    addresses = (*IP4, *IP6) if has_ipv6() else IP4
    session.ok(*[HOST.format(i % 2, f"{address}/{64 if ':' in address else 24}") for i, address in enumerate(addresses)], "set fwd measure",
               "set generate flows 4", "set generate-rate 500", "set generate-late 1000000", "set measure-drain 500")
    session.ok("start")
    for address in addresses:
        assert inside(kernel, "ping", address, 5)["answered"] == 5
    known, own = neighbours(kernel), macs(session)
    assert {address: known[address] for address in addresses} == dict(zip(addresses, own * 2))
    # The bridge floods what is for an address it does not know: more foreign packets than a run may have without addresses.
    ip("-n", kernel, "neigh", "add", "10.77.0.99", "lladdr", "02:00:00:00:00:99", "dev", "zcbr")
    inside(kernel, "last_hop", "10.77.0.99", 9, 20)
    if has_ipv6():  # the kernel may not take an address that a port answers for
        ip("-n", kernel, "addr", "add", f"{IP6[1]}/64", "dev", "zcbr")
        wait_until(lambda: address_state(kernel, IP6[1]).get("dadfailed"), "the end of duplicate address detection", 20)
    session.ok("set output json")
    answer = session.json_ok("stop")
    counters = collections.Counter()
    for stream in answer["streams"]:
        counters.update(stream["counters"])
        assert stream["rx"] == sum(stream["counters"][name] for name in ("unique", "duplicated", "too_old", "damaged", "foreign", "answered")), stream
    rows = results(session)
    assert all(row["sent"] > 50 and row["lost"] == 0 for row in rows), [(row["sent"], row["lost"]) for row in rows]
    # Five pings of each address, at least an ARP request or a solicitation for it, and the detection.
    assert counters["answered"] >= len(addresses) * (5 + 1) + has_ipv6() and counters["foreign"] >= 2 * 20 and counters["answers_dropped"] == counters["damaged"] == 0, counters
    assert sum(row["answered"] for row in rows) == counters["answered"]
    assert answer["summary"]["asked"] == answer["summary"]["sent"] == sum(row["sent"] for row in rows) and answer["summary"]["lost"] == 0, answer["summary"]
    assert sum(stream["tx"] for stream in answer["streams"]) == sum(row["sent"] for row in rows) + counters["answered"]


@pytest.mark.netns
def test_own_mac(beside):
    """Hosts of a port with a MAC address of their own: the kernel learns it, and pings them by it."""
    session, kernel = beside
    wanted = {IP4[0]: MAC, IP6[0]: MAC, IP4[1]: macs(session)[0]}
    session.ok(HOST.format(0, f"{IP4[0]}/24 mac {MAC}"), HOST.format(0, f"{IP6[0]}/64 mac {MAC}"), HOST.format(0, IP4[1]), "set fwd measure",
               "set generate flows 0", "start")
    if not has_ipv6():
        del wanted[IP6[0]]
    for address in wanted:
        assert inside(kernel, "ping", address, 3)["answered"] == 3
    known = neighbours(kernel)
    assert {address: known[address] for address in wanted} == wanted


@pytest.mark.netns
def test_not_asked(beside):
    """A port does not answer for the other one's address, nor without one; nothing is sent that was not asked for."""
    session, kernel = beside
    session.ok(HOST.format(0, IP4[0]), "set portlist 0", "set fwd measure", "set generate flows 0", "start")
    assert inside(kernel, "ping", IP4[0], 1)["answered"] == 1
    inside(kernel, "last_hop", IP4[1], 9, 1)
    wait_until(lambda: neighbours(kernel)[IP4[1]] == "FAILED", "the end of the kernel's ARP requests", 20)
    session.ok("set output json")
    stream = session.json_ok("stop")["streams"][0]
    assert stream["tx"] == stream["counters"]["answered"] >= 2 and stream["counters"]["foreign"] > 0, stream
    session.ok("set port 0 host none")
    assert session.json_ok("show port host")["hosts"] == []


REFUSED = [
    ("0 host nine", "EINVAL", 'host "nine": expected an IPv4 or IPv6 address such as 10.0.0.1', 17),
    ("0 host 10.0.0.255/24", "EINVAL", "is the broadcast address of its network", 17),
    ("1 host ff02::1", "EINVAL", "is a multicast address: expected the address of one host", 17),
    ("0 host 10.1.1.1", "EEXIST", "port 0 has it already", 17),
    ("1 host 10.1.1.1/8", "EEXIST", "port 0 has it already: expected another address, one port has each", 17),
    ("7 host 10.2.2.2", "ENODEV", "port 7 host: no such port", 10),
    ("7 host none", "ENODEV", "port 7 host: no such port", 10),
    ("0 host 10.2.2.2 mac 01:00:5e:00:00:01", "EINVAL", "mac 01:00:5e:00:00:01: expected the address of one host, not of a group", 30),
    ("0 host 10.2.2.2 mac 0:0:0:0:0:0", "EINVAL", "mac 0:0:0:0:0:0: expected the address of one host", 30),
]


def test_refused(binary):
    """A bad address is named, and leaves the others; during a run of measure none is changed."""
    with Session(binary, ["net_ring0", "net_ring1"]) as session:
        session.ok(HOST.format(0, "10.1.1.1/24"), "set output json")
        for line, code, said, column in REFUSED:
            error = session.json(f"set port {line}")["error"]
            assert error["code"] == code and said in error["message"] and error["column"] == column, error
        assert [row["address"] for row in session.json_ok("show port host")["hosts"]] == ["10.1.1.1"]
        session.ok("set fwd measure", "start")
        for word in ("10.1.1.2", "none"):
            error = session.json(f"set port 0 host {word}")["error"]
            assert error["code"] == "EBUSY" and "Please stop forwarding first" in error["message"], error
        session.json_ok("stop")
        session.ok("set port 0 host 10.1.1.2")


def test_engines(binary):
    """An engine that never receives says that it answers nothing, at its start; the others do not know of addresses."""
    with Session(binary) as session:
        session.ok("set fwd generate", "set generate-rate 1kpps")
        assert "show port host" not in refused(session, "start") + session.cmd("stop")
        session.ok(HOST.format(1, "2001:db8::5/64"))
        assert 'engine generate never receives, so no port answers for the addresses of "show port host"' in refused(session, "start")
        session.cmd("stop")
        assert "Port 1 answers for 2001:db8::5/64 in runs of engine measure" in session.cmd("show port host")


def test_saved(binary, tmp_path):
    """save config writes the addresses, and load reads them."""
    lines = ["set port 0 host 10.1.1.1/24", "set port 1 host fe80::1/64", "set port 1 host 10.2.2.2/32 mac 02:00:00:00:00:BB"]
    with Session(binary) as session:
        session.ok(*lines, "set port 0 host 10.9.9.9", "set port 0 host none", lines[0], f"save config {tmp_path}/saved")
    written = (tmp_path / "saved").read_text(encoding="utf-8")
    assert [line for line in written.splitlines() if " host " in line] == [lines[1], lines[2], lines[0]]
    with Session(binary) as session:
        session.ok(f"load {tmp_path}/saved", "set output json")
        assert [(row["port"], row["address"], row["prefix"], row["mac"]) for row in session.json_ok("show port host")["hosts"]] == \
            [(1, "fe80::1", 64, None), (1, "10.2.2.2", 32, MAC.upper()), (0, "10.1.1.1", 24, None)]
        session.ok("set output text")
        assert "Port 1 answers for 10.2.2.2/32 with MAC address 02:00:00:00:00:BB in runs of engine measure" in session.cmd("show port host")
