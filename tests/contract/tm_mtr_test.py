# SPDX-License-Identifier: BSD-3-Clause
"""Traffic management and meters: testpmd's answers on ports with and without them."""
import os

import pytest

from session import Session
from twins import differences, needs_model_nic, on_modelled, on_null, plain

LOG = os.environ.get("TM_MTR_LOG_MODULE", "")
CODE_POINTS = " ".join("gyr"[i % 3] for i in range(64))
PRIORITIES = " ".join("GYR"[i % 3] for i in range(16))

TM = """show port tm cap 0
show port tm level cap 0 0
show port tm level cap 0 1
show port tm level cap 0 2
show port tm level cap 0 9
show port tm node cap 0 1
show port tm node type 0 1000
show port tm node stats 0 1 0
add port tm node shaper profile 0 1 0 0 1000000 0 0 0
add port tm node shaper profile 0 1 0 0 1000000 0 0 0
add port tm node shaper profile 0 2 5 0 1000000 0 0 0
add port tm node shaper profile 0 3 0 9 1000000 0 0 1
add port tm node shared shaper 0 1 1
set port tm node shared shaper 0 1 1
del port tm node shared shaper 0 1
add port tm node wred profile 0 1 G 1 2 3 4 Y 5 6 7 8 R 9 10 11 12
add port tm node wred profile 0 1 G 1 2 3 4 G 5 6 7 8 R 9 10 11 12
del port tm node wred profile 0 1
set port tm node shaper profile 0 1000 1
add port tm nonleaf node 0 1000 -1 0 1 0 1 1 0 0
add port tm nonleaf node 0 1000 -1 0 1 0 1 1 0 0
add port tm nonleaf node 0 900 1000 0 1 1 -1 1 0 0
add port tm nonleaf node 0 901 7 0 1 1 -1 1 0 0
add port tm nonleaf node pktmode 0 902 1000 0 1 1 -1 1 0 0
add port tm leaf node 0 0 900 0 1 2 -1 0 4294967295 0 0
add port tm leaf node 0 1 900 0 1 2 -1 0 4294967295 0 2 1 2
add port tm leaf node 0 2 900 0 1 2 9 0 4294967295 0 0
show port tm node cap 0 1000
show port tm node cap 0 900
show port tm node cap 0 0
show port tm node type 0 1000
show port tm node type 0 0
show port tm node stats 0 0 1
set port tm node parent 0 0 900 0 1
suspend port tm node 0 1000
resume port tm node 0 1000
port tm hierarchy commit 0 no
port tm hierarchy commit 0 yes
show port tm node type 0 1000
del port tm node shaper profile 0 1
del port tm node shaper profile 0 7
del port tm node 0 0
port stop 0
show port tm node stats 0 0 1
set port tm node shared shaper 0 1 1
set port tm node shaper profile 0 1000 1
set port tm node parent 0 0 900 0 1
add port tm node shared shaper 0 1 1
del port tm node 0 900
del port tm node 0 0
del port tm node 0 900
port tm hierarchy commit 0 yes
set port tm mark ip_ecn 0 1 1 1
set port tm mark ip_dscp 0 1 0 1
set port tm mark vlan_dei 0 0 0 1
set port tm mark ip_ecn 0 1 1
port tm hierarchy commit 0 maybe
add port tm leaf node 0 0
show port tm cap x""".splitlines()

METERS = f"""show port meter cap 0
add port meter profile srtcm_rfc2697 0 1 1000 100 100 0
add port meter profile trtcm_rfc2698 0 2 1000 2000 100 200 1
add port meter profile trtcm_rfc4115 0 3 1000 2000 100 200 0
del port meter profile 0 1
add port meter policy 0 4 g_actions color type green / end y_actions color type yellow / end r_actions drop / end
add port meter policy 0 5 g_actions end y_actions end r_actions drop / end
del port meter policy 0 4
create port meter 0 6 1 4 yes 0xffff 0 g 1
create port meter 0 6 1 4 no 0xffff 1 R 0
create port meter 0 6 1 4 yes 3 0 y 0 {CODE_POINTS}
create port meter 0 6 1 4 yes 3 0 y 0 {CODE_POINTS} {PRIORITIES}
enable port meter 0 6
disable port meter 0 6
set port meter profile 0 6 2
set port meter dscp table 0 6 outer_ip {CODE_POINTS}
set port meter dscp table 0 6 inner_ip
set port meter vlan table 0 6 outer_vlan {PRIORITIES}
set port meter vlan table 0 6 inner_vlan
set port meter proto 0 6 inner_ip 2
set port meter proto 0 6 outer_vlan 0
set port meter stats mask 0 6 0xff
show port meter stats 0 6 no
show port meter stats 0 6 yes
get port meter proto_prio 0 6 outer_ip
del port meter 0 6
show port meter cap 0 1
add port meter profile srtcm_rfc2697 0 1 1000 100 100
show port meter stats 0 6 maybe""".splitlines()

# Where testpmd is wrong, or does not look: zcfwd's words.
KNOWN = (
    (r"show port tm level cap 0 2", r"cap\.leaf\.shaper_private_supported 1"),  # a level of leaves shown as one of inner nodes
)


@pytest.mark.parametrize("lines", [TM, METERS], ids=["tm", "meters"])
def test_without(lines, binary, testpmd):
    """net_null has neither: ethdev's words, and testpmd's own for bad lines."""
    theirs, ours = on_null(testpmd, lines), on_null(binary, lines)
    assert differences(lines, theirs, ours) == []


# To a port that takes everything: what it got, and each figure that it has.
TAKEN = [*METERS, *(line for line in TM if "stop" not in line),
         "add port tm node shaper profile 1 9 1 2 3 4 4294967272 1", "add port tm leaf node 1 7 8 1 2 5 -1 1 9 0x1f 3 5 4294967295 0",
         "add port tm nonleaf node pktmode 1 4294967295 -1 1 2 3 4 5 6 0", "add port tm nonleaf node 1 3 -1 1 2 3 -1 4 0 1 9",
         "show port tm level cap 0 5", "show port tm node cap 0 7", "show port tm node type 0 7", "show port tm node stats 0 54 0",
         "show port tm node stats 0 0 1", "show port meter stats 0 0 yes", "show port meter stats 0 60 no", "get port meter proto 0 255", "get port meter proto 0 2",
         "port stop 0", "add port tm node shared shaper 0 3 4", "del port tm node 0 5", "del port tm node shared shaper 0 3"]

if tuple(map(int, os.environ.get("DPDK_RELEASE", "0.0").split(".")[:2])) >= (24, 11):
    TAKEN += ["show port tm node 0 7", "show port tm node 0 3"]

# testpmd asks with the meter's number from another place of the line, and does not show the priority that it got.
OWN = ["get port meter proto_prio 0 6 outer_ip", "get port meter proto 0 255", "get port meter proto 0 2"]


def taken(binary, tmp_path, name):
    log = tmp_path / name
    log.touch()
    with Session(binary, merge=True, env={"LD_PRELOAD": LOG, "TM_MTR_LOG": str(log)}) as session, log.open(encoding="utf-8") as new:
        return [(line, plain(session.cmd(line)), new.read()) for line in TAKEN]


@pytest.mark.skipif(not LOG, reason="the log of traffic management is not built")
def test_taken(binary, testpmd, tmp_path):
    """Every number of every command gets to its place in the call, every figure to its line."""
    theirs, ours = taken(testpmd, tmp_path, "theirs"), taken(binary, tmp_path, "ours")
    different = [(one, two) for one, two in zip(theirs, ours) if one != two]
    assert [one[0] for one, _ in different] == OWN, different[:5]
    assert sum(bool(log) for _, _, log in theirs) > 60


@needs_model_nic
@pytest.mark.parametrize("device", ["xl710", "82599"])
def test_tm(device, binary, testpmd, tmp_path):
    """The drivers' own hierarchies: figures, profiles, nodes, commit."""
    args = ["--rxq=4", "--txq=4"]
    theirs = on_modelled(testpmd, f"{device}*2", TM, tmp_path, args)
    ours = on_modelled(binary, f"{device}*2", TM, tmp_path, args)
    assert len(theirs[0].splitlines()) > 40 and "nonleaf node\n" in theirs and "leaf node\n" in theirs
    assert differences(TM, theirs, ours, KNOWN) == []
