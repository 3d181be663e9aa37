# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's netem between two ports of engine measure: how to build it, and what has to follow. For this kernel and for that of a guest."""
# Without generated addresses the kernel sends no packets of its own. A bridge, and netem where packets leave it: what netem duplicates or changes on an interface, a socket of that interface sees as received.
LINKS = ("link add za type veth peer name zb", "link add zc type veth peer name zd", "link add zn type bridge mcast_snooping 0", "link set zb master zn",
         "link set zc master zn", *(f"link set {end} addrgenmode none up" for end in ("zn", "za", "zb", "zc", "zd")))
LINEAR = "za"  # needs scatter-gather off: netem damages only what is not in fragments
QDISC_ON = "zc"
PORTS = [f"net_af_packet{i},iface={end},qdisc_bypass=0,blocksz=4096,framesz=2048,framecnt=4096" for i, end in enumerate(("za", "zd"))]
SENT = 6000
LINES = ("set output json", "set fwd measure", "set generate flows 4 size 200-600 port 1 flows 0", "set generate-rate 2kpps", "set generate-late 1000000",
         "set measure-drain 500")

# What netem does, and what follows for the measured counts, from those of the kernel: what the qdisc dropped and sent, what waits for reassembly.
ROWS = [
    ("loss 5%", lambda row, got, drops, passed, held: row["lost"] == drops > 0 and passed == row["sent"] - drops),
    ("duplicate 5%", lambda row, got, drops, passed, held: got["duplicated"] == passed - row["sent"] > 0 and row["lost"] == drops == 0),
    ("delay 20ms", lambda row, got, drops, passed, held: got["min_us"] >= 20_000 and row["lost"] == got["reordered"] == 0),
    ("delay 10ms reorder 25%", lambda row, got, drops, passed, held: got["reordered"] > 0 and row["lost"] == drops == 0),
    # net_af_packet has the kernel reassemble fragments of IPv4, and a changed bit makes a fragment of some packets. Other bits of headers may change unseen.
    ("corrupt 5%", lambda row, got, drops, passed, held: row["lost"] == got["damaged"] + got["foreign"] + held > 0 and drops == 0),
    # If netem loses a packet and passes its copy, only one arrives, which is no duplicate.
    ("delay 10ms 5ms loss 3% duplicate 3%", lambda row, got, drops, passed, held: got["unique"] + got["duplicated"] == passed and row["lost"] > 0 and got["duplicated"] > 0),
]
IDS = [row[0] for row in ROWS]


def fragments(snmp):
    """What /proc/net/snmp says of the fragments that the kernel was to reassemble."""
    names, values = (line.split() for line in snmp.splitlines() if line.startswith("Ip:"))
    return int(values[names.index("ReasmReqds")])


def check(streams, qdiscs, held, holds):
    """streams: of show measure; qdiscs: as tc prints them in JSON; held: fragments of the run."""
    row, got = (next(one for one in streams if one[key] > 0) for key in ("sent", "unique"))
    netem = next(one for one in qdiscs if one["kind"] == "netem")
    assert row["sent"] == SENT and row["unsent"] == 0 and row["lost"] == SENT - got["unique"], (row, got)
    told = [{key: one[key] for key in ("lost", "unique", "duplicated", "reordered", "damaged", "foreign", "min_us")} for one in (row, got)]
    assert holds(row, got, netem["drops"], netem["packets"], held), (told, netem, held)
