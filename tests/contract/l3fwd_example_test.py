# SPDX-License-Identifier: BSD-3-Clause
"""DPDK's example l3fwd, built of the source that devtools/driver-source fetched, and the engine l3fwd: same routes, same packets, same answers."""
import os
import pathlib
import random
import signal
import subprocess
import tempfile
from types import SimpleNamespace

import pytest
from conftest import SEED
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6

import example
from modelled import PLUGIN, Modelled
from packets import ether, read_pcap, sized, write_pcap
from session import lcore_args, wait_until
from telemetry import Telemetry

pytestmark = pytest.mark.zcfwd
PACKETS = 600
MACS = [f"02:00:00:00:00:a{port}" for port in (0, 1)]
NEXT = [f"02:00:00:00:00:b{port}" for port in (0, 1)]
PREFIXES = (("10.0.0.0/16", 0), ("10.1.0.0/16", 1), ("10.2.0.0/16", 1), ("10.2.7.0/24", 0), ("2001:db8::/48", 0), ("2001:db8:1::/48", 1))


PROTOS = {17: UDP, 6: TCP}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    try:
        return example.build(tmp_path_factory.mktemp("example"))
    except FileNotFoundError as missing:
        return pytest.skip(str(missing))


def by_prefix(port):
    """Packets of both families to addresses that have a route."""
    random.seed(f"{SEED} {port}")
    made = []
    for i in range(PACKETS):
        net = random.randrange(3)
        if random.random() < 0.3:
            header = ether() / IPv6(src="2001:db8::1", dst=f"2001:db8:{net % 2}::{i:x}", hlim=64) / UDP(sport=i, dport=port)
        else:
            header = ether() / IP(src="192.0.2.1", dst=f"10.{net}.{i % 9}.{i & 255}", ttl=random.randrange(2, 256)) / UDP(sport=i, dport=port)
        made.append(sized(header, random.choice((64, 128, 1500)), i))
    return made


def five_tuples(v6):
    """(source, destination, its ports, protocol, port of the route): one per packet of a port, alike in all but one field to others."""
    random.seed(f"{SEED} {v6}")
    net = "2001:db8:{}::{:x}" if v6 else "10.{}.0.{}"
    return [(net.format(0, i % 7), net.format(1, i % 11), 1 + i, i % 5, random.choice(tuple(PROTOS)), random.randrange(2)) for i in range(PACKETS)]


def by_tuple(tuples, v6):
    made = []
    for i, (source, destination, sport, dport, proto, _) in enumerate(tuples):
        header = IPv6(src=source, dst=destination, hlim=64) if v6 else IP(src=source, dst=destination, ttl=2 + i % 250)
        made.append(sized(ether() / header / PROTOS[proto](sport=sport, dport=dport), random.choice((80, 128, 1500)), i))
    return made


def devices(folder, name):
    return ";".join(f"xl710,mac={MACS[port]},rx=pcap:{folder}/in{port},tx=pcap:{folder}/{name}{port}" for port in (0, 1))


def all_sent(home):
    """What telemetry says of the example, once it is up; it has no command that tells."""
    if not list(home.rglob("dpdk_telemetry.v2*")):
        return False
    with Telemetry(SimpleNamespace(home=home)) as telemetry:
        found = [telemetry.ask(f"/ethdev/stats,{port}") for port in (0, 1)]
    return all(found) and sum(stats["opackets"] for stats in found) == 2 * PACKETS


def run_example(program, folder, lookup, routes):
    with tempfile.TemporaryDirectory(prefix="zct") as home:
        argv = [program, *lcore_args("0@0,1@0-1"), "--no-huge", "-m", "1000", "--no-shconf", "--no-pci", f"--file-prefix={pathlib.Path(home).name}", "--log-level=error",
                "-d", PLUGIN, "--iova-mode=va", "--", *example.options(folder, lookup, routes, NEXT)]
        env = {**os.environ, "MODEL_NIC": devices(folder, "example"), "RUNTIME_DIRECTORY": home}
        with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            try:
                wait_until(lambda: process.poll() is not None or all_sent(pathlib.Path(home)), "the example's packets", 60)
            finally:
                process.send_signal(signal.SIGINT)
                said, _ = process.communicate(timeout=60)
        assert process.returncode == 0, said


def answers(folder, name):
    """What left by each port, each flow in its order. The example leaves the hop limit of IPv6 as it is, and only adds to a checksum, where -0 may come of it."""
    out = []
    for port in (0, 1):
        flows = {}
        for data in read_pcap(folder / f"{name}{port}"):
            v6 = data[12:14] == b"\x86\xdd"
            if v6:
                assert data[21] == (64 if name == "example" else 63)
                data = data[:21] + bytes([63]) + data[22:]
            elif name == "example" and data[24:26] == b"\xff\xff":
                data = data[:24] + bytes(2) + data[26:]
            flows.setdefault(data[54:58] if v6 else data[34:38], []).append(data)
        out.append(flows)
    return out


def same_answers(binary, program, folder, lookup, routes, sent):
    for port in (0, 1):
        write_pcap(folder / f"in{port}", sent[port])
    run_example(program, folder, lookup, routes)
    with Modelled(binary, devices(folder, "ours"), folder, lcores="0@0,1@0-1") as session:
        session.ok(*example.commands(folder, lookup, routes, NEXT), "start")
        wait_until(lambda: session.count("TX-packets") == 2 * PACKETS, "all packets sent", 60)
        session.ok("stop")
        session.quit()
    ours, theirs = answers(folder, "ours"), answers(folder, "example")
    assert sum(len(found) for flows in ours for found in flows.values()) == 2 * PACKETS
    assert ours == theirs


@pytest.mark.parametrize("lookup", ["fib", "lpm"])
def test_prefixes(binary, program, tmp_path, lookup):
    same_answers(binary, program, tmp_path, lookup, PREFIXES, [by_prefix(port) for port in (0, 1)])


@pytest.mark.parametrize("v6", [False, True], ids=["ipv4", "ipv6"])
def test_five_tuples(binary, program, tmp_path, v6):
    """One family at a time, as the example has it; both ports get the same flows."""
    tuples = five_tuples(v6)
    same_answers(binary, program, tmp_path, "em", tuples, [by_tuple(tuples, v6) for _ in (0, 1)])
