# SPDX-License-Identifier: BSD-3-Clause
"""dma placement auto on a machine with two nodes: lcores, memory and engines follow the guest from node to node while packets flow."""
import re
import time

import pytest

from guest import Program, archive
from host import MODULES, Host, Shell, nodes_of

pytestmark = pytest.mark.zcfwd
NODES = (0, 1)
CPUS = (2, 2)  # of each node
VHOSTS = (0, 1)
LCORE = {0: 1, 1: 2}  # the forwarding lcore on each node
GUEST = {0: "0@1,1@1", 1: "0@3,1@3"}  # the lcores of a guest on each node
# DPDK's software engine has no node, and its place is what dma_adaptive says of it.
ENGINES = [f"dma_skeleton{node}" for node in NODES] + [
    f"dma_adaptive{node},dev=dma_skeleton{node},node={node},min_len=1024,min_len_nr=1024" for node in NODES]
SIZE, RATE, MTU = 8000, "1kpps", 9000  # an emulated processor forwards that much
OWN = "-i --total-num-mbufs=4096 --mbuf-size=9500"
WAIT_S = 90


@pytest.fixture(scope="module")
def program(binary):
    return Program(binary, ("net_virtio", "dma_skeleton", "mempool_ring", "bus_vdev"))


@pytest.fixture(scope="module")
def lab(tmp_path_factory, program):
    with Host(archive(tmp_path_factory, MODULES, program.files), [], cpus=CPUS, iommu=False) as guest:
        guest.boot().users()
        guest.reserve_pages()
        yield guest


def until(condition, what, timeout=WAIT_S):
    """Wait; the program needs none of the CPUs' time for it. Returns what was found, which is true."""
    end = time.monotonic() + timeout
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {timeout} s: {what()}"
        time.sleep(0.5)
    return found


class Backend(Shell):
    """zcfwd with two ports of guests, an engine on each node, and a forwarding lcore on each of the nodes that it is given."""

    def __init__(self, guest, program, nodes=NODES):
        devices = ENGINES + [f"net_async_vhost{port},iface=/tmp/s{port},dmas=auto" for port in VHOSTS]
        lcores = ",".join(["0@0", *(f"{LCORE[node]}@{CPUS[0] * node}" for node in nodes)])
        super().__init__(guest, program.line(
            f"--lcores={lcores} --in-memory --iova-mode=va --no-pci --log-level=lib.vhost*:error --log-level=user1:info " +
            " ".join(f"--vdev {device}" for device in devices), f"{OWN} --nb-cores={len(nodes)}"))
        self.program, self.pid = program, self.beside("pidof zcfwd").strip()

    def lcores(self):
        """show config fwd: of each stream, by its receive port."""
        return {stream["rx_port"]: lcore["lcore"] for lcore in self.json("show config fwd")["lcores"] for stream in lcore["streams"]}

    def placed(self):
        """show dma placement, by port and direction."""
        answer = self.json("show dma placement")
        assert answer["acts"]
        return {(place["port"], place["direction"]): place for place in answer["placement"]}

    def users(self):
        """show dma: the directions that have a channel of each device."""
        return {device["name"]: set((device["used_by"] or "").split(", ")) - {""} for device in self.json("show dma")["dma"]}

    def packets(self):
        """show vhost: of each direction of each guest's port."""
        return {(port["port"], queue["direction"]): queue["packets"] for port in self.json("show vhost")["ports"] for queue in port["queues"]}

    def tell(self, *lines):
        for line in lines:
            self.beside(f"echo '{line}' >/tmp/guest")

    def heard(self, pattern):
        """What a guest has printed, once the pattern is in it."""
        return until(lambda: re.search(pattern, self.beside("cat /tmp/said")), lambda: f"{pattern} of the guest: " + self.beside("cat /tmp/said"))

    def guest_on(self, node):
        """A guest whose memory and lcores are on a node: it sends from each of its ports to the other one, and counts what arrives."""
        memory = ",".join("128" if node == at else "0" for at in NODES)
        line = self.program.line(
            f"--lcores={GUEST[node]} --in-memory --single-file-segments --iova-mode=va --no-pci --socket-mem={memory} --socket-limit={memory} " +
            " ".join(f"--vdev net_virtio_user{port},path=/tmp/s{port},mrg_rxbuf=1,queue_size=256" for port in VHOSTS), OWN)
        self.beside("rm -f /tmp/guest; mkfifo /tmp/guest; (sleep 86400 >/tmp/guest & echo $! >/tmp/holder) </dev/null >/dev/null 2>&1; true")
        self.beside(f"({line} </tmp/guest >/tmp/said 2>&1; echo ended=$? >>/tmp/said) & true")
        self.heard("zcfwd> ")
        self.tell("port stop all", *(f"port config mtu {port} {MTU}" for port in VHOSTS), "port start all", "set fwd measure",
                  f"set generate flows 16 size {SIZE}", f"set generate-rate {RATE}")

    def guest_quits(self):
        """Each packet arrived once, whole and in order. Returns how many."""
        self.tell("stop", "show measure", "quit")
        said = self.heard(r"(?s).*ended=(\d+)")
        assert said[1] == "0", said[0]
        self.beside("kill $(cat /tmp/holder); true")
        sent = re.findall(r"sent (\d+), lost (\d+) ", said[0])
        came = re.findall(r"received (\d+) intact, of these reordered (\d+) .*; (\d+) duplicated, (\d+) too old, (\d+) damaged, (\d+) foreign", said[0])
        assert len(sent) == len(came) == len(VHOSTS), said[0]
        for (packets, lost), (intact, *others) in zip(sent, came):
            assert int(packets) == int(intact) > 0 and lost == "0" and set(others) == {"0"}, said[0]
        return sum(int(packets) for packets, _ in sent)


def follows(shell, node):
    """All that the backend has for its guests is on the node; directions without a channel there have one elsewhere, or the CPU."""
    places = shell.placed()
    return set(shell.lcores().values()) == {LCORE[node]} and all(
        place["lcore_node"] == node and (way == "tx" or place["pool_node"] == node) for (_, way), place in places.items()) and any(
        place.get("engine_node") == node for place in places.values())


def channels_agree(shell):
    """show dma placement has the channels that show dma has; each is near to where dma_adaptive said that its engine is."""
    places, users = shell.placed(), shell.users()
    assert all(place["engine_node"] == int(place["engine"][-1]) for place in places.values() if "engine" in place), places
    return all(used_by == {f"port {port} queue 0 {way}" for (port, way), place in places.items() if place.get("engine") == device}
               for device, used_by in users.items() if device.startswith("dma_adaptive"))


def memory_agrees(shell, node):
    """The ports receive into the pool of the node, and the kernel has it there."""
    for port in VHOSTS:
        assert f"Mempool: mb_pool_{node}" in shell.cmd(f"show rxq info {port} 0")
    assert list(nodes_of(shell, f"mb_pool_{node}", shell.pid)) == [node]


def test_follows_guest(lab, program):
    """The streams begin on both nodes, the memory on node 0. All goes to the guest's node, and with its successor to the other one, while packets flow."""
    with Backend(lab, program) as shell:
        assert "node 0" in shell.cmd("show dma") and [device["node"] for device in shell.json("show dma")["dma"][len(NODES):]] == list(NODES)
        shell.cmd("set fwd vhost", "set dma-placement-period 300", "dma placement auto", "start")
        before = {port: LCORE[port] for port in VHOSTS}
        for node in (1, 0, 1):
            shell.guest_on(node)
            assert shell.lcores() == before and not follows(shell, node)
            shell.tell("start")
            until(lambda to=node: follows(shell, to), lambda to=node: f"all on node {to}: {shell.lcores()}, " + shell.cmd("show dma placement") + shell.beside("tail -n 3 /tmp/said"))
            was = shell.packets()
            until(lambda seen=was: all(packets > seen[way] + 100 for way, packets in shell.packets().items()), shell.packets)
            # Channels change with the load, so perhaps between two commands.
            until(lambda: channels_agree(shell), lambda: f"{shell.placed()}, {shell.users()}")
            memory_agrees(shell, node)
            shell.guest_quits()
            before = dict.fromkeys(VHOSTS, LCORE[node])
        shell.cmd("dma placement off")
        assert not any(shell.users()[f"dma_adaptive{node}"] for node in NODES)
        shell.cmd("stop", "port stop all", "port close all")
        assert not any(pool["in_use"] for pool in shell.json("show pool")["pools"])
