# SPDX-License-Identifier: BSD-3-Clause
"""A host with two sockets: the pool of a vhost port and the streams follow its engine and its guest to the other node, and the kernel agrees."""
import time

import pytest

from guest import Program, archive
from host import MODULES, PAGES, Host, Shell, nodes_of

pytestmark = pytest.mark.zcfwd
EAL = "--lcores=0@0,1@0,2@1 --in-memory --socket-mem=160,160 --iova-mode=va --no-pci --vdev=dma_skeleton0 --vdev=dma_adaptive0,dev=dma_skeleton0 " \
      "--vdev=net_async_vhost0,iface=/tmp/s,dmas=auto --vdev=net_null0"
OWN = "-i --total-num-mbufs=8192 --nb-cores=2"
TOPOLOGY = "node 0\\nnode 1\\nlcores 1 node 0\\nlcores 2 node 1\\ncpu speed 10000\\nengine dma_adaptive0 node {0} channels 2 speed 10000 job 150\\nport 0 node {0}\\n"
MOVE_S = 120


@pytest.fixture(scope="module")
def program(binary):
    return Program(binary, ("net_virtio", "dma_skeleton", "mempool_ring"))


@pytest.fixture(scope="module")
def lab(tmp_path_factory, program):
    with Host(archive(tmp_path_factory, MODULES, program.files), [], iommu=False) as guest:
        guest.boot().users()
        guest.reserve_pages()
        yield guest


def placed(shell):
    answer = shell.json("show dma placement")
    assert answer["acts"]
    return {place["direction"]: (place["lcore"], place["pool_node"]) for place in answer["placement"]}


def test_follows(lab, program):
    """Packets circulate between a vhost port and its guest. Its engine goes to node 1, and back to node 0."""
    for node in (0, 1):
        lab.sh(f"printf '{TOPOLOGY.format(node)}' >/tmp/on{node}")
    with Shell(lab, program.line(EAL, OWN)) as shell:
        shell.cmd("port attach net_virtio_user0,path=/tmp/s", "port start all", "set portlist 0,2", "set fwd io retry", "set dma-placement-period 100", "set dma-topology /tmp/on0", "dma placement auto", "start tx_first")
        for node in (1, 0):
            shell.cmd(f"set dma-topology /tmp/on{node}", "dma placement auto")
            end = time.monotonic() + MOVE_S
            while (now := placed(shell)) != {"rx": (1 + node, node), "tx": (1 + node, node)} and now["rx"] != (1 + node, node):
                assert time.monotonic() < end, now
            assert set(nodes_of(shell, f"mb_pool_{node}")) == {node}
            before = [stream["rx"] for stream in shell.json("show fwd stats all")["streams"]]
            while not all(now > was for now, was in zip([stream["rx"] for stream in shell.json("show fwd stats all")["streams"]], before, strict=True)):
                assert time.monotonic() < end
        shell.cmd("stop", "dma placement off", "port stop all", "port close all")
        pools = shell.json("show pool")["pools"]
        assert [(pool["name"], pool["socket"], pool["in_use"]) for pool in pools] == [("mb_pool_0", 0, 0), ("mb_pool_1", 1, 0)], pools
    assert lab.free_pages() == [PAGES] * 2
