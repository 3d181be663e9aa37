# SPDX-License-Identifier: BSD-3-Clause
# Instructions and branch mispredictions per packet of every engine on drivers' own functions, counted by valgrind and compared with counts.csv.
"""
The program `lockstep` forwards a fixed number of packets over mock ports (i40e, ixgbe, mlx5) or a virtio backend that are stepped; callgrind counts the polls
of the engine's loop and all they call, and not the model's work. The same is done each time, so a count is the same on any machine, whatever else it does.
doc/counts.md says how to read and update.
"""
import argparse
import concurrent.futures
import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from types import SimpleNamespace

import captures
import drivers
import modes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CSV, PAGE = "tests/bench/counts.csv", "doc/counts.md"
CASE, KEY, VALUES = ("device", "bits", "fast_free", "engine"), ("compiler", "dpdk", "libc"), ("instructions", "mispredictions")
# What a value is the sum of, in callgrind's events; below: what --caches shows besides.
EVENTS = {"instructions": ("Ir",), "mispredictions": ("Bcm", "Bim")}
CACHES = {"data reads": ("Dr",), "data writes": ("Dw",), "L1 misses": ("D1mr", "D1mw"), "LL misses": ("DLmr", "DLmw")}
# A regression: by such a share more than the row says, and by so much per packet at least: callgrind's predictor hashes addresses, and code that only moved
# was seen to change mispredictions by up to 0.22.
LIMITS = {"instructions": (0.005, 0.0), "mispredictions": (0.02, 0.25)}
RING, ROUNDS, WARM_UP, BATCHES, TIMEOUT_S = 1024, 8, 64, 256, 300

# paths: what receives and what sends, in the driver's words, by bits of its vectors; free: what fast free adds to the latter, None: it has none.
Device = namedtuple("Device", "paths free")
I40E_BITS, I40E_PATHS = drivers.I40E_BITS, (drivers.I40E_WORDS[drivers.I40E_BITS],) * 2
DEVICES = {
    "i40e": Device({64: ("Scalar Bulk Alloc", "Scalar Simple"), I40E_BITS: I40E_PATHS}, ""),
    "ixgbe": Device({64: ("Scalar bulk alloc", "Scalar simple"), 128: ("Vector SSE", "Vector SSE")}, None),
    # What one has sent, the other receives into.
    "i40e+ixgbe": Device({I40E_BITS: I40E_PATHS}, None),
    "i40e+mlx5": Device({I40E_BITS: I40E_PATHS}, None),
    "ice": Device({64: ("Scalar", "Scalar")}, None),
    "mlx5": Device({64: ("Scalar", "Enhanced MPW"), 128: ("Vector SSE", "Enhanced MPW")}, " + Fast Free"),
    "virtio": Device({64: ("standard", "standard"), 128: ("vectorized", "standard")}, None),
}
SHOW_PATHS = ("show rxq info 0 0", "show txq info 0 0")
# variant: as lockstep wants it; app: options; words: of the modelled ports (%d: their number; rx=copy where what is written into a packet, as a TTL, changes what the next one costs); before: commands; ports: how many.
Engine = namedtuple("Engine", "variant app words before ports", defaults=((), "", (), 2))
# Blocks of 3 where a bucket is a small page, and received packets that fit into such a buffer.
BLOCKS = ("--mbuf-pool-ops=bucket", "--mbcache=0", "--mbuf-size=1152", "--max-pkt-len=1000")
CACHED_BLOCKS = (*BLOCKS, "--mbcache=250")
PINNED = ("--forward-mode=extbuf", "--extbuf-mode=pinned", "--extbuf-buffer=2176")
SPLITTING = ",flows=16,rx=copy,rx_path=scalar,tx_path=full"
SEGMENTS = ("--tx-offloads=0x8000",)
HEADERS = ("--mbuf-size=2176,2176", "--rx-offloads=0x100000", "--rxhdrs=ipv4-udp")
PREFIXES = ("route add 198.18.0.0/16 port 0", "route add 198.19.0.0/16 port 1")
ROUTES = {"fib": PREFIXES, "lpm": PREFIXES,
          "em": tuple("route add 198.18.%d.%d 198.19.0.1 %d 4661 udp port 1" % (flow >> 8, flow & 255, 0x4000 + flow) for flow in range(16))}
ENGINES = {
    **{name: Engine(name) for name in ("io", "mac", "macswap", "5tswap", "csum", "rxonly", "txonly", "flowgen", "generate")},
    "icmpecho": Engine("icmpecho", words=",rx=pcap:FOLDER/ping.pcap:0"),
    "noisy": Engine("noisy", ("--noisy-tx-sw-buffer-size=256", "--noisy-lkup-memory=1", "--noisy-lkup-num-writes=2", "--noisy-lkup-num-reads=4")),
    "recycle_mbufs": Engine("recycle_mbufs"),
    "macswap/recycled": Engine("macswap,recycle=on"),
    "recycle_mbufs/cache": Engine("recycle_mbufs,recycle-mode=cache"),
    "direct": Engine("direct"),
    "io/bucket": Engine("io", BLOCKS),
    "recycle_mbufs/bucket": Engine("recycle_mbufs", BLOCKS),
    "recycle_mbufs/bucket/contig": Engine("recycle_mbufs,recycle-mode=contig", BLOCKS),
    "io/bucket/cached": Engine("io", CACHED_BLOCKS),
    "recycle_mbufs/bucket/contig/cached": Engine("recycle_mbufs,recycle-mode=contig", CACHED_BLOCKS),
    "extbuf/copy": Engine("extbuf,extbuf-mode=copy"),
    "extbuf/attach": Engine("extbuf,extbuf-mode=attach"),
    "extbuf/attach/tail": Engine("extbuf,extbuf-mode=attach,extbuf-shinfo=tail"),
    **{"extbuf/storage/" + shinfo: Engine("extbuf,extbuf-mode=storage,extbuf-shinfo=" + shinfo) for shinfo in ("private", "shared")},
    "replay": Engine("replay", ("--replay=FOLDER/in0.pcap", "--replay-times=0", "--replay-rate=max")),
    "extbuf/pinned": Engine("extbuf,extbuf-mode=pinned", PINNED),
    "extbuf/pinned/segments": Engine("extbuf,extbuf-mode=pinned", (*PINNED, *SEGMENTS), SPLITTING),
    "extbuf/pinned/headers": Engine("extbuf,extbuf-mode=pinned", (*PINNED, *SEGMENTS, *HEADERS), SPLITTING),
    **{"ring_pipeline/%s/%s/burst%d" % (mode, stage, burst): Engine(
        "ring_pipeline,burst=%d,pipeline-mode=%s" % (burst, mode), ("--pipeline-ring=1024", "--pipeline-stage=" + stage), ",flows=16,rx=copy",
        ("pipeline route add 198.18.0.0/15 port 0",), 1)
       for stage in ("none", "macswap", "l3fwd") for burst in (32, 8, 128) for mode in ("copy", "zc", "compressed")},
    **{"l3fwd/" + lookup: Engine("l3fwd,l3fwd-lookup=" + lookup, (), ",flows=16,rx=copy", ROUTES[lookup], 2) for lookup in ("fib", "lpm", "em")},
    **{"l3fwd/%s%s" % (way, end): Engine("l3fwd" + recycle, (), drivers.ROUTED, ("route load FOLDER/" + way, "set recycle pair traffic"))
       for way in captures.WAYS for end, recycle in (("", ""), ("/recycled", ",recycle=on"))},
}
# What there is no case of, and why; the first pattern that a case's name fits.
LEFT_OUT = (
    (r"/shared_rxq", "no port here shares receive queues"),
    (r"/ieee1588", "it answers a few messages a second"),
    (r"/measure", "a mock port's packets are not the probes that it sent"),
    (r"^(?!i40e/%dbit/).*/generate" % I40E_BITS, "a packet is written the same way for each port: counted on one port"),
    (r"^(?!ice/).*/extbuf/pinned/(segments|headers)|^ice/(?!.*/no-fast-free/extbuf/pinned/)", "what splits is net_ice's: counted for that alone"),
    (r"/gpu", "a GPU's own work is not counted by instructions of the CPU"),
    (r"^(?!.*/(io|recycle_mbufs|l3fwd/(crossing|spread)).*$)[^/]*\+", "what no driver's neighbour changes"),
    (r"^(ixgbe|virtio|[^/]*\+[^/]*)/.*/fast-free/", "the driver has no fast free"),
    (r"^(?!(i40e/%d|mlx5/128)bit/).*/(extbuf/storage|replay)" % I40E_BITS, "what is sent is created the same way for each port: counted on a port with descriptors, and on one with keys"),
    (r"/fast-free/(extbuf/|replay)", "what is attached must not be freed fast"),
    (r"^(?!i40e/%dbit/).*/bucket" % I40E_BITS, "a pool is the same under all ports: counted under one"),
    (r"/64bit/.*/(recycle_mbufs|macswap/recycled|l3fwd/(crossing|spread))", "scalar functions are declined: it forwards without"),
    (r"^(?!(i40e/%d|ixgbe/128)bit/).*/direct$" % I40E_BITS, "it needs vector functions of net_i40e or net_ixgbe"),
    (r"^mlx5/.*/fast-free/recycle_mbufs/cache", "declined: it forwards as io"),
    (r"^(?!i40e/%dbit/fast-free/).*/l3fwd/(fib|lpm|em)" % I40E_BITS, "look-ups are the same everywhere: counted on one port"),
    (r"^(?!i40e/%dbit/fast-free/).*/ring_pipeline/(?!.*/none/burst32$)" % I40E_BITS, "stages and bursts are the same everywhere: counted on one port"),
)
NARROW = "i40e/%dbit/" % I40E_BITS
SHORT = (NARROW + "fast-free/io", "i40e/64bit/no-fast-free/mac", NARROW + "no-fast-free/recycle_mbufs", NARROW + "fast-free/txonly",
         NARROW + "fast-free/ring_pipeline/zc/none/burst32", "ixgbe/128bit/no-fast-free/csum", "mlx5/128bit/fast-free/io", "virtio/128bit/no-fast-free/mac")

Case = namedtuple("Case", CASE)
Count = namedtuple("Count", "key values")


def name_of(case):
    return "%s/%sbit/%s/%s" % case


def left_out(name):
    """Why there is no such case; None: there is."""
    return next((why for pattern, why in LEFT_OUT if re.search(pattern, name)), None)


def make_cases():
    """{name: Case} of all that can be counted."""
    every = [Case(device, str(bits), free, engine) for device, one in DEVICES.items() for bits in one.paths for free in drivers.FAST_FREE for engine in ENGINES]
    return {name_of(case): case for case in every if left_out(name_of(case)) is None}


def options(argv):
    parser = argparse.ArgumentParser(description="Count instructions and mispredictions per packet, and compare them with %s." % CSV)
    parser.add_argument("--cases", default="", metavar="REGEX", help="only the cases whose name, DEVICE/BITS/FAST-FREE/ENGINE, matches")
    parser.add_argument("--short", action="store_true", help="only those that the tests count")
    parser.add_argument("--update", action="store_true", help="write what was counted to %s and the table of %s" % (CSV, PAGE))
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="count each case so often; it fails if the counts differ")
    parser.add_argument("--batches", type=int, default=BATCHES, metavar="N", help="length of a run (%d); another gives a little other counts" % BATCHES)
    parser.add_argument("--caches", action="store_true", help="show data accesses and cache misses, by callgrind's model of this machine's, too")
    parser.add_argument("--history", action="store_true", help="how the rows changed from commit to commit, and end")
    parser.add_argument("--left-out", action="store_true", help="what is not counted and why, and end")
    parser.add_argument("--zcfwd", default=os.environ.get("ZCFWD") or os.path.join(ROOT, "build", "zcfwd"), help="the program, beside which lockstep is")
    return parser.parse_args(argv)


def lacks(zcfwd):
    """What stands in the way of counting; None: nothing."""
    if shutil.which("valgrind") is None:
        return "no valgrind here: install the package valgrind"
    mock = modes.plugin_of(lockstep_of(zcfwd), "tests/model_nic/mock/mock.so")
    return None if os.path.exists(mock) else "%s is not built: it needs dpdk_source, see devtools/test" % mock


def lockstep_of(zcfwd):
    return os.path.join(os.path.dirname(os.path.abspath(zcfwd)), "tests/bench/lockstep")


def command(case, lockstep, folder):
    """(arguments, environment) of the process that counts."""
    engine = ENGINES[case.engine]
    words = [engine.words.replace("FOLDER", folder).replace("%d", str(i)) for i in range(engine.ports)]
    if case.device == "virtio":
        devargs, _ = drivers.VIRTIO["virtio-split"]
        plugin, extra = "tests/model_nic/vhost/vhost_nic.so", ("--single-file-segments", "--log-level=info", "--log-level=pmd.net.virtio.init:info")
        vdevs = ["net_virtio_user%d,path=%s/%d,queue_size=%d,%s" % (i, folder, i, RING, devargs) for i in range(engine.ports)]
    else:
        plugin, extra = "tests/model_nic/mock/mock.so", ()
        drivers_of = case.device.split("+") * engine.ports
        vdevs = ["net_mock%d,driver=%s%s" % (i, drivers_of[i], words[i]) for i in range(engine.ports)]
    eal = ["-d", modes.plugin_of(lockstep, plugin), "--iova-mode=va", *extra, "--force-max-simd-bitwidth=" + case.bits, *("--vdev=" + one for one in vdevs)]
    app = ["--rxd=%d" % RING, "--txd=%d" % RING, "--tx-offloads=" + drivers.FAST_FREE[case.fast_free], *(word.replace("FOLDER", folder) for word in engine.app)]
    setup = SimpleNamespace(hugepages=False, run_id=os.path.basename(folder))
    argv = modes.command_line(lockstep, "(0,1)@%d" % min(os.sched_getaffinity(0)), setup, eal, app)
    env = {"MODEL_NIC": ";".join("virtio" + one for one in words), "MODEL_NIC_MODE": "step", "VHOST_NIC": folder,
           "RUNTIME_DIRECTORY": folder}  # EAL leaves a folder behind
    return argv, env


def count(case, lockstep, batches=BATCHES, caches=False):
    """One process; ValueError where the driver took another path than the one that is asked for."""
    with tempfile.TemporaryDirectory(prefix="counts-") as folder:
        captures.files(folder)
        out = os.path.join(folder, "callgrind")
        argv, env = command(case, lockstep, folder)
        valgrind = ["valgrind", "--quiet", "--tool=callgrind", "--branch-sim=yes", "--cache-sim=" + ("yes" if caches else "no"),
                    "--instr-atstart=no", "--collect-atstart=no", "--toggle-collect=variant_turns_profiled", "--callgrind-out-file=" + out]
        line = "lockstep count rounds %d warm %d batches %d %s" % (rounds_of(case), WARM_UP, batches, ENGINES[case.engine].variant)
        shown = SHOW_PATHS if case.device != "virtio" else ()
        before = [word.replace("FOLDER", folder) for word in ENGINES[case.engine].before]
        lines = ["set output json", *shown, *before, line, "quit", ""]
        done = subprocess.run([*valgrind, *argv], input="\n".join(lines), capture_output=True, text=True, env={**os.environ, **env},
                              timeout=TIMEOUT_S, check=False)
        answers = {one.get("command"): one for one in modes.answers_of(done.stdout, done.stderr, done.returncode)}
        paths_check(case, paths_of(case, answers, done.stderr))
        events, packets = totals(out), answers[line]["counted"]
    if events["Ir"] == 0:
        raise ValueError("callgrind saw no call of variant_turns_profiled(): the program is stripped, or was built without valgrind/callgrind.h")
    wanted = {**EVENTS, **(CACHES if caches else {})}
    return Count(tuple(answers[line]["key"][word] for word in KEY),
                 {name: round(sum(events[event] for event in parts) / packets, 4) for name, parts in wanted.items()})


def rounds_of(case):
    """Polls per batch: a quarter of a ring's packets."""
    burst = re.search(r"burst(\d+)", case.engine)
    return ROUNDS * 32 // int(burst.group(1)) if burst else ROUNDS


def paths_of(case, answers, logged):
    """(what receives, what sends) on port 0, as the driver tells: net_virtio in its log."""
    if case.device == "virtio":
        told = {way: word for word, way in re.findall(r"using (\w+) (Rx|Tx) path on port 0", logged)}
        return told.get("Rx"), told.get("Tx")
    return tuple(answers[line]["burst_mode"] for line in SHOW_PATHS)


def paths_check(case, found):
    rx, tx = DEVICES[case.device].paths[int(case.bits)]
    tx += DEVICES[case.device].free if case.fast_free == "fast-free" else ""
    if found != (rx, tx):
        raise ValueError("the driver receives by \"%s\" and sends by \"%s\": expected \"%s\" and \"%s\"" % (*found, rx, tx))


def totals(path):
    """Callgrind's sums by event."""
    with open(path) as file:
        found = dict(re.findall(r"^(events|totals|summary): (.*)$", file.read(), re.M))
    return dict(zip(found["events"].split(), map(int, (found.get("totals") or found["summary"]).split())))


def read_rows(text):
    """{(key, case): {value: number}} of what counts.csv says."""
    return {(tuple(row[word] for word in KEY), Case(*(row[word] for word in CASE))): {name: float(row[name]) for name in VALUES}
            for row in csv.DictReader(io.StringIO(text))}


def write_rows(rows):
    """The text of counts.csv: by key, cases in their order."""
    order = {case: place for place, case in enumerate(make_cases().values())}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*CASE, *KEY, *VALUES])
    for key, case in sorted((row for row in rows if row[1] in order), key=lambda row: (row[0], order[row[1]])):
        writer.writerow([*case, *key, *("%.4f" % rows[key, case][name] for name in VALUES)])
    return out.getvalue()


def stored_rows():
    path = os.path.join(ROOT, CSV)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="ascii") as file:
        return read_rows(file.read())


def regressions(was, now):
    """The values that are more than they may be."""
    return [name for name, (share, least) in LIMITS.items() if now[name] > was[name] * (1 + share) and now[name] - was[name] > least]


def change(was, now):
    return "%+.2f %%" % (100 * (now / was - 1)) if was else "%+.4f" % now


def line_of(case, found, was):
    """A line of the table of changes: what the row says, what was counted, what is wrong with it."""
    if isinstance(found, Exception):
        return [name_of(case), *[""] * len(VALUES), "failed: %s" % found]
    cells = ["%.4f%s" % (number, " (%s)" % change(was[name], number) if was and name in was and was[name] != number else "")
             for name, number in found.values.items()]
    worse = regressions(was, found.values) if was else []
    return [name_of(case), *cells, "more " + ", ".join(worse) if worse else "" if was else "no row"]


HOW_TO = ("%s: more than the rows of %s allow. If that is wanted: make counts COUNTS_ARGS=--update, and commit the rows with the change and its reason.")


def count_all(cases, args, lockstep):
    """(case, Count or the error), in order, as many at a time as there are CPUs."""
    def one(case):
        try:
            counts = [count(case, lockstep, args.batches, args.caches) for _ in range(args.repeat)]
            differ = {tuple(each.values[name] for name in VALUES) for each in counts}
            return counts[0] if len(differ) == 1 else ValueError("counts differ: %s" % sorted(differ))
        except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            return error
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from zip(cases, pool.map(one, cases))


def table(rows, key):
    """Markdown: a table per device; a line per engine, a column per function and offload; instructions, mispredictions."""
    ports = list(dict.fromkeys((case.device, case.bits, case.fast_free) for case in make_cases().values()))
    tables = []
    for device in DEVICES:
        mine = [port for port in ports if port[0] == device]
        lines = ["| %s | " % device + " | ".join(bits + ("" if free == "fast-free" else ", none") for _, bits, free in mine) + " |",
                 "|---|" + "---|" * len(mine)]
        for engine in ENGINES:
            found = [rows.get((key, Case(*port, engine))) for port in mine]
            if any(found):
                lines.append("| %s | %s |" % (engine, " | ".join("%.1f, %.2f" % tuple(one[name] for name in VALUES) if one else "" for one in found)))
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


def page_with(text, rows, key):
    """The page with the table between its marks made anew."""
    said = "Rows of %s, DPDK %s, glibc %s.\n\n" % (key[0], key[1].removeprefix("DPDK "), key[2])
    return re.sub(r"(<!-- counts -->\n).*(\n<!-- end -->)", lambda marks: marks[1] + said + table(rows, key) + marks[2], text, flags=re.S)


def update(rows, key):
    with open(os.path.join(ROOT, CSV), "w", encoding="ascii") as file:
        file.write(write_rows(rows))
    path = os.path.join(ROOT, PAGE)
    with open(path, encoding="utf-8") as file:
        text = page_with(file.read(), rows, key)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True, timeout=60).stdout


def history(versions):
    """Markdown: per key a line per case and value that ever changed, a column per commit; versions: [(its words, text of counts.csv)], oldest first."""
    read = [(commit, read_rows(text)) for commit, text in versions]
    parts = []
    for key in dict.fromkeys(key for _, rows in read for key, _ in rows):
        mine = [(commit, rows) for commit, rows in read if any(one == key for one, _ in rows)]
        lines = ["%s:\n" % ", ".join(key), "| case | per packet | " + " | ".join(commit for commit, _ in mine) + " |", "|---|---|" + "---|" * len(mine)]
        for case in dict.fromkeys(case for _, rows in mine for one, case in rows if one == key):
            for name in VALUES:
                cells, last = [], None
                for _, rows in mine:
                    now = rows.get((key, case), {}).get(name)
                    cells.append("" if now == last else "gone" if now is None else "%.4f" % now + (" (%s)" % change(last, now) if last is not None else ""))
                    last = now
                if len(mine) == 1 or any(cells[1:]):
                    lines.append("| %s | %s | %s |" % (name_of(case), name, " | ".join(cells)))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def versions():
    commits = git("log", "--reverse", "--date=short", "--format=%h %ad", "--", CSV).splitlines()
    return [(commit, git("show", "%s:%s" % (commit.split()[0], CSV))) for commit in commits]


def main(argv):
    args = options(argv)
    if args.history or args.left_out:
        print(history(versions()) if args.history else "\n".join("%-70s %s" % one for one in LEFT_OUT))
        return 0
    missing = lacks(args.zcfwd)
    if missing:
        print("counts: skipped: " + missing)
        return 0
    every = make_cases()
    cases = [case for name, case in every.items() if re.search(args.cases, name) and (not args.short or name in SHORT)]
    stored, key, failed, worse = stored_rows(), None, 0, 0
    rows = dict(stored)
    print("| " + " | ".join(["case", *EVENTS, *(CACHES if args.caches else ()), ""]) + " |\n|" + "---|" * (2 + len(EVENTS) + (len(CACHES) if args.caches else 0)), flush=True)
    for case, found in count_all(cases, args, lockstep_of(args.zcfwd)):
        was = None
        if isinstance(found, Exception):
            failed += 1
        else:
            key = found.key
            was = stored.get((key, case))
            rows[key, case] = {name: found.values[name] for name in VALUES}
            worse += bool(was and regressions(was, found.values))
        print("| " + " | ".join(line_of(case, found, was)) + " |", flush=True)
    if args.update and key:
        update(rows, key)
        return failed > 0
    if key and not any(one == key for one, _ in stored):
        print("counts: compared with nothing: %s has no row of %s" % (CSV, ", ".join(key)))
    if worse:
        print("counts: " + HOW_TO % ("%d of %d cases" % (worse, len(cases)), CSV))
    return (failed or worse) > 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        sys.exit("counts: %s" % error)
