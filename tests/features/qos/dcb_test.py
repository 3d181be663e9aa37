# SPDX-License-Identifier: BSD-3-Clause
"""Traffic classes, pause frames by priority, congestion management: what drivers say, and which words are wrong."""
import pytest

from modelled import Modelled, needs_model_nic
from session import Session

pytestmark = pytest.mark.zcfwd


@needs_model_nic
def test_classes(binary, tmp_path):
    """82599 divides its queues among four classes; priorities lead where the command says."""
    with Modelled(binary, "82599*2", tmp_path, ["--rxq=8", "--txq=8"], merge=True) as s:
        assert "Please stop port 0 first" in s.cmd("port config 0 dcb vt off 4 pfc on keep-qnum")
        s.cmd("port stop all")
        assert s.cmd("port config 0 dcb vt off 4 pfc on keep-qnum") == ""
        assert s.cmd("port config 1 dcb vt off 4 pfc off prio-tc 0:3 1:2 keep-qnum") == ""
        s.cmd("port start all")
        assert "  TC NUMBER: 4\n" in s.cmd("show port dcb_tc 0")
        assert s.cmd("set pfc_ctrl rx on tx on 100 50 100 3 0") == ""
        assert "bad queue priority flow control parameter, rc = -95" in s.cmd("set pfc_queue_ctrl 0 rx on 1 2 tx on 3 4 100")
        s.cmd("set output json")
        plain, mapped = s.json_ok("show port dcb_tc all")["ports"]
        assert [c["priority"] for c in plain["classes"]] == [0, 1, 2, 3] and sum(c["rxqs"] for c in plain["classes"]) == 64
        assert [c["priority"] for c in mapped["classes"]][:2] == [3, 2]


@pytest.mark.parametrize("line, wanted", [
    ("port config 0 dcb vt off 4 pfc on", "rte_eth_dev_get_dcb_info not supported."),
    ("port config 0 dcb vt off 9 pfc on", "9 is above 8: expected a number 1..8"),
    ("port config 0 dcb vt off 4 pfc on prio-tc 0:4", "expected PRIORITY:CLASS, 0..7 and 0..3"),
    ("port config 0 dcb vt off 4 pfc on 0:1", "expected prio-tc or keep-qnum"),
    ("show port dcb_tc 0", "Failed to get dcb infos on port 0"),
    ("set pfc_ctrl rx on tx off 1 2 3 4 0", "bad priority flow control parameter, return code = -"),
    ("set pfc_queue_ctrl 0 rx on 0 0 tx on 0 0 1", "bad queue priority flow control parameter, rc = -"),
    ("show port cman capa 0", "port 0 (net_null): congestion management: "),
    ("show port cman config 0", "port 0 (net_null): congestion management: "),
    ("set port cman config 0 0 default", "port 0 (net_null): congestion management: "),
    ("set port cman config 0 0 obj queue mode red 10 90 5", "port 0 (net_null): congestion management: "),
    ("set port cman config 0 0 obj queue mode red 10 101 5", "101 is above 100: expected a number 0..100"),
])
def test_refused(binary, line, wanted):
    with Session(binary, merge=True) as s:
        s.cmd("port stop 0")
        assert wanted in s.cmd(line)


@needs_model_nic
def test_chosen_classes_forward(binary, tmp_path):
    """set dcb fwd_tc leaves queues out, fwd_tc_cores divides what stays; of the 82599's four classes the first has the queues that are configured."""
    with Modelled(binary, "82599*2", tmp_path, ["--rxq=4", "--txq=4", "--nb-cores=4"], merge=True, lcores="(0-4)@(0-1)") as s:
        s.cmd("port stop all")
        for port in (0, 1):
            assert s.cmd(f"port config {port} dcb vt off 4 pfc off keep-qnum") == ""
        s.cmd("port start all")
        every = s.cmd("show config fwd")
        assert every.count("RX P=") == 8
        assert s.cmd("show config dcbfwdtc") == "DCB forwarding TC list: 0 1 2 3 4 5 6 7\nDCB forwarding cores per-TC: 1\n"
        assert s.cmd("set dcb fwd_tc 1") == "Enabled DCB forwarding TC list: 0\n"
        assert s.cmd("show config fwd").count("Logical Core") == 2
        assert s.cmd("set dcb fwd_tc_cores 2") == "Set cores-per-TC: 2\n"
        text = s.cmd("show config fwd")
        assert text.count("Logical Core") == 4 and text.count("RX P=0/Q=") == 4
        assert "Logical Core 2 (socket 0) forwards packets on 2 streams:\n  RX P=0/Q=2" in text
        s.cmd("start")
        assert s.cmd("set dcb fwd_tc 2") == s.cmd("set dcb fwd_tc_cores 1") == "Please stop forwarding first\n"
        s.cmd("stop")
        assert s.cmd("set dcb fwd_tc_cores 3") == "Set cores-per-TC: 3\n"
        assert "port 0 has 4 queues of class 0, which is not a multiple of 3 lcores" in s.cmd("start")
        assert s.cmd("set dcb fwd_tc_cores 4") == "Set cores-per-TC: 4\n"
        assert "2 traffic classes need 4 lcores each, but only 4 are used" in s.cmd("start")
        s.cmd("set dcb fwd_tc 8")
        assert "no queue of the chosen classes is configured" in s.cmd("start")
        assert s.cmd("set dcb fwd_tc 0") == "TC mask should not be zero!\n"
        assert s.cmd("set dcb fwd_tc_cores 0") == "Cores per-TC should not be zero!\n"


def test_classes_of_ports_without(binary):
    """Where no port has classes, a choice of classes changes nothing."""
    with Session(binary, args=["--rxq=2", "--txq=2"]) as s:
        before = s.cmd("show config fwd")
        s.ok("set dcb fwd_tc 2")
        assert s.cmd("show config fwd") == before
