# SPDX-License-Identifier: BSD-3-Clause
"""dma placement auto on a machine with two nodes: lcores, memory and engines follow the guest while packets flow."""
import re

import pytest

from guest import Program, archive
from host import MODULES, Host, Shell, nodes_of
from session import wait_until

pytestmark = pytest.mark.zcfwd
NODES = (0, 1)
CPUS = (2, 2)  # of each node
VHOSTS = (0, 1)
LCORE = {0: 1, 1: 2}  # the forwarding lcore on each node
GUEST = {0: "0@1,1@1", 1: "0@3,1@3"}  # the lcores of a guest on each node
SIZE, RATE, MTU = 8000, "1kpps", 9000  # an emulated processor forwards that much
OWN = "-i --total-num-mbufs=4096 --mbuf-size=9500"
WAIT_S = 90
# Slow copies: with what an emulated processor forwards, a move gains more than DMA_COST_NOTHING.
SLOW = ["node 0 memory 1000", "node 1 memory 1000", *(f"lcores {LCORE[node]} node {node}" for node in NODES), "cpu speed 100",
        *(f"engine dma_adaptive{node} node {node} channels 1 speed 200 job 20000" for node in NODES)]


@pytest.fixture(scope="module")
def program(binary):
    return Program(binary, ("net_virtio", "dma_skeleton", "mempool_ring", "bus_vdev"))


@pytest.fixture
def lab(tmp_path_factory, program):
    with Host(archive(tmp_path_factory, MODULES, program.files), [], cpus=CPUS, iommu=False) as guest:
        guest.boot().users()
        guest.reserve_pages()
        yield guest
        print("".join(guest.said)[-8000:])  # for a test that failed


class Backend(Shell):
    """zcfwd with two ports of guests. engines: the node of each; nodes: those with a forwarding lcore."""

    def __init__(self, guest, program, engines=NODES, nodes=NODES):
        # DPDK's software engine has no node: its place is what dma_adaptive says of it.
        devices = [f"dma_skeleton{i}" for i in range(len(engines))] + [
            f"dma_adaptive{i},dev=dma_skeleton{i},node={node},min_len=1024,min_len_nr=1024" for i, node in enumerate(engines)] + [f"net_async_vhost{port},iface=/tmp/s{port},dmas=auto" for port in VHOSTS]
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
        return wait_until(lambda: re.search(pattern, self.beside("cat /tmp/said")), f"{pattern} of the guest", WAIT_S)

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
    shell.beside("sleep 1")  # an emulated processor has more to do than to answer
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


@pytest.mark.parametrize(("speeds", "nodes"), [("measured", (1,)), ("of a file", (1, 0))])
def test_follows_guest(lab, program, speeds, nodes):
    """
    The streams begin on both nodes, the memory on node 0. All goes to node 1 with a guest there, and back to node 0 with the next guest, while packets
    flow; each arrives once, in order.
    """
    with Backend(lab, program) as shell:
        assert [device["node"] for device in shell.json("show dma")["dma"][len(NODES):]] == list(NODES)
        if speeds == "of a file":
            for line in SLOW:
                shell.beside(f"echo '{line}' >>/tmp/slow")
            shell.cmd("set dma-topology /tmp/slow")
        shell.cmd("set fwd vhost", "set dma-placement-period 300", "dma placement auto", "start")
        assert set(shell.lcores().values()) == set(LCORE.values())
        for node in nodes:
            shell.guest_on(node)
            assert not follows(shell, node)
            shell.tell("start")
            wait_until(lambda: follows(shell, node), f"all on node {node}", WAIT_S)
            was = shell.packets()
            wait_until(lambda: all(packets > was[way] + 100 for way, packets in shell.packets().items()), "packets", WAIT_S)
            # Channels change with the load, so perhaps between two commands.
            wait_until(lambda: channels_agree(shell), "the answers of two commands agree", WAIT_S)
            memory_agrees(shell, node)
            shell.guest_quits()
        shell.cmd("dma placement off")
        assert not any(shell.users()[f"dma_adaptive{node}"] for node in NODES)
        shell.cmd("stop", "port stop all", "port close all")
        assert not any(pool["in_use"] for pool in shell.json("show pool")["pools"])


def test_node_without_pool(lab, program):
    """A guest on a node where the program has no lcore, and so no pool: its packets stay in the other pool, with a line for each port, and all arrive."""
    with Backend(lab, program, engines=(1, 1, 1, 1), nodes=(0,)) as shell:
        shell.cmd("set fwd vhost", "set dma-placement-period 300", "dma placement auto", "start")
        shell.guest_on(1)
        shell.tell("start")
        lines = [f"port {port} queue 0: its pool stays on node 0: node 1 has no packet pool" for port in VHOSTS]
        wait_until(lambda: shell.placed() and all(line in "".join(lab.said) for line in lines), "a line for each port", WAIT_S)
        was = shell.packets()
        wait_until(lambda: all(packets > was[way] + 100 for way, packets in shell.packets().items()), "packets", WAIT_S)
        assert set(shell.lcores().values()) == {LCORE[0]}
        assert all(place["pool_node"] == 0 and place["remote"] for (_, way), place in shell.placed().items() if way == "rx")
        shell.guest_quits()
        shell.cmd("dma placement off", "stop", "port stop all", "port close all")
        assert all("".join(lab.said).count(line) == 1 for line in lines)
        assert not any(pool["in_use"] for pool in shell.json("show pool")["pools"])
