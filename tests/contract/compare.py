# SPDX-License-Identifier: BSD-3-Clause
"""Compares two runs answer by answer; a purposeful difference is edited away first and remembered as used."""
import difflib
from dataclasses import replace

from differences import DIFFERENCES, OURS, THEIRS

used = set()


def edited(side, answer):
    for row in DIFFERENCES:
        if row.side == side and (new := row.edit(answer)) is not None:
            used.add(row)
            answer = replace(answer, **{row.stream: new})
    return answer.out, answer.err


def unedited(_side, answer):
    return answer.out, answer.err


def compare(theirs, ours, edit=edited):
    """A unified diff of all answers that differ, each under its command; empty when equal."""
    report = []
    for number, (a, b) in enumerate(zip(theirs.answers, ours.answers), 1):
        assert a.command == b.command
        for stream, one, two in zip(("stdout", "stderr"), edit(THEIRS, a), edit(OURS, b)):
            if one != two:
                report.append(f"== {number}: {a.command}   ({stream})")
                lines = difflib.unified_diff(shown(one), shown(two), "testpmd", "zcfwd", lineterm="", n=1)
                report += list(lines)[2:]
    if len(theirs.answers) != len(ours.answers):
        report.append(f"== answers: testpmd {len(theirs.answers)}, zcfwd {len(ours.answers)}")
    if theirs.rc != ours.rc:
        report.append(f"== exit status: testpmd {theirs.rc}, zcfwd {ours.rc}")
    return "\n".join(report)


def shown(text):
    """Lines, with what the eye misses made visible: trailing blanks and a missing last newline."""
    lines = [line if line == line.rstrip() else line + "|" for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else [*lines[:-1], lines[-1] + " (no newline)"]
