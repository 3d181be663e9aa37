# SPDX-License-Identifier: BSD-3-Clause
"""Commands of testpmd that are not here answer one line that says so, and stay out of everybody's way."""
import pathlib
import re

import pytest

from session import Session

pytestmark = pytest.mark.zcfwd
LINES = """flow create 0 user_id 7 ingress pattern eth / end actions drop / end
flow create 0 ingress user_id 7 pattern eth / end actions drop / end
flow indirect_action 0 create action_id 9 ingress list count / end
flow indirect_action 0 create ingress action_id 9 list count / end
set ipv6_ext_push 0 ipv6_ext type is 43 / end_set
set ipv6_ext_remove 0
set ipv6_ext_push""".splitlines()
SAID = re.compile(r"[\w ]+ is testpmd's command of DPDK \d\d\.\d\d, and not here: [^;\n]+; (doc/\w+\.md) says more\n")


def test_each_says_so(binary):
    with Session(binary, merge=True) as session:
        for line in LINES:
            said = session.cmd(line)
            match = SAID.fullmatch(said)
            assert match, (line, said)
            assert (pathlib.Path(__file__).parents[2] / match.group(1)).exists()
            assert line.startswith(said.split()[0])


def test_a_script_stops_there(binary, tmp_path):
    script = tmp_path / "script"
    script.write_text("set burst 16\nset ipv6_ext_remove 0\nset burst 8\n", encoding="ascii")
    with Session(binary, merge=True) as session:
        assert f"{script}:2: " in session.cmd(f"load {script}")
        assert "packets/burst=16" in session.cmd("show config rxtx")


def test_neighbours_stay(binary):
    """What the others share words with means what it did."""
    with Session(binary, merge=True) as session:
        assert "not here" not in session.cmd("flow indirect_action 0 query 1")
        assert "not here" not in session.cmd("flow queue 0 indirect_action 0 query 1 postpone no")
        assert "not here" not in session.cmd("flow create 0 ingress pattern eth / end actions drop / end")
        assert "not here" not in session.cmd("flow indirect_action 0 create action_id 9 ingress action count / end")
        assert "not here" not in session.cmd("flow template_table 0 destroy table 1")
        assert session.cmd("help absent").count("testpmd's, not here") == len(LINES) - 1
