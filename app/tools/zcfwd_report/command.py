# SPDX-License-Identifier: BSD-3-Clause
"""The command line of zcfwd-report."""
import argparse
import os
import sys

from . import answers, calibration, latency, read, tables

USAGE = """Create a self-contained page, report.html, and its plots as PNG and SVG from recordings of zcfwd (record start FILE,
--record=FILE) or from JSON output of the commands measure rate and bench mempool
(of build/tests/bench/lockstep). Several files, or a file with several runs, are
compared. NAME=FILE labels a recording, usually with the name of its host, and adds a table with the sum of all recordings. Older files
(FILE.1, ...) are read automatically. With --csv, the intervals of recordings and the polls of burst files (FILE.bursts) are written as CSV tables
instead. Output of dma calibrate
(dma calibrate DEV csv FILE) is drawn as a plot, named after FILE with the endings .png and .svg."""


def options(argv):
    """The command line."""
    parser = argparse.ArgumentParser(prog="zcfwd-report", description=USAGE)
    parser.add_argument("files", nargs="+", metavar="[NAME=]FILE", help="recordings or calibrations; with --csv recordings or burst files")
    parser.add_argument("-o", "--output", metavar="DIR", help="output directory, created if missing (default: report; "
                        "with --csv: standard output)")
    parser.add_argument("--csv", action="store_true", help="write CSV tables instead of a page: a row for each interval of a recording "
                        "(rates, loss, cycles per packet, CPU share), or for each poll of a burst file")
    parser.add_argument("--title", default="zcfwd recording", help="heading of the page")
    return parser.parse_args(argv)


def named(word):
    """Split NAME=PATH into (name or None, path); an existing file with "=" in its name is a path."""
    name, sign, path = word.partition("=")
    return (name, path) if name and sign and not os.path.exists(word) else (None, word)


def table_paths(paths, folder):
    """Return the output file of each table; ReadError if two are the same."""
    found = {}
    for path in paths:
        table = os.path.join(folder, os.path.basename(path) + ".csv")
        if table in found:
            raise read.ReadError("%s: also the output file of %s; use a separate directory for each" % (path, found[table]))
        found[table] = path
    return list(found)


def write_tables(args):
    """--csv: write a table per file."""
    notes, paths = [], [named(word)[1] for word in args.files]
    begun = [tables.begun(path, notes) for path in paths]
    places = table_paths(paths, args.output) if args.output else [None] * len(paths)
    for one, place in zip(begun, places):
        if place:
            os.makedirs(args.output, exist_ok=True)
            with open(place, "w", encoding="utf-8") as file:
                tables.write(file, *one)
        else:
            tables.write(sys.stdout, *one)
    for note in notes:
        print("zcfwd-report: %s" % read.printable(note), file=sys.stderr)


def calibrations(args):
    """Write the plots of calibrations."""
    try:
        made = calibration.write(args.files, args.output or "report")
    except ImportError as error:
        raise read.ReadError("matplotlib draws the plots: apt-get install python3-matplotlib (%s)" % error) from None
    print("\n".join(made))


def pages(args):
    """Write the page with its plots."""
    words = list(map(named, args.files))
    found = [answers.answer(path) for _, path in words]
    kinds = [one["kind"] if one else "a recording" for one in found]
    other = next((place for place, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is not None:
        raise read.ReadError("%s: %s, but %s: %s; expected files of one kind" % (args.files[0], kinds[0], args.files[other], kinds[other]))
    recordings = []
    for name, path in () if any(found) else words:
        if read.is_bursts(path):
            raise read.ReadError("%s: a burst file; use the recording beside it, or --csv" % path)
        if latency.is_log(path):
            raise read.ReadError("%s: a log of histograms; use the recording beside it" % path)
        recordings.append(read.recording(path, name))
    names = [name for name, _ in words if name]
    if len(set(names)) < len(names):
        raise read.ReadError("%s: two recordings have this name; use different names" % next(name for name in names if names.count(name) > 1))
    if not any(found) and not any(run.intervals for recording in recordings for run in recording.runs):
        raise read.ReadError("%s: empty recording, it has no intervals%s" % (
            args.files[0], "".join(" (%s)" % note for note in recordings[0].notes[:1])))
    try:
        from . import mempool_page, page, rate_page  # imported here because only pages need matplotlib
    except ImportError as error:
        raise read.ReadError("matplotlib draws the plots: apt-get install python3-matplotlib (%s)" % error) from None
    folder = args.output or "report"
    pages_of = {"bench mempool": mempool_page.write, "measure rate": rate_page.write}
    print(pages_of[kinds[0]](found, folder, args.title) if any(found) else page.write(recordings, folder, args.title, bool(names)))


def regular(paths):
    """Refuse pipes and devices: files are read several times, and a pipe would wait for its writer."""
    for path in paths:
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            raise read.ReadError("%s: expected a regular file" % path)


def main(argv):
    """Return 0, or 1 after one line on stderr."""
    args = options(argv)
    sys.stdout.reconfigure(errors="surrogateescape")  # print undecodable file names unchanged
    try:
        regular(named(word)[1] for word in args.files)
        drawn = not args.csv and all(map(calibration.is_calibration, args.files))
        (write_tables if args.csv else calibrations if drawn else pages)(args)
    except (read.ReadError, OSError) as error:
        print("zcfwd-report: %s" % read.printable(str(error)), file=sys.stderr)
        return 1
    return 0
