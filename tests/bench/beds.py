# SPDX-License-Identifier: BSD-3-Clause
# What is measured, as data: the beds (ports, options, traffic source) and the engines that run on each.
from collections import namedtuple

# name: what `set fwd` takes; count: which port counter tells the engine's work, "rx" or "tx"; other: the engine of program B, None: the same.
Engine = namedtuple("Engine", "name count other", defaults=(None,))

# eal, app: options of the program under test; {dir} is a private folder, {side} is a or b, {id} names the run.
# prime: commands run once per process before the first slice; peer: the traffic source (always the B program,
# on the main lcore's core) as (eal, app, first) or None; first: it must be up before the program under test.
# veths: (near, far) names, or (); settle_s: from `start` to the first reading; quick: the engines of --quick.
Bed = namedtuple("Bed", "name about eal app prime peer veths engines quick settle_s")

ALL_ENGINES = (
    Engine("io", "tx"), Engine("mac", "tx"), Engine("macswap", "tx"), Engine("5tswap", "tx"),
    Engine("rxonly", "rx"), Engine("txonly", "tx"), Engine("flowgen", "tx"), Engine("csum", "tx"),
    Engine("icmpecho", "rx"), Engine("noisy", "tx"), Engine("generate", "tx", "txonly"),
)
# The engines that keep a packet going round a loop.
LOOP_ENGINES = tuple(e for e in ALL_ENGINES if e.name in ("io", "mac", "macswap", "5tswap", "csum"))
IO_MAC = ALL_ENGINES[:2]

# No other engine looks at these: noisy keeps 256 packets back and touches 1 MiB, 2 writes and 4 reads per packet.
NOISY = ("--noisy-tx-sw-buffer-size=256", "--noisy-tx-sw-buffer-flushtime=10", "--noisy-lkup-memory=1",
         "--noisy-lkup-num-writes=2", "--noisy-lkup-num-reads=4")
FLOWGEN = ("--forward-mode=flowgen", "--disable-link-check")


def _null(name, about, devargs, quick):
    vdevs = tuple("--vdev=net_null%d%s" % (n, devargs) for n in range(2))
    return Bed(name, about, vdevs, NOISY, (), None, (), ALL_ENGINES, quick, 0.005)


BEDS = (
    _null("null", "2 x net_null, zeroed 64 B packets out of nowhere: the program's own cost, nothing else", "",
          ALL_ENGINES),
    # DPDK 25.07 to 26.07 free nothing of what is sent there: its pool is empty at once.
    _null("null-copy", "2 x net_null with copy=1: every packet is written at rx and read at tx", ",copy=1",
          LOOP_ENGINES),
    Bed("ring", "2 x net_ring, each its own loop-back, 128 UDP packets per ring from `start tx_first 4`",
        ("--vdev=net_ring0", "--vdev=net_ring1"), (),
        ("start tx_first 4", "stop"), None, (), LOOP_ENGINES, IO_MAC, 0.005),
    Bed("af_packet", "2 x net_af_packet on veth; a txonly testpmd on the far end is the source, the kernel the sink",
        ("--vdev=net_af_packet0,iface={side}in", "--vdev=net_af_packet1,iface={side}out"),
        ("--disable-link-check",), (),
        (("--vdev=net_af_packet0,iface={side}src",), ("--forward-mode=txonly", "--disable-link-check"), True),
        (("{side}src", "{side}in"), ("{side}out", "{side}sink")), IO_MAC, IO_MAC[:1], 0.05),
    Bed("memif", "1 x net_memif, packets return whence they came; flowgen on net_memif is the other end",
        ("--vdev=net_memif0,role=server,socket={dir}/{side}.memif,socket-abstract=no",),
        ("--disable-link-check",), (),
        (("--vdev=net_memif0,role=client,socket={dir}/{side}.memif,socket-abstract=no",), FLOWGEN, False),
        (), IO_MAC, IO_MAC[:1], 0.05),
    Bed("vhost", "1 x net_vhost, packets return whence they came; flowgen on net_virtio_user is the other end",
        ("--vdev=net_vhost0,iface={dir}/{side}.vhost,queues=1",),
        ("--disable-link-check",), (),
        (("--single-file-segments", "--vdev=net_virtio_user0,path={dir}/{side}.vhost,queues=1"), FLOWGEN, False),
        (), IO_MAC, IO_MAC[:1], 0.05),
)

# Instruments alternated inside one process, on the first bed: on, off: commands; sides: which programs have it.
Instrument = namedtuple("Instrument", "on off sides")


def _switches(*settings):
    return Instrument(*([line + state for line in settings] for state in (" on", " off")), "AB")


def _recording(words):
    return Instrument(["record start {dir}/record every 10" + words], ["record stop"], "A")


RECORDS = {
    "bursts": _switches("set record-burst-stats"),
    "records": _switches("set record-burst-stats", "set record-core-cycles"),
    "recording": _recording(""),
    "bytes": _switches("set record-bytes")._replace(sides="A"),
    "every-burst": _recording(" bursts all"),
    "burst-of-16": _recording(" bursts sampled 16"),
}
RECORDS_ENGINE = ALL_ENGINES[0]
