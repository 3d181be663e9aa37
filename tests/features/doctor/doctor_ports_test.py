# SPDX-License-Identifier: BSD-3-Clause
"""What the command doctor reads of ports by their drivers: pause frames, frame sizes, the link, the firmware."""
import pytest

from modelled import Modelled, needs_model_nic
from session import TO_JSON, wait_until


def findings(session, check):
    return [(one["verdict"], one["found"], one.get("change")) for one in session.json("doctor")["checks"] if one["check"] == check]


@needs_model_nic
@pytest.mark.needs("qos")
def test_flow_control(binary, tmp_path):
    """Each direction is a finding; the command that it names is the cure."""
    with Modelled(binary, "82599*2", tmp_path) as session:
        session.ok(TO_JSON)
        session.ok("set flow_ctrl rx off 0", "set flow_ctrl tx off 0", "set flow_ctrl rx off 1", "set flow_ctrl tx off 1")
        assert [one[0] for one in findings(session, "flow control")] == ["ok"]
        session.ok("set flow_ctrl rx on 0", "set flow_ctrl tx on 1")
        found = findings(session, "flow control")
        assert found == [("spoils", "port 0 stops sending when its peer asks for a pause", "set flow_ctrl rx off 0"),
                         ("spoils", "port 1 asks its peer for pauses: loss becomes delay", "set flow_ctrl tx off 1")]
        session.ok(*(change for _, _, change in found))
        assert [one[0] for one in findings(session, "flow control")] == ["ok"]
        session.quit()


@needs_model_nic
def test_frame_size(binary, tmp_path):
    """net_ixgbe receives long frames into several buffers without being asked: no finding."""
    with Modelled(binary, "82599*2", tmp_path) as session:
        session.ok(TO_JSON)
        session.ok("port stop 0", "port config mtu 0 9000", "port start 0")
        assert [one[0] for one in findings(session, "frame size")] == ["ok"]
        session.quit()


@needs_model_nic
def test_link(binary, tmp_path):
    """A started port without a link, and a modelled card's link at the card's speed; its firmware is named if the driver reports one."""
    with Modelled(binary, "xl710*2", tmp_path) as session:
        session.ok(TO_JSON)
        assert [one[0] for one in findings(session, "link")] == ["ok"]
        assert [one[0] for one in findings(session, "PCI Express")] == ["ok"]  # a modelled card is no device of the kernel
        (ok, found, _), *_ = findings(session, "firmware")
        assert ok == "ok" and found == f"port 0: {session.json('show port info 0')['ports'][0]['firmware']}"
        session.json_ok("set link-down port 1")
        # The card acts in its own time.
        wait_until(lambda: findings(session, "link") == [("fails", "port 1: its link is down", "set link-up port 1; else check cable, transceiver and the peer")],
                   "a link that is down")
        session.json_ok("set link-up port 1")
        wait_until(lambda: [one[0] for one in findings(session, "link")] == ["ok"], "a link")
        session.quit()
