# SPDX-License-Identifier: BSD-3-Clause
"""dma placement auto: channels follow the load of guests while packets flow, whole and in order; engines that go away; lcores."""
import contextlib
import os
import re

import pytest
from conftest import binary_path

from alloc_faults import MODULE, Faults, counts
from modelled import loadable
from packets import read_pcap, write_pcap
from session import Session, wait_until
from stats import port_stats
from vhost_peer import QUIET, Guest
from virtio_pair import eal_args, numbered, surplus

SCRIPTED = binary_path().parent / "tests/fixtures/dma_scripted_plugin.so"
ROOMY = ["--mbuf-size=9500"]  # a packet is one copy
POOL = "--total-num-mbufs=6144"
N = 64
BYTES = (8000, 6000)  # of a packet of each guest
VHOSTS, FILES, TAILS = (1, 3), (0, 2), (4, 5)  # ports, by guest
LCORES = "0@0,1@1,2@0,3@1,4@0"  # one for each direction: one that waits for a guest does not hold up others
PATIENT = "set burst tx delay 1000 retry 60000"  # a minute: an engine is given up after a second or more
LOG = "--log-level=user1:info"


class Backend(Session):
    """Two pairs of ports, a file's and a guest's. The files repeat; guests send back what they get, to a file and at last to a tail."""

    def __init__(self, binary, tmp_path, engines, eal=(), lcores=LCORES, **options):
        self.program, self.folder = binary, tmp_path
        self.sent = [[packet[:18] + bytes(length - 18) for packet in numbered(N, 7000 * i)] for i, length in enumerate(BYTES)]
        devices = []
        for i, packets in enumerate(self.sent):
            write_pcap(tmp_path / f"in{i}", packets)
            devices += [f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/back{i},infinite_rx=1",
                        f"net_async_vhost{i},iface={tmp_path}/s{i},dmas=auto"]
        devices += [f"net_pcap{2 + i},tx_pcap={tmp_path}/tail{i}" for i in range(2)]
        super().__init__(binary, [*engines, *devices], ["--no-flush-rx", f"--nb-cores={lcores.count(',')}", *ROOMY], lcores=lcores,
                         eal=[*eal_args(), *QUIET, LOG, *eal], pool=POOL, **options)
        # Speeds as of an idle machine: on a busy one a software engine is measured as slower than the CPU.
        names = [engine.split(",")[0] for engine in engines if not engine.startswith("dma_skeleton")]
        (tmp_path / "here").write_text("node 0\nlcores 1-4 node 0\ncpu speed 10000\nport 1 node 0\nport 3 node 0\n" + "".join(
            f"engine {name} node 0 speed 10000 job 150\n" for name in names))
        self.ok(f"set dma-topology {tmp_path}/here", "set dma-placement-period 10")

    def queues(self):
        """show vhost: {port: {direction: queue}}."""
        self.cmd("set output json")
        ports = self.json_ok("show vhost")["ports"]
        self.cmd("set output text")
        return {port["port"]: {queue["direction"]: queue for queue in port["queues"]} for port in ports}

    def engines(self):
        """The engines that each guest's queues have."""
        queues = self.queues()
        return [[queue["engine"] for queue in queues[port].values() if queue["engine"]] for port in VHOSTS]

    def users(self):
        """show dma: the users of each device."""
        self.cmd("set output json")
        devices = self.json_ok("show dma")["dma"]
        self.cmd("set output text")
        return {device["name"]: device["used_by"] for device in devices}

    def lcores(self):
        """show config fwd: the lcore of each stream, by its receive port."""
        self.cmd("set output json")
        lcores = self.json_ok("show config fwd")["lcores"]
        self.cmd("set output text")
        return {stream["rx_port"]: lcore["lcore"] for lcore in lcores for stream in lcore["streams"]}

    def connect(self, stack):
        guests = [stack.enter_context(Guest(self.program, self.folder / f"s{i}", args=ROOMY, pool=POOL)) for i in range(2)]
        wait_until(lambda: all(queue["open"] for queues in self.queues().values() for queue in queues.values()), "guests", 30)
        return guests

    def begin(self):
        self.ok("set portlist 0,1,2,3", "set fwd vhost retry", PATIENT, "start")

    def placed(self):
        """show dma placement: of each direction of a guest's queue."""
        self.cmd("set output json")
        answer = self.json_ok("show dma placement")
        self.cmd("set output text")
        assert answer["acts"]
        return {(place["port"], place["direction"]): place for place in answer["placement"]}

    def all_back(self, nodes=1):
        """Every packet to the guests came back once, whole and in order."""
        self.ok("stop", "set portlist 1,4,3,5", "start")

        def came():
            queues = self.queues()
            return all(queues[port]["tx"]["packets"] == queues[port]["rx"]["packets"] for port in VHOSTS) and all(
                port_stats(self, FILES[i])["TX-packets"] + port_stats(self, TAILS[i])["TX-packets"] == queues[port]["rx"]["packets"]
                for i, port in enumerate(VHOSTS))
        wait_until(came, "all packets back", 60)
        queues = self.queues()
        self.ok("stop", "port stop all")
        for i, port in enumerate(VHOSTS):
            back = read_pcap(self.folder / f"back{i}") + read_pcap(self.folder / f"tail{i}")
            assert len(back) == queues[port]["rx"]["packets"] > 0
            wrong = [k for k, packet in enumerate(back) if packet != self.sent[i][k % N]]
            assert not wrong, f"guest {i}: packet {wrong[0]} of {len(back)}"
            for queue in queues[port].values():
                assert queue["in_flight"] == queue["drained"] == queue["refused"] == 0, queue
                assert queue["cpu_bytes"] + queue["dma_bytes"] >= queue["bytes"] == len(back) * BYTES[i]
        assert [surplus(self, node) for node in range(nodes)] == [-2 * N] + [0] * (nodes - 1)  # net_pcap keeps what it repeats


def channels(n, below="dma_skeleton", devargs=""):
    return [*(f"{below}{i},{devargs}" for i in range(n)), *(f"dma_adaptive{i},dev={below}{i},min_len=1024,min_len_nr=1024" for i in range(n))]


def test_follows_load(binary, tmp_path):
    """Two channels serve the guest that takes packets, then the other one, then the first one again."""
    with Backend(binary, tmp_path, channels(2)) as backend, contextlib.ExitStack() as stack:
        guests = backend.connect(stack)
        assert backend.engines() == [[], []]
        backend.ok("dma placement auto")
        backend.begin()
        for turn in range(4):
            if turn > 0:
                guests[(turn - 1) % 2].ok("stop")
            guests[turn % 2].loop(PATIENT)
            wait_until(lambda has=turn % 2: sorted(backend.engines()[has]) == ["dma_adaptive0", "dma_adaptive1"], f"turn {turn}", 60)
            assert backend.engines()[1 - turn % 2] == []
        assert all(queue["dma_bytes"] > 0 for queues in backend.queues().values() for queue in queues.values())
        users = [backend.users()[f"dma_adaptive{i}"] for i in range(2)]
        assert sorted(users) == ["port 3 queue 0 rx", "port 3 queue 0 tx"]
        for i, used_by in enumerate(users):
            for device in (f"dma_adaptive{i}", f"dma_skeleton{i}"):
                refused = f'DMA device {device} is in use by {used_by}: use "dma placement off" before "device detach"'
                assert refused in backend.cmd(f"device detach {device}") + backend.stderr()
        guests[0].loop(PATIENT)
        backend.ok("dma placement off")
        assert backend.engines() == [[], []]
        assert set(backend.users().values()) == {"dma_adaptive0", "dma_adaptive1", None}
        backend.all_back()
        assert "port 3 queue 0 tx: dma_adaptive" in backend.stderr()
        for guest in guests:
            guest.cmd("stop")
        assert backend.quit()[1] == 0


@pytest.mark.parametrize("device", ["dma_adaptive0", "dma_skeleton0"])
def test_detach_without_memory(binary, tmp_path, device):
    """A device with a guest's channel stays, whatever request for memory of "device detach" is refused."""
    faults, lines = Faults(tmp_path / "faults"), []
    wrapper = ["env", f"LD_PRELOAD={MODULE}", f"ALLOC_FAULTS={tmp_path / 'faults'}"]
    with Backend(binary, tmp_path, channels(1), wrapper=wrapper) as backend, contextlib.ExitStack() as stack:
        guest = backend.connect(stack)[0]
        guest.loop(PATIENT)
        backend.ok("set dma-placement-period 500", "dma placement auto")  # it takes no channel away within 1.5 s
        backend.begin()
        wait_until(lambda: backend.engines()[0] == ["dma_adaptive0"], "a channel of the guest's", 60)
        for n in counts():
            before = len(backend.stderr())
            faults.refuse(n, n, False)
            answer = backend.cmd(f"device detach {device}")
            refused = faults.off()[0]
            lines.append(answer + backend.stderr()[before:])
            assert "is detached" not in lines[-1] and "Failed" not in lines[-1], (n, lines)
            if not refused:
                break
        assert f"{device} is in use by port 1 queue 0" in lines[-1], lines
        assert any(f"no memory to check whether DMA device {device} is in use" in line for line in lines), lines
        assert device in backend.users()
        backend.ok("dma placement off")
        guest.cmd("stop")
        backend.cmd("stop")


@pytest.mark.extended
@pytest.mark.skipif(not SCRIPTED.exists(), reason="built without DPDK's source")
def test_engine_lost(binary, tmp_path):
    """An engine that completes nothing is left: one line for each queue, the CPU makes its copies, no packet is lost or overtaken."""
    with Backend(binary, tmp_path, channels(1, "dma_scripted", "stepped=1"), eal=["-d", loadable(SCRIPTED)]) as backend, \
            contextlib.ExitStack() as stack:
        guests = backend.connect(stack)
        for guest in guests:
            guest.loop(PATIENT)
        backend.ok("dma placement auto")
        backend.begin()
        wait_until(lambda: "does not work: the CPU makes its copies of" in backend.stderr() and backend.engines() == [[], []],
                   "the end of an engine", 120)
        before = {port: {way: queue["packets"] for way, queue in queues.items()} for port, queues in backend.queues().items()}
        wait_until(lambda: all(queue["packets"] > before[port][way] + N for port, queues in backend.queues().items()
                               for way, queue in queues.items()), "traffic by the CPU", 60)
        backend.ok("dma placement off")
        backend.all_back()
        assert backend.stderr().count("does not work") == 1
        for guest in guests:
            guest.cmd("stop")
        assert backend.quit()[1] == 0


TOPOLOGY = """
node 0
node 1
lcores {} node 0
lcores {} node 1
engine dma_adaptive0 node 1 channels 2 speed 9000
port 1 node 1
port 3 node 0
"""


def test_lcores(binary, tmp_path):
    """Streams go to their guests' nodes, in a run too; a file without these lcores changes nothing, in one line."""
    with Backend(binary, tmp_path, channels(1)) as backend:
        backend.ok("set portlist 0,1,2,3", "set fwd vhost")
        evenly = {0: 1, 1: 2, 2: 3, 3: 4}
        assert backend.lcores() == evenly
        (tmp_path / "near").write_text(TOPOLOGY.format("1-2", "3-4"))
        backend.ok(f"set dma-topology {tmp_path}/near", "dma placement auto")
        for command in ("show config fwd", "start"):
            answer = backend.cmd(command)
            assert ("copies by the CPU 10.0 GB/s (assumed); by dma_adaptive0 9.0 GB/s (from the file), 154 ns" in answer) == (command == "start"), answer
            lcores = backend.lcores()
            assert {lcores[0], lcores[1]} == {3, 4} and {lcores[2], lcores[3]} == {1, 2}
        backend.ok("stop", "dma placement off")
        assert backend.lcores() == evenly
        (tmp_path / "lie").write_text(TOPOLOGY.format("21-22", "23-24"))
        backend.ok(f"set dma-topology {tmp_path}/lie", "dma placement auto")
        assert backend.lcores() == evenly
        assert backend.stderr().count("the topology has no forwarding lcore: streams are divided evenly among the lcores") == 1
        assert backend.quit()[1] == 0


NODES = "node 0\nnode 1\nlcores 1-4 node 0\nlcores 5-8 node 1\ncpu speed 10000\n"
FAKE = ["env", f"LD_PRELOAD={os.environ.get('FAKE_NODES_MODULE', '')}:{os.environ.get('LD_PRELOAD', '')}", "FAKE_NODE_1=5"]
ON_NODES = ",".join([LCORES, "5@1,6@0,7@1,8@0"])  # one for each direction on each node


def moved_to(tmp_path, node, memory=""):
    """A topology in which the engine and both guests are on a node."""
    path = tmp_path / f"on{node}"
    path.write_text(NODES.replace("node 1\n", f"node 1 {memory}\n", 1) +
                    f"engine dma_adaptive0 node {node} channels 4 speed 10000 job 150\nport 1 node {node}\nport 3 node {node}\n")
    return path


@pytest.mark.extended
def test_nodes(binary, tmp_path):
    """Engine and guests are on one node, then on the other: streams, pools and channels follow while packets flow, and show dma placement agrees."""
    with Backend(binary, tmp_path, channels(1), lcores=ON_NODES, wrapper=FAKE) as backend, contextlib.ExitStack() as stack:
        for guest in backend.connect(stack):
            guest.loop(PATIENT)
        assert "mb_pool_1" in backend.cmd("show pool")
        backend.ok(f"set dma-topology {moved_to(tmp_path, 1)}", "dma placement auto", "dma placement off")  # lcores that may get streams
        backend.begin()
        assert backend.lcores() == {0: 1, 1: 2, 2: 3, 3: 4}
        for node in (1, 0, 1):
            backend.ok(f"set dma-topology {moved_to(tmp_path, node)}", "dma placement auto")
            here = {1, 2, 3, 4} if node == 0 else {5, 6, 7, 8}

            def followed():
                places = backend.placed()
                # Guests are slower than files: an lcore that waits for one keeps its streams, and pools near to it stay.
                return "waits for a full Tx ring" in backend.stderr() or set(backend.lcores().values()) <= here and all(
                    places[port, "rx"]["pool_node"] == node for port in VHOSTS)
            wait_until(followed, f"all on node {node}", 60)
            queues = backend.queues()
            before = {(port, way): queue["packets"] for port in VHOSTS for way, queue in queues[port].items()}
            wait_until(lambda: all(queue["packets"] > before[port, way] + N for port, queues in backend.queues().items()
                                   for way, queue in queues.items()), "traffic", 60)
        backend.ok("dma placement off")
        assert "packets from the guest go to the pool of node" in backend.stderr() or "waits for a full Tx ring" in backend.stderr()
        backend.all_back(nodes=2)
        assert backend.quit()[1] == 0


@pytest.mark.extended
def test_node_without_memory(binary, tmp_path):
    """The plan says node 1, which has no pool: one line for each queue, and packets flow."""
    with Backend(binary, tmp_path, channels(1)) as backend, contextlib.ExitStack() as stack:
        for guest in backend.connect(stack):
            guest.loop(PATIENT)
        backend.begin()
        backend.ok(f"set dma-topology {moved_to(tmp_path, 1)}", "dma placement auto")
        line = "port {} queue 0: its pool stays on node 0: node 1 has no packet pool"
        wait_until(lambda: all(line.format(port) in backend.stderr() for port in VHOSTS), "a line for each", 30)
        before = backend.queues()
        wait_until(lambda: all(queue["packets"] > before[port][way]["packets"] + N for port, queues in backend.queues().items()
                               for way, queue in queues.items()), "traffic", 60)
        assert all(backend.stderr().count(line.format(port)) == 1 for port in VHOSTS)
        backend.ok("dma placement off")
        backend.all_back()
        assert backend.quit()[1] == 0


@pytest.mark.extended
@pytest.mark.skipif(not SCRIPTED.exists(), reason="built without DPDK's source")
def test_engines_vanish(binary, tmp_path):
    """Engines are removed while queues move to them, one at a time, and one does not start; the CPU copies, in order, and quit ends the rest."""
    engines = [*channels(3), "dma_scripted0,broken=1"]
    with Backend(binary, tmp_path, engines, eal=["-d", loadable(SCRIPTED)]) as backend, contextlib.ExitStack() as stack:
        guests = backend.connect(stack)
        for guest in guests:
            guest.loop(PATIENT)
        backend.begin()
        for i in range(3):
            backend.ok("dma placement auto")
            answer = backend.cmd(f"device detach dma_adaptive{i}")
            backend.ok("dma placement off")
            if f"Device dma_adaptive{i} is detached" not in answer:
                backend.ok(f"device detach dma_adaptive{i}")
            backend.ok(f"device detach dma_skeleton{i}")
        assert list(backend.users()) == ["dma_scripted0"]
        line = "cannot start DMA device dma_scripted0: Input/output error: the CPU copies"
        lines = backend.stderr().count(line)
        backend.ok("dma placement auto")
        wait_until(lambda: backend.stderr().count(line) > lines, "an engine that does not start", 30)
        before = {port: {way: queue["packets"] for way, queue in queues.items()} for port, queues in backend.queues().items()}
        wait_until(lambda: all(queue["packets"] > before[port][way] + N for port, queues in backend.queues().items()
                               for way, queue in queues.items()), "traffic by the CPU", 60)
        assert backend.engines() == [[], []]
        backend.all_back()
        assert backend.stderr().count(line) == lines + 1
        for guest in guests:
            guest.cmd("stop")
        assert backend.quit()[1] == 0


@pytest.mark.extended
def test_guest_that_takes_nothing(binary, tmp_path):
    """The lcore that waits for it keeps its streams, and so do the others: one line. The other guest's packets flow, and none is lost."""
    line = re.compile(r"streams keep their lcores: lcore [1-4] waits for a full Tx ring")
    with Backend(binary, tmp_path, channels(1), lcores=ON_NODES, wrapper=FAKE) as backend, contextlib.ExitStack() as stack:
        guests = backend.connect(stack)
        guests[0].loop(PATIENT)
        backend.ok(f"set dma-topology {moved_to(tmp_path, 1)}", "dma placement auto", "dma placement off")  # lcores that may get streams
        backend.begin()

        def taken():
            return backend.queues()[VHOSTS[1]]["tx"]["packets"]
        wait_until(lambda: 0 < taken() == taken(), "a full ring", 30)
        backend.ok("dma placement auto")
        wait_until(lambda: line.search(backend.stderr()), "a line", 30)
        before = backend.queues()[VHOSTS[0]]
        wait_until(lambda: all(queue["packets"] > before[way]["packets"] + N for way, queue in backend.queues()[VHOSTS[0]].items()), "traffic", 60)
        assert backend.lcores() == {0: 1, 1: 2, 2: 3, 3: 4} and len(line.findall(backend.stderr())) == 1
        backend.ok("dma placement off")
        guests[1].loop(PATIENT)
        backend.all_back(nodes=2)
        assert backend.quit()[1] == 0
