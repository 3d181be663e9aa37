# SPDX-License-Identifier: BSD-3-Clause
"""A host with two sockets: ports, pools and lcores of both nodes, and packets that cross from one to the other."""
import random
import re

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from guest import Program, archive
from host import MODULES, PAGES, Cable, Host, Nic, Shell, nodes_of

pytestmark = pytest.mark.zcfwd
PORTS = (0, 1)
# The main lcore, and one of each node that forwards.
LCORES = "--lcores=0@0,1@0,2@1"
BOTH = f"{LCORES} --in-memory"
OWN = "-i --total-num-mbufs=8192 --nb-cores=2"
BOTH_POOLS = [("mb_pool_0", 0), ("mb_pool_1", 1)]
FRAMES = 200


@pytest.fixture(scope="module")
def program(binary):
    plugin = binary.parent / "pmd_shims/drivers/model_nic/model_nic.so"
    return Program(binary, ("net_virtio", "net_i40e", "mempool_ring", "bus_pci"), [str(plugin)] if plugin.exists() else [])


@pytest.fixture(scope="module")
def lab(tmp_path_factory, program):
    """A virtio card on each node, with a cable to the test."""
    folder = tmp_path_factory.mktemp("cables")
    cables = [Cable(folder, str(port)) for port in PORTS]
    nics = [Nic("virtio-net-pci", cables[port].wire, port) for port in PORTS]
    with Host(archive(tmp_path_factory, MODULES, program.files), nics) as guest:
        guest.cables, guest.cards = cables, [nic.address for nic in nics]
        guest.boot().users()
        said = guest.block("for d in ")
        for node, card in enumerate(guest.cards):
            assert f"{card} 0x1af4 0x1041 node {node} " in said, said
            guest.bind(card, "vfio-pci")
        guest.reserve_pages()
        yield guest


def on_cards(guest, program, own=OWN, eal=BOTH):
    return Shell(guest, program.line(eal + "".join(f" -a {card}" for card in guest.cards), own))


def frames(port, seed, cross):
    """Random: pairs of a frame and the port that it leaves by; cross: always the other one."""
    dice = random.Random(f"{port} {seed}")
    made = []
    for number in range(FRAMES):
        to = 1 - port if cross else dice.choice(PORTS)
        head = Ether(src="02:00:00:00:00:08", dst="02:00:00:00:00:07") / IP(src="192.0.2.1", dst=f"10.{to}.0.{number}", ttl=64) / UDP(sport=number, dport=7)
        made.append((bytes(head / dice.randbytes(dice.randint(18, 1472))), to))
    return made


def hopped(frame, port, macs):
    packet = Ether(frame)
    packet.src, packet.dst = macs[port], f"02:00:00:00:00:0{port}"
    packet[IP].ttl -= 1
    del packet[IP].chksum
    return bytes(packet)


def route_frames(guest, shell, seed, cross):
    """l3fwd: what comes in on either node leaves by the port of its route, byte by byte. Returns what start and stop said."""
    macs = [re.search(r"MAC address: (\S+)", shell.cmd(f"show port info {port}"))[1].lower() for port in PORTS]
    began = shell.cmd("route add 10.0.0.0/16 port 0", "route add 10.1.0.0/16 port 1", "set fwd l3fwd", "start")
    sent = [frames(port, seed, cross) for port in PORTS]
    for cable in guest.cables:
        cable.drain()
    for at in range(0, FRAMES, 8):
        for port, cable in enumerate(guest.cables):
            for frame, _ in sent[port][at:at + 8]:
                cable.put(frame)
        for port, cable in enumerate(guest.cables):
            expected = [hopped(frame, port, macs) for each in sent for frame, to in each[at:at + 8] if to == port]
            assert sorted(cable.take() for _ in expected) == sorted(expected)
    assert all(cable.silent() for cable in guest.cables)
    assert min(sum(to != port for _, to in each) for port, each in enumerate(sent)) > FRAMES // 4
    shell.cmd("stop")
    streams = shell.json("show fwd stats all")["streams"]
    assert sum(stream["rx"] for stream in streams) == 2 * FRAMES, streams
    return began


def whole(shell, pools):
    """Every buffer is in its pool once the ports are closed. pools: name and socket of each."""
    shell.cmd("port stop all", "port close all")
    shown = shell.json("show pool")["pools"]
    assert [(pool["name"], pool["socket"]) for pool in shown] == pools, shown
    assert not any(pool["in_use"] for pool in shown), shown


def numa(shell):
    """What doctor says about nodes."""
    return re.search(r"(?m)^ +NUMA +(.*(?:\n {15,}.*)*)", shell.cmd("doctor"))[1]


def test_two_nodes(lab, program):
    """By default each port has the pool of its node, and the lcore that polls it is of that node."""
    with on_cards(lab, program) as shell:
        plan = shell.cmd("show config fwd")
        for port in PORTS:
            assert re.search(rf"Logical Core {port + 1} \(socket {port}\) forwards packets on 1 streams:\n  RX P={port}/Q=0 \(socket {port}\)", plan), plan
        assert numa(shell).startswith("ok "), numa(shell)
        for node in PORTS:
            assert list(nodes_of(shell, f"mb_pool_{node}")) == [node]
        began = route_frames(lab, shell, "default", cross=True)
        assert "Logical Core 2 (socket 1) forwards packets on 1 streams:\n  RX P=1/Q=0 (socket 1) -> TX P=0/Q=0 (socket 0)" in began
        whole(shell, BOTH_POOLS)
    assert lab.free_pages() == [PAGES] * 2


def test_lcores_of_the_other_node(lab, program):
    """start and doctor name the lcore that polls a port of the other node."""
    with on_cards(lab, program) as shell:
        plan = shell.cmd("set corelist 2,1", "show config fwd")
        assert "Logical Core 2 (socket 1) forwards packets on 1 streams:\n  RX P=0/Q=0 (socket 0)" in plan, plan
        said = numa(shell)
        assert "port 0 is on node 0, lcore 2 on node 1" in said and "choose lcores of node 0" in said, said
        route_frames(lab, shell, "reversed", cross=True)
        whole(shell, BOTH_POOLS)


def test_one_lcore_for_both(lab, program):
    """Each Tx queue gets packets of both pools, each of which goes back to its own."""
    with on_cards(lab, program, OWN.replace("cores=2", "cores=1")) as shell:
        assert "port 1 is on node 1, lcore 1 on node 0" in numa(shell)
        route_frames(lab, shell, "one", cross=False)
        whole(shell, BOTH_POOLS)


@pytest.mark.parametrize(("words", "pools"), [
    ("--numa", BOTH_POOLS), ("--no-numa", [("mb_pool_0", 0)]), ("--no-numa --socket-num=1", [("mb_pool_1", 1)]),
    ("--port-numa-config=(0,1),(1,0)", BOTH_POOLS)])
def test_options(lab, program, words, pools):
    """All buffers where the option says; doctor names a port whose buffers are on the other node."""
    with on_cards(lab, program, f"{OWN} '{words}'" if "(" in words else f"{OWN} {words}") as shell:
        said, node = numa(shell), pools[0][1]
        if words == "--numa":
            assert said.startswith("ok "), said
        elif "config" in words:
            assert "port 0 is on node 0, its buffers (mb_pool_1) on node 1" in said, said
        else:
            assert f"port {1 - node} is on node {1 - node}, its buffers ({pools[0][0]}) on node {node}" in said, said
            assert list(nodes_of(shell, pools[0][0])) == [node]
        route_frames(lab, shell, words, cross=True)
        whole(shell, pools)
    assert lab.free_pages() == [PAGES] * 2


@pytest.mark.parametrize("cores", [1, 2])
def test_fast_free(lab, program, cores):
    """
    Modelled cards on both nodes, whose driver returns each batch to the pool of its first mbuf: where an lcore sends packets of both nodes, the
    port does without; engine io keeps it. All buffers are in their pools at the end.
    """
    if not any("model_nic" in file for file in program.files):
        pytest.skip("built without modelled NICs")
    own = f"-i --total-num-mbufs=8192 --nb-cores={cores} --model 'xl710,flows=16,rx=copy;xl710,flows=16,rx=copy' '--port-numa-config=(0,0),(1,1)'"
    with Shell(lab, program.line(f"{BOTH} --no-pci", own)) as shell:
        for engine in ("l3fwd", "io", "mac", "l3fwd"):
            began = shell.cmd("route add 0.0.0.0/0 port 1", f"set fwd {engine}", "start for 1s", timeout=120)
            streams = shell.json("show fwd stats all")["streams"]
            assert all(stream["rx"] > 0 for stream in streams), [stream["rx"] for stream in streams]
            off = "Port 1: mbuf_fast_free disabled: packets of pools mb_pool_0 and mb_pool_1 reach its queue 0" in began
            assert off == (engine == "l3fwd" and cores == 1), began
            has = "MBUF_FAST_FREE" in shell.cmd("show port 1 tx_offload configuration")
            assert has != off
        whole(shell, BOTH_POOLS)
