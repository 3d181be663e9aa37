# SPDX-License-Identifier: BSD-3-Clause
"""Commands of testpmd that are not here answer one line that says so, and stay out of everybody's way."""
import re

import pytest

from conftest import ROOT
from session import Session

pytestmark = pytest.mark.zcfwd
LINES = """flow create 0 user_id 7 ingress pattern eth / end actions drop / end
flow create 0 ingress user_id 7 pattern eth / end actions drop / end
flow indirect_action 0 create action_id 9 ingress list count / end
flow indirect_action 0 create ingress action_id 9 list count / end
set ipv6_ext_push 0 ipv6_ext type is 43 / end_set
set ipv6_ext_remove 0
set ipv6_ext_push""".splitlines()
# What shares words with them, and what is said of it on a port that has no rules.
NEIGHBOURS = {
    "flow indirect_action 0 query 1": "Failed to find indirect action #1 on port 0\n",
    "flow queue 0 indirect_action 0 query 1 postpone no": "Queue #0 is invalid\n",
    "flow create 0 ingress pattern eth / end actions drop / end": "Function not implemented\n",
    "flow indirect_action 0 create action_id 9 ingress action count / end": "Function not implemented\n",
    "flow template_table 0 destroy table 1": "Table #1 is invalid\n",
}
SAID = re.compile(r"[\w ]+ is a command of testpmd \d\d\.\d\d that zcfwd does not have: [^;\n]+; see (doc/\w+\.md)\n")


def test_each_says_so(binary):
    with Session(binary, merge=True) as session:
        for line in LINES:
            said = session.cmd(line)
            match = SAID.fullmatch(said)
            assert match, (line, said)
            assert (ROOT / match.group(1)).exists()
            assert line.startswith(said.split()[0])


def test_a_script_stops_there(binary, tmp_path):
    script = tmp_path / "script"
    script.write_text("set burst 16\nset ipv6_ext_remove 0\nset burst 8\n", encoding="ascii")
    with Session(binary, merge=True) as session:
        assert f"{script}:2: " in session.cmd(f"load {script}")
        assert "packets/burst=16" in session.cmd("show config rxtx")


@pytest.mark.needs("flow")
def test_neighbours_stay(binary):
    """What the others share words with means what it did."""
    with Session(binary, merge=True) as session:
        for line, said in NEIGHBOURS.items():
            assert said in session.cmd(line)
        assert session.cmd("help absent").count("testpmd only") == len(LINES) - 1
