# SPDX-License-Identifier: BSD-3-Clause
"""What a run uses where the user set nothing: ring sizes by the CPU's L2 cache, and the line about it at start."""
import re
import subprocess

import pytest

from modelled import Modelled, each_device, needs_model_nic
from session import Session

L2 = int(subprocess.run(["getconf", "LEVEL2_CACHE_SIZE"], capture_output=True, text=True, check=True, timeout=10).stdout.strip() or 0)  # bytes, 0: unknown
BUFFER = 128 + 64  # bytes: an mbuf and the first cache line of its packet
# Descriptors of net_i40e at 40 Gbit/s and net_ixgbe: by queues of the port.
DRIVERS = {"xl710": {1: (2048, 1024), 2: (1024, 512)}, "82599": {1: (256, 256), 2: (256, 256)}}


def fits(usual):
    """The largest of 1024, 512 and 256 with which both rings take half of the cache; never more than the driver's own."""
    return min(usual, next((n for n in (1024, 512, 256) if 2 * n * BUFFER <= L2 // 2), 256) if L2 else usual)


def started(session):
    """The line about defaults, and what start says as an object, which has to agree with the queues."""
    session.ok("start")
    line = re.search(r"(?m)^defaults: (.*)$", session.stderr())
    session.ok("stop")
    session.cmd("set output json")
    answer = session.json_ok("start")
    session.json_ok("stop")
    for port in answer.get("defaults", {"ports": []})["ports"]:
        (config,) = (one for one in answer["config"]["ports"] if one["port"] == port["port"])
        for ring, queue in (("rxd", "rx_queue"), ("txd", "tx_queue")):
            assert port.get(ring, config[queue]["descriptors"]) == config[queue]["descriptors"], answer
        for ring, rx in (("rxd", "rxq"), ("txd", "txq")):
            for queue in range(config[rx]):
                shown = session.json_ok(f"show {rx} info {port['port']} {queue}")["descriptors"]
                assert port.get(ring, shown) == shown, answer
    session.cmd("set output text")
    return line and line[1], answer


@pytest.mark.parametrize("queues", [1, 2])
@each_device
@needs_model_nic
def test_rings(binary, tmp_path, device, queues):
    rxd, txd = (fits(usual) for usual in DRIVERS[device][queues])
    with Modelled(binary, f"{device},queues={queues}*2", tmp_path, [f"--rxq={queues}", f"--txq={queues}"]) as session:
        line, answer = started(session)
        cache = f" (L2 cache {L2 >> 10} KiB)" if L2 else ""
        assert line == f"rxd {rxd}, txd {txd}{cache}, cache 250"
        assert answer["defaults"] == {"ports": [{"port": port, "rxd": rxd, "txd": txd} for port in (0, 1)], "l2_kib": L2 >> 10, "mbcache": 250}
        session.quit()


@needs_model_nic
def test_different_ports(binary, tmp_path):
    with Modelled(binary, "xl710;82599", tmp_path, ["--mbcache=128"]) as session:
        line, _ = started(session)
        rxd = fits(2048)
        assert line.startswith("rxd 256 to %d" % rxd if rxd > 256 else "rxd 256,") and "cache 128" not in line
        session.quit()


@pytest.mark.parametrize("args, line", [
    (["--rxd=2048", "--mbcache=64"], f"txd {fits(1024)}"),
    (["--txd=2048", "--mbcache=64"], f"rxd {fits(2048)}"),
    (["--rxd=4096", "--txd=4096", "--mbcache=64"], None),
])
@needs_model_nic
def test_user_wins(binary, tmp_path, args, line):
    with Modelled(binary, "xl710*2", tmp_path, args) as session:
        said, answer = started(session)
        assert (said and said.split(" (")[0]) == line and ("defaults" in answer) == (line is not None)
        asked = dict(word.lstrip("-").split("=") for word in args)
        for port in answer["config"]["ports"]:
            assert port["rx_queue"]["descriptors"] == int(asked.get("rxd", fits(2048))), answer
            assert port["tx_queue"]["descriptors"] == int(asked.get("txd", fits(1024))), answer
        session.quit()


@needs_model_nic
def test_commands(binary, tmp_path):
    """Numbers of commands win too; 0 returns to the default."""
    with Modelled(binary, "xl710*2", tmp_path) as session:
        session.ok("port stop all", "port config all rxd 4096", "port config 0 txq 0 ring_size 512", "port start all")
        _, answer = started(session)
        assert answer["defaults"]["ports"] == [{"port": 1, "txd": fits(1024)}]
        session.ok("port stop all", "port config all rxd 0", "port start all")
        _, answer = started(session)
        assert answer["defaults"]["ports"] == [{"port": 0, "rxd": fits(2048)}, {"port": 1, "rxd": fits(2048), "txd": fits(1024)}]
        session.quit()


def test_no_rings(binary):
    """Descriptors of net_null mean nothing: no word about them, and no number asked of ethdev."""
    with Session(binary) as session:
        line, answer = started(session)
        assert "rxd" not in (line or "") and answer.get("defaults", {"ports": []})["ports"] == []
        assert {port["rx_queue"]["descriptors"] for port in answer["config"]["ports"]} == {0}
        session.quit()
