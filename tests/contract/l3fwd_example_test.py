# SPDX-License-Identifier: BSD-3-Clause
"""DPDK's example l3fwd, built of the source that devtools/driver-source fetched, and the engine l3fwd: same routes, same packets, same answers."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
from types import SimpleNamespace

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6

from modelled import PLUGIN, Modelled
from packets import ether, read_pcap, sized, write_pcap
from recycle_test import dpdk_release
from session import wait_until
from telemetry import Telemetry

pytestmark = pytest.mark.zcfwd
ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKETS = 600
MACS = [f"02:00:00:00:00:a{port}" for port in (0, 1)]
NEXT = [f"02:00:00:00:00:b{port}" for port in (0, 1)]
PREFIXES = (("10.0.0.0/16", 0), ("10.1.0.0/16", 1), ("10.2.0.0/16", 1), ("10.2.7.0/24", 0), ("2001:db8::/48", 0), ("2001:db8:1::/48", 1))


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    folder = ROOT / "build-dpdk" / dpdk_release() / "examples"
    if not (folder / "l3fwd/main.c").exists():
        pytest.skip(f"no {folder}/l3fwd: devtools/driver-source fetches it")
    if shutil.which("gcc") is None:
        pytest.skip("no gcc here")
    words = {way: subprocess.run(["pkg-config", f"--{way}", "libdpdk"], check=True, capture_output=True, text=True).stdout.split() for way in ("cflags", "libs")}
    # Two of the files are included by others.
    sources = [path for path in sorted((folder / "l3fwd").glob("*.c")) if "route_parse" not in path.name]
    program = tmp_path_factory.mktemp("example") / "l3fwd"
    subprocess.run(["gcc", "-O3", "-w", "-DALLOW_EXPERIMENTAL_API", f"-I{folder}/common", *words["cflags"], *sources, "-o", program, *words["libs"]], check=True)
    return program


def whole(address):
    """An IPv6 prefix as the example reads it: all eight parts."""
    start, depth = address.split("/")
    parts = start.rstrip(":").split(":")
    return ":".join(parts + ["0"] * (8 - len(parts))) + "/" + depth


def packets(port):
    random.seed(port)
    made = []
    for i in range(PACKETS):
        net = random.randrange(3)
        if random.random() < 0.3:
            header = ether() / IPv6(src="2001:db8::1", dst=f"2001:db8:{net % 2}::{i:x}", hlim=64) / UDP(sport=i, dport=port)
        else:
            header = ether() / IP(src="192.0.2.1", dst=f"10.{net}.{i % 9}.{i & 255}", ttl=random.randrange(2, 256)) / UDP(sport=i, dport=port)
        made.append(sized(header, random.choice((64, 128, 1500)), i))
    return made


def devices(folder, name):
    return ";".join(f"xl710,mac={MACS[port]},rx=pcap:{folder}/in{port},tx=pcap:{folder}/{name}{port}" for port in (0, 1))


def all_sent(home):
    """What telemetry says of the example, once it is up; it has no command that tells."""
    if not list(home.rglob("dpdk_telemetry.v2*")):
        return False
    with Telemetry(SimpleNamespace(home=home)) as telemetry:
        return sum(telemetry.ask(f"/ethdev/stats,{port}")["opackets"] for port in (0, 1)) == 2 * PACKETS


def run_example(program, folder, lookup):
    (folder / "v4").write_text("".join(f"R{prefix} {port}\n" for prefix, port in PREFIXES if ":" not in prefix), encoding="ascii")
    (folder / "v6").write_text("".join(f"R{whole(prefix)} {port}\n" for prefix, port in PREFIXES if ":" in prefix), encoding="ascii")
    with tempfile.TemporaryDirectory(prefix="zct") as home:
        argv = [program, "--lcores=0@0,1@0-1", "--no-huge", "-m", "900", "--no-shconf", "--no-pci", f"--file-prefix={pathlib.Path(home).name}", "--log-level=error",
                "-d", PLUGIN, "--iova-mode=va", "--", "-p", "3", "-P", "--config=(0,0,1),(1,0,1)", f"--lookup={lookup}", f"--rule_ipv4={folder}/v4",
                f"--rule_ipv6={folder}/v6", *(f"--eth-dest={port},{NEXT[port]}" for port in (0, 1))]
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


@pytest.mark.parametrize("lookup", ["fib", "lpm"])
def test_same_answers(binary, example, tmp_path, lookup):
    for port in (0, 1):
        write_pcap(tmp_path / f"in{port}", packets(port))
    run_example(example, tmp_path, lookup)
    with Modelled(binary, devices(tmp_path, "ours"), tmp_path, lcores="0@0,1@0-1") as session:
        session.ok(*(f"route add {prefix} port {port} mac {NEXT[port]}" for prefix, port in PREFIXES), f"set l3fwd lookup {lookup}", "set fwd l3fwd", "start")
        wait_until(lambda: session.count("TX-packets") == 2 * PACKETS, "all packets sent", 60)
        session.ok("stop")
        session.quit()
    ours, theirs = answers(tmp_path, "ours"), answers(tmp_path, "example")
    assert sum(len(found) for flows in ours for found in flows.values()) == 2 * PACKETS
    assert ours == theirs
