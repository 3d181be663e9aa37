# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd (or dpdk-testpmd) on modelled NICs, and what their report says at the end."""
import json
import os
import pathlib
import re
import subprocess

import pytest
from conftest import binary_path, cpu_has
from drivers import I40E_WORDS
from plugin import dpdk_release, loadable
from session import Session, ordinary_pages, wait_until
from stats import port_stats
from telemetry import Telemetry


LACKS = os.environ.get("MODEL_NIC_LACKS", "")  # why there is no plugin here
needs_model_nic = pytest.mark.skipif(LACKS != "", reason=LACKS)
PLUGIN = loadable(binary_path().parent / "pmd_shims/drivers/model_nic/model_nic.so")
MOCK = loadable(binary_path().parent / "tests/model_nic/mock/mock.so")
VHOST = loadable(binary_path().parent / "tests/model_nic/vhost/vhost_nic.so")
# A full Tx ring is no reason to drop here: the generator does not wait for the wire.
PATIENT = "set burst tx delay 100 retry 60000"
GOOD = ("corrupted", "duplicated", "reordered", "foreign", "missing", "armed_twice", "armed_in_tx", "sent_while_armed")
STOPPED = "--disable-device-start"  # a source begins when its port does
SEGMENTS = "--tx-offloads=0x8000"  # RTE_ETH_TX_OFFLOAD_MULTI_SEGS: without it net_i40e sends the first segment alone
RETRY = ("set fwd io retry", PATIENT)
# Each function that a model's driver has, once.
PATHS = [("xl710", 64), ("xl710", 256), ("xl710", 512), ("82599", 64), ("82599", 128)]
each_device = pytest.mark.parametrize("device", ["xl710", "82599"])


class Modelled(Session):
    """
    A session on modelled NICs; reports() after quit(). bits: with functions of that width, which net_i40e is asked for; skips where the CPU
    lacks what it takes.
    """

    def __init__(self, binary, devices, tmp_path, args=(), eal=(), *, plugin=PLUGIN, vdevs=(), mbufs=32768, bits=None, **options):
        if bits in (256, 512) and not cpu_has({256: "avx2", 512: "avx512vl"}[bits]):
            pytest.skip(f"this CPU has no {'AVX2' if bits == 256 else 'AVX-512'}")
        if plugin == PLUGIN and LACKS:
            pytest.skip(LACKS)
        for driver in os.environ.get("MOCK_UNTESTED", "").split():
            if f"driver={driver}" in ",".join(vdevs):
                pytest.skip(f"mock ports of {driver} are not tested with another release's source")
        self.report_path = tmp_path / "report.json"
        self.telemetry = None
        options.setdefault("memory", ordinary_pages(256))
        super().__init__(binary, vdevs, ["--no-flush-rx", *args],
                         eal=["-d", plugin, "--iova-mode=va", "--log-level=pmd.net.i40e:error", "--log-level=pmd.net.ixgbe:error", *eal,
                              *([f"--force-max-simd-bitwidth={bits}"] if bits else [])],
                         env={"MODEL_NIC": devices, "MODEL_NIC_REPORT": str(self.report_path)},
                         pool=f"--total-num-mbufs={mbufs}", telemetry=True, **options)
        if bits:
            self._driver_chose(bits)

    def _driver_chose(self, bits):
        """net_i40e's functions are those of the width; a CPU with AVX-512 has them all."""
        for port in re.findall(r"(?m)^(\d+) .* net_i40e ", self.cmd("show port summary all")):
            for way in ("rxq", "txq"):
                chosen = re.search(r"Burst mode: (.*)", self.cmd(f"show {way} info {port} 0"))[1].strip()
                if not chosen.startswith(I40E_WORDS[bits]):
                    self.close()
                    if bits == 128 and dpdk_release() >= "26.03":
                        pytest.skip("net_i40e has no SSE functions since DPDK 26.03")
                    if not cpu_has("avx512f"):
                        pytest.skip(f"driver net_i40e chose {chosen}: no AVX-512")
                    raise AssertionError(f"{bits} bits: driver net_i40e chose {chosen}, expected {I40E_WORDS[bits]}")

    def reports(self):
        return json.loads(self.report_path.read_text(encoding="ascii"))["ports"]

    def ask(self, command):
        """Telemetry's answer to "/COMMAND,PARAMETERS"."""
        if self.telemetry is None:
            self.telemetry = Telemetry(self)
        return self.telemetry.ask(command)

    def fault(self, port, words):
        assert self.ask(f"/model_nic/fault,{port},{words}") == {"port": port}

    def report(self, port):
        return self.ask(f"/model_nic/report,{port}")

    def close(self):
        if self.telemetry is not None:
            self.telemetry.close()
        super().close()

    def count(self, what):
        """A counter of all ports together, as the drivers have it."""
        text = self.cmd("show port stats all")
        return sum(int(part.split()[0]) for part in text.split(what + ":")[1:])


def forward(session, engine, packets, leave=True):
    """Forward until that many packets, all ports together, were sent; then quit, unless the caller does."""
    for line in (f"set fwd {engine} retry", PATIENT, "start"):
        session.cmd(line)
    wait_until(lambda: session.count("TX-packets") >= packets, f"{packets} packets sent", 60)
    text = session.cmd("stop")
    if leave:
        session.quit()
    return text


# Ways to forward for in_turns(): engine direct, and those that it shares queues with.
TURNS = (("set fwd direct",), ("set fwd io retry",), ("set fwd recycle_mbufs retry",))


def in_turns(session, ways, packets, check=None):
    """Start and stop forwarding in each of these ways, which are lists of commands, until it has sent that many packets; check(way) is called after each stop."""
    for way in ways:
        session.ok(*way, "start")
        before = session.count("TX-packets")
        wait_until(lambda before=before: session.count("TX-packets") > before + packets, f"packets after {way} of {ways}", 30)
        session.ok("stop")
        if check is not None:
            check(way)


def all_good(reports, packets):
    for report in reports:
        assert {name: report[name] for name in GOOD} == dict.fromkeys(GOOD, 0), report
        assert report["generated"] == report["rx_packets"] == packets, report
    assert sum(report["ok"] for report in reports) == packets * len(reports)


def sent(session, port, packets, timeout=120):
    wait_until(lambda: session.report(port)["tx_packets"] >= packets, f"{packets} packets sent by port {port}", timeout)


def moved(session, port, what="RX-packets"):
    before = port_stats(session, port)[what]
    wait_until(lambda: port_stats(session, port)[what] > before + 1000, f"more {what} on port {port}", 20)
