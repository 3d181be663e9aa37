# SPDX-License-Identifier: BSD-3-Clause
"""The command line of zcfwd-report."""
import argparse
import csv
import os
import sys

from . import calibration, mempool, read

USAGE = """Makes a page, report.html, that needs no other file, and its plots as PNG and SVG, of recordings that zcfwd wrote
(record start FILE, --record=FILE), or of answers of its command bench mempool (set output json). Several files, or a file with
several runs, are compared; as NAME=FILE each is called by its name, a host's as a rule, and a table adds them up. Older files, FILE.1 and so on, are taken in by themselves. With --csv burst files (FILE.bursts) become
tables instead. Points that dma calibrate wrote (dma calibrate DEV csv FILE) become a plot, FILE.png and FILE.svg without FILE's ending."""


def options(argv):
    """The command line."""
    parser = argparse.ArgumentParser(prog="zcfwd-report", description=USAGE)
    parser.add_argument("files", nargs="+", metavar="[NAME=]FILE", help="recordings, or calibrations; with --csv burst files")
    parser.add_argument("-o", "--output", metavar="DIR", help="folder for what is made: report with a page (made if "
                        "need be); with --csv standard output if it is not given")
    parser.add_argument("--csv", action="store_true", help="write run,stream,seconds,tsc,cycles,rx,tx of each poll")
    parser.add_argument("--title", default="zcfwd recording", help="heading of the page")
    return parser.parse_args(argv)


def named(word):
    """(name or None, path) of a word; a file that is there is no name with a path."""
    name, sign, path = word.partition("=")
    return (name, path) if name and sign and not os.path.exists(word) else (None, word)


def write_csv(path, file, notes):
    """The polls of a burst file as a table; seconds: since the recording began. Returns polls that were lost."""
    header, found = read.bursts(path, notes)
    start, hz = header["start"]["tsc"], header["tsc_hz"]
    table = csv.writer(file, lineterminator="\n")
    table.writerow(("run", "stream", "seconds", "tsc", "cycles", "rx", "tx"))
    lost = 0
    for part in found:
        lost += part.lost
        table.writerows((part.run, part.stream, "%.9f" % ((tsc - start) / hz), tsc, cycles, rx, tx)
                        for tsc, cycles, rx, tx in part.polls)
    return lost


def table_paths(args):
    """Where each burst file's table goes; ReadError when two would go to one place."""
    found = {}
    for path in args.files:
        table = os.path.join(args.output, os.path.basename(path) + ".csv")
        if table in found:
            raise read.ReadError("%s: the table of %s goes there already: give each a folder of its own" % (path, found[table]))
        found[table] = path
    return list(found)


def tables(args):
    """--csv: one table per burst file."""
    for path in args.files:
        if not read.is_bursts(path):
            raise read.ReadError("%s: no burst file of zcfwd: want a FILE.bursts" % path)
    places = table_paths(args) if args.output else [None] * len(args.files)
    for path, place in zip(args.files, places):
        notes = []
        if place:
            os.makedirs(args.output, exist_ok=True)
            with open(place, "w", encoding="ascii") as file:
                lost = write_csv(path, file, notes)
        else:
            lost = write_csv(path, sys.stdout, notes)
        if lost:
            notes.append("%s: %d polls could not be kept when it was recorded" % (path, lost))
        for note in notes:
            print("zcfwd-report: %s" % read.printable(note), file=sys.stderr)


def calibrations(args):
    """The plots of calibrations."""
    try:
        made = calibration.write(args.files, args.output or "report")
    except ImportError as error:
        raise read.ReadError("matplotlib draws the plots: apt-get install python3-matplotlib (%s)" % error) from None
    print("\n".join(made))


def pages(args):
    """The page with its plots."""
    words = list(map(named, args.files))
    benches = [mempool.answer(path) for _, path in words]
    if any(benches) and not all(benches):
        raise read.ReadError("%s: a recording, and others are answers of bench mempool: want files of one kind" % args.files[benches.index(None)])
    recordings = []
    for name, path in () if any(benches) else words:
        if read.is_bursts(path):
            raise read.ReadError("%s: a burst file: name the recording beside it, or use --csv" % path)
        recordings.append(read.recording(path, name))
    names = [name for name, _ in words if name]
    if len(set(names)) < len(names):
        raise read.ReadError("%s: two recordings of this name: want one each" % next(name for name in names if names.count(name) > 1))
    if not any(benches) and not any(run.intervals for recording in recordings for run in recording.runs):
        raise read.ReadError("%s: nothing was recorded: there is no interval in it%s" % (
            args.files[0], "".join(" (%s)" % note for note in recordings[0].notes[:1])))
    try:
        from . import mempool_page, page  # what draws is asked for only here
    except ImportError as error:
        raise read.ReadError("matplotlib draws the plots: apt-get install python3-matplotlib (%s)" % error) from None
    folder = args.output or "report"
    print(mempool_page.write(benches, folder, args.title) if any(benches) else page.write(recordings, folder, args.title, bool(names)))


def main(argv):
    """0, or 1 with one line that says what is wrong."""
    args = options(argv)
    sys.stdout.reconfigure(errors="surrogateescape")  # names of folders go out as they came in
    try:
        drawn = not args.csv and all(map(calibration.is_calibration, args.files))
        (tables if args.csv else calibrations if drawn else pages)(args)
    except (read.ReadError, OSError) as error:
        print("zcfwd-report: %s" % read.printable(str(error)), file=sys.stderr)
        return 1
    return 0
