# SPDX-License-Identifier: BSD-3-Clause
"""Commands of virtual functions and of single drivers: testpmd's answers on ports of those drivers and of others."""
import re

import pytest

from twins import differences, needs_model_nic, on_modelled, on_null

VF = """set vf mac antispoof 0 0 on
set vf vlan antispoof 0 0 off
set vf vlan stripq 0 1 on
set vf vlan insert 0 1 7
set vf vlan tag 0 0 on
rx_vlan add 5 port 0 vf 0x1
rx_vlan rm 5 port 0 vf 3
set vf mac addr 0 0 02:00:00:00:00:07
mac_addr add port 0 vf 0 02:00:00:00:00:08
set vf promisc 0 0 on
set vf allmulti 0 0 on
set vf broadcast 0 0 off
set vf split drop 0 0 on
set port 0 vf 0 rxmode AUPE on
set port 0 vf 0 rxmode MPE off
set port 0 vf 0 rx on
set port 0 vf 0 tx off
set port 0 vf 0 rate 100 queue_mask 1
set vf tx max-bandwidth 0 0 1000
set vf tc tx min-bandwidth 0 0 (10,90)
set vf tc tx max-bandwidth 0 0 1 500
set tc tx min-bandwidth 0 (100)
set tx strict-link-priority 0 1
set tx loopback 0 on
set tx loopback 0 off
set all queues drop 0 on
set all queues drop 0 off
clear vf stats 0 0
set vf mac antispoof 0 0 maybe
set vf mac addr 0 0 nonsense""".splitlines()

I40E = """show port 0 pctype mapping
port config 0 pctype mapping update 31,33 20
show port 0 pctype mapping
port config 0 pctype mapping reset
show port 0 pctype mapping
ptype mapping get 0 1
ptype mapping get 0 0
ptype mapping update 0 23 0x11
ptype mapping get 0 1
ptype mapping replace 0 0x11 0 0x111
ptype mapping get 0 1
ptype mapping reset 0
ptype mapping get 0 1
show port 0 queue-region
set port 0 queue-region region_id 0 queue_start_index 1 queue_num 1
set port 0 queue-region region_id 1 queue_start_index 2 queue_num 2
set port 0 queue-region region_id 0 flowtype 31
set port 0 queue-region UP 3 region_id 1
show port 0 queue-region
set port 0 queue-region region_id 9 queue_start_index 2 queue_num 2
set port 0 queue-region flush on
set port 0 queue-region flush off
ddp get list 0
ddp get info /nonexistent
port config 0 pctype 31 hash_inset get field 15
ddp add 0 /nonexistent
flow_director_filter 0 mode raw add flow bogus drop queue 0 fd_id 1 packet /dev/null
flow_director_filter 0 mode raw add flow ipv4-udp drop queue 0 fd_id 1 packet FILE
flow_director_filter 0 mode raw del flow ipv4-udp fwd queue 1 fd_id 1 packet FILE
port stop all
port config 0 pctype 31 hash_inset get field 15
port config 0 pctype 31 hash_inset set field 15
port config 0 pctype 31 hash_inset get field 15
port config 0 pctype 31 hash_inset clear field 15
port config 0 pctype 31 hash_inset get field 15
port config 0 pctype 31 hash_inset set field 64
port config 0 pctype 31 fdir_inset get field 15
port config 0 pctype 31 hash_inset clear all
port config 0 pctype 31 hash_inset get field 27
port config 0 pctype 1 hash_inset get field 27
ddp add 0 FILE
ddp del 0 FILE
ddp get info FILE""".splitlines()

IXGBE = """show bypass config 0
set bypass mode normal 0
set bypass event timeout mode bypass 0
set bypass timeout 1.5
port config bypass 0 on
set macsec offload 0 off
set macsec offload 0 on encrypt on replay-protect on
set macsec sc tx 0 02:11:22:33:44:55 1
set macsec sc rx 0 02:11:22:33:44:55 1
set macsec sa tx 0 0 1 2 00112233445566778899aabbccddeeff
set macsec sa rx 0 1 3 2 00112233445566778899aabbccddeeff
set macsec sa rx 0 7 1 2 00112233445566778899aabbccddeeff
set macsec sa rx 0 1 9 2 00112233445566778899aabbccddeeff
set tc tx min-bandwidth 0 (100)
port stop 0
set tc tx min-bandwidth 0 (100)
set tc tx min-bandwidth 0 (10,90)
set tc tx min-bandwidth 0 nonsense
set macsec offload 0 on encrypt on replay-protect on
set macsec offload 0 off
set macsec offload 0 on encrypt off replay-protect off""".splitlines()

OTHERS = """ddp dump 0 /nonexistent/file
ddp dump switch 0 /nonexistent/file
mlx5 port attach net_null9 socket=/nonexistent""".splitlines()

# zcfwd adds which port of which driver says no, and what to type.
WHERE = re.compile(r"(: (use \".*\"|port \d+ \(\S*\)(; this command needs a port of .*)?|no driver of this DPDK supports it|driver \S+ of this DPDK has no function .*))$", re.M)
# Where testpmd asks no driver, or says it in several lines: zcfwd's words.
KNOWN = (
    (r"set port 0 vf 0 rxmode .*", r"^bad VF receive mode parameter"),  # its number instead of why
    (r"set port 0 vf 0 (rx|tx) .*", r"^VF (Rx|Tx) setting (failed: Invalid argument|not supported)$"),  # a function's name
    (r"set port 0 vf 0 rate .*", r"^vf_rate_limit_cmd error: \((Invalid argument|Operation not supported)\)$"),  # says it twice
    (r"show port 0 queue-region", r"^function not implemented or supported$"),  # shows none, too, where there can be none
    (r"ddp get info .*", r"/nonexistent: No such file"),
    (r"flow_director_filter 0 .*|ddp (add|del) 0 .*", r"^function not implemented$"),  # says nothing, or that it failed
    (r"set macsec offload 0 .*", r"^not supported on port 0 \(net_null\)$"),  # takes it for done
    (r"mlx5 port attach .*", r"^Failed to connect /nonexistent: No such file or directory$"),
    (r"ddp (add|del|get info).*/packet", r"^\S+/packet: not a DDP package: .*"),  # testpmd's driver leaves such a file
)


def bare(answers):
    return [WHERE.sub("", answer) for answer in answers]


def with_file(lines, tmp_path):
    path = tmp_path / "packet"
    path.write_bytes(bytes(range(64)))
    return [line.replace("FILE", str(path)) for line in lines]


@needs_model_nic
@pytest.mark.parametrize("device, lines", [("82599", VF), ("xl710", VF), ("xl710", I40E), ("82599", IXGBE)],
                         ids=["vf-82599", "vf-xl710", "i40e", "ixgbe"])
def test_modelled(device, lines, binary, testpmd, tmp_path):
    lines = with_file(lines, tmp_path)
    args = ["--rxq=4", "--txq=4"]
    theirs = on_modelled(testpmd, f"{device}*2", lines, tmp_path, args)
    ours = bare(on_modelled(binary, f"{device}*2", lines, tmp_path, args))
    assert differences(lines, theirs, ours, KNOWN) == []


@pytest.mark.parametrize("lines", [VF, I40E, IXGBE, OTHERS], ids=["vf", "i40e", "ixgbe", "others"])
def test_others(lines, binary, testpmd, tmp_path):
    """On net_null: testpmd's words, and whose command it is."""
    lines = with_file(lines, tmp_path)
    theirs, ours = on_null(testpmd, lines), bare(on_null(binary, lines))
    assert differences(lines, theirs, ours, KNOWN) == []
