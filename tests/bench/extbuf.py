#!/usr/bin/python3
# What external buffers save: the modes of the engine extbuf by turns in one process, frames of 64 to 9000 bytes.
"""
tests/bench/extbuf.py [--beds null,xl710,82599] [--sizes 64,...] [--samples N]

null: net_null ports, a slice of --slice-ms per mode, in the order A B C C B A, the best of five being a sample; cycles per
packet are those of turns that had packets. xl710, 82599: tests/bench/lockstep on modelled NICs, whose own work is not timed; the ports receive
into pinned memory in all modes there. Ratios are medians of the ratios of slices side by side, with an interval that holds
the true one with at least 97.5 % probability. Fast free is off everywhere, as attached buffers need.
"""

import argparse
import json
import os
import subprocess
import sys

import summary

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FORWARD = ("copy", "attach", "auto", "pinned")
# Settings of each way to send from storage; the first is what the others are compared with.
STORAGE = {
    "storage copy": ("extbuf-storage copy", "extbuf-shinfo private"),
    "storage private": ("extbuf-storage attach", "extbuf-shinfo private"),
    "storage shared": ("extbuf-storage attach", "extbuf-shinfo shared"),
}
SIZES = "64,128,256,512,1024,1500,2048,4096,9000"
TIMEOUT_S = 580
# A sample is the best of so many slices: on a machine that others use, the rest of them measure the others.
SLICES = 5


def options(argv):
    parser = argparse.ArgumentParser(description="Compare the modes of the engine extbuf.")
    parser.add_argument("--beds", default="null,xl710,82599")
    parser.add_argument("--sizes", default=SIZES, help="bytes of frames (%(default)s)")
    parser.add_argument("--samples", type=int, default=21, help="of each mode and size, 7 or more (%(default)s)")
    parser.add_argument("--slice-ms", type=int, default=5)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    args = parser.parse_args(argv)
    if args.samples < 7:
        parser.error("--samples %d: want 7 or more" % args.samples)
    return args


def ask(argv, lines, env=None):
    """What the program answers, as objects; ValueError with its last words when a line fails."""
    done = subprocess.run(argv, input="\n".join(["set output json", *lines, "quit", ""]), capture_output=True, text=True,
                          env={**os.environ, **(env or {})}, timeout=TIMEOUT_S, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    bad = [one["error"]["message"] for one in answers if one.get("ok") is False]
    if bad or done.returncode:
        raise ValueError((bad or (done.stdout + done.stderr).splitlines())[-1])
    return answers


def program(path, lcores, eal, size, app):
    """Buffers that take the frame in one piece, so that copying means the same at each size."""
    return [path, "--lcores", lcores, "--in-memory", "--no-pci", "--no-telemetry", "--log-level=error", "--file-prefix=xb%d" % os.getpid(),
            *eal, "--", "-i", "--no-mlockall", "--no-flush-rx", "--tx-offloads=0x0", "--total-num-mbufs=16384",
            "--mbuf-size=%d" % max(2176, size + 192), *app]


def null_lines(mode, ms):
    words = STORAGE.get(mode)
    chosen = ["set extbuf mode storage", *("set " + word for word in words)] if words else ["set extbuf mode " + mode, "set extbuf-shinfo private"]
    return [*chosen, "start for %dms" % ms, "show fwd stats all"]


def null(args, size, modes):
    """{mode: [cycles per packet of each sample]}"""
    lines, order = ["set fwd extbuf", "set record-core-cycles on"], []
    for turn in range(args.samples * SLICES):
        for mode in modes[::-1] if turn % 2 else modes:
            lines += null_lines(mode, args.slice_ms)
            order += [mode]
    app = ["--extbuf-slice=%d" % size, "--max-pkt-len=%d" % max(1518, size + 18)] if modes[0] in STORAGE else []
    eal = ["--iova-mode=va", "--vdev=net_null0,size=%d" % size, "--vdev=net_null1,size=%d" % size]
    app.append("--extbuf-buffer=%d" % (-(-max(size, 1500) // 64) * 64 + 256))
    answers = [one for one in ask(program(os.path.join(args.build, "zcfwd"), "0,1", eal, size, app), lines)
               if one.get("command") == "show fwd stats all"]
    per_slice = [(mode, sum(one["busy_cycles"] for one in answer["streams"]) / max(1, sum(one["tx"] for one in answer["streams"])))
                 for mode, answer in zip(order, answers)]
    found = {mode: [] for mode in modes}
    for at in range(0, len(per_slice), SLICES * len(modes)):
        for mode in modes:
            found[mode].append(min(cycles for name, cycles in per_slice[at:at + SLICES * len(modes)] if name == mode))
    return found


def modelled(args, device, size):
    """As above: one sample per process of lockstep, which alternates by itself."""
    found = {mode: [] for mode in FORWARD}
    line = "lockstep evict 0 rounds 8 samples 10 " + " ".join("extbuf,extbuf-mode=" + mode for mode in FORWARD)
    plugin = os.path.join(args.build, "tests/model_nic/model_nic.so")
    argv = program(os.path.join(args.build, "tests/bench/lockstep"), "(0,1)@1", ["-d", plugin, "--iova-mode=va"], size,
                   ["--max-pkt-len=%d" % max(1518, size + 18), "--rxd=1024", "--txd=1024",
                    "--extbuf-buffer=%d" % max(2176, -(-(size + 256) // 64) * 64), "--extbuf-mode=pinned", "--forward-mode=extbuf"])
    for _ in range(max(7, args.samples // 3)):
        answer = ask(argv, [line], {"MODEL_NIC": "%s,size=%d*2" % (device, size - 4 if size == 64 else size), "MODEL_NIC_MODE": "step"})
        for one, mode in zip(next(a for a in answer if a.get("command") == line)["variants"], FORWARD):
            found[mode].append(one["median"])
    return found


def row(bed, size, found):
    first = next(iter(found))
    cells = ["%.0f" % summary.median(found[first])]
    for mode in list(found)[1:]:
        ratios = [a / b for a, b in zip(found[first], found[mode])]
        low, high, _ = summary.median_interval(ratios)
        cells.append("%.0f, %.2f (%.2f-%.2f)" % (summary.median(found[mode]), summary.median(ratios), low, high))
    return "| %s | %d | %s |" % (bed, size, " | ".join(cells))


def main(argv):
    args = options(argv)
    sizes = [int(size) for size in args.sizes.split(",")]
    status = 0
    for modes, beds in ((FORWARD, args.beds.split(",")), (tuple(STORAGE), ["null"] if "null" in args.beds else [])):
        print("\n| bed | bytes | %s |\n|%s" % (" | ".join(modes), " --- |" * (len(modes) + 2)))
        for bed in beds:
            for size in sizes:
                try:
                    found = null(args, size, modes) if bed == "null" else modelled(args, bed, size)
                    print(row(bed, size, found), flush=True)
                except (OSError, ValueError, subprocess.SubprocessError) as error:
                    print("| %s | %d | failed: %s |" % (bed, size, error), flush=True)
                    status = 1
    print("\nTSC cycles per packet, medians; then the first mode's cycles over this one's (above 1: faster than the first).")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
