# SPDX-License-Identifier: BSD-3-Clause
"""Counts of a few cases against counts.csv: what costs more fails. And the cases, rows and tables of counts.py, on numbers made up here."""
import pathlib
import re

import counts
import pytest
from conftest import binary_path

LACKS = counts.lacks(binary_path())
counted = pytest.mark.skipif(LACKS is not None, reason=f"not counted: {LACKS}")
CASES = counts.make_cases()
KEY = ("gcc 1 -O3", "DPDK 2", "3")
IO, MAC = (CASES[f"{counts.NARROW}fast-free/{engine}"] for engine in ("io", "mac"))


def row(instructions, mispredictions=0.2):
    return {"instructions": instructions, "mispredictions": mispredictions}


@counted
@pytest.mark.parametrize("name", counts.SHORT)
def test_gate(name):
    rows, found = counts.stored_rows(), counts.count(CASES[name], counts.lockstep_of(binary_path()))
    if not any(key == found.key for key, _ in rows):
        pytest.skip(f"{counts.CSV} has no rows of {', '.join(found.key)}")
    was = rows.get((found.key, CASES[name]))
    assert was is not None, f"no row: make counts COUNTS_ARGS='--cases {name} --update'"
    assert counts.regressions(was, found.values) == [], f"{was}, now {found.values}; " + counts.HOW_TO % (name, counts.CSV)


@counted
def test_other_path(monkeypatch):
    """Where the driver chooses other functions, as without AVX512 it must, there is no count."""
    monkeypatch.setitem(counts.DEVICES, "i40e", counts.Device({counts.I40E_BITS: ("Vector AVX512", "Vector AVX512")}, ""))
    chosen = counts.I40E_PATHS[0]
    with pytest.raises(ValueError, match=f'by "{chosen}" and sends by "{chosen}": expected "Vector AVX512" and "Vector AVX512"'):
        counts.count(IO, counts.lockstep_of(binary_path()), batches=1)


def test_cases():
    """Every engine is counted somewhere or left out with a reason; what the tests count are cases."""
    text = (pathlib.Path(counts.ROOT) / "engines/meson.build").read_text(encoding="ascii")
    for engine in re.findall(r"'([^']*)'", re.search(r"engines \+= \[(.*?)\]", text, re.S)[1]):
        assert any(case.engine.split("/")[0] == engine for case in CASES.values()) or counts.left_out(f"{counts.NARROW}fast-free/{engine}"), engine
    assert set(counts.SHORT) <= set(CASES)
    for pattern, _ in counts.LEFT_OUT:
        assert not any(re.search(pattern, name) for name in CASES)


def test_totals(tmp_path):
    path = tmp_path / "out"
    path.write_text("version: 1\nevents: Ir Bc Bcm Bi Bim\nfn=x\ntotals: 1000 200 100 5 5\n", encoding="ascii")
    assert counts.totals(path) == {"Ir": 1000, "Bc": 200, "Bcm": 100, "Bi": 5, "Bim": 5}


@pytest.mark.parametrize("now, worse", [
    (row(100.4), []), (row(100.6), ["instructions"]), (row(90), []),
    (row(100, 0.455), ["mispredictions"]), (row(100, 0.445), []), (row(100, 0.205), []), (row(101, 0.46), ["instructions", "mispredictions"]),
])
def test_regressions(now, worse):
    """More than half a percent; more than 2 % and 0.25: less comes of where code lies."""
    assert counts.regressions(row(100), now) == worse


def test_rows():
    """What is written is read; other keys' rows stay; engines that are gone go."""
    rows = {(KEY, MAC): row(2), (KEY, IO): row(1.5), (("gcc 0", "a", "b"), IO): row(3), (KEY, IO._replace(engine="gone")): row(4)}
    text = counts.write_rows(rows)
    assert counts.read_rows(text) == {place: numbers for place, numbers in rows.items() if place[1].engine != "gone"}
    assert text.splitlines()[0] == "device,bits,fast_free,engine,compiler,dpdk,libc,instructions,mispredictions"
    assert [line.split(",")[3:5] for line in text.splitlines()[1:]] == [["io", "gcc 0"], ["io", KEY[0]], ["mac", KEY[0]]]


def test_line():
    line = counts.line_of(IO, counts.Count(KEY, row(101)), row(100))
    assert line == [f"{counts.NARROW}fast-free/io", "101.0000 (+1.00 %)", "0.2000", "more instructions"]
    assert counts.line_of(IO, counts.Count(KEY, row(101)), None)[-1] == "no row"
    assert counts.line_of(IO, ValueError("no memory"), None)[-1] == "failed: no memory"


def test_history():
    """A column per commit; what never changed is left out; a case may come and go."""
    texts = [counts.write_rows(rows) for rows in ({(KEY, IO): row(100)}, {(KEY, IO): row(99), (KEY, MAC): row(10)}, {(KEY, MAC): row(10)})]
    lines = counts.history(list(zip(("a 1", "b 2", "c 3"), texts))).splitlines()
    assert lines[2] == "| case | per packet | a 1 | b 2 | c 3 |"
    assert f"| {counts.NARROW}fast-free/io | instructions | 100.0000 | 99.0000 (-1.00 %) | gone |" in lines
    assert f"| {counts.NARROW}fast-free/mac | instructions |  | 10.0000 |  |" in lines


def test_page():
    """The table in the guide is that of the rows."""
    text = (pathlib.Path(counts.ROOT) / counts.PAGE).read_text(encoding="utf-8")
    rows = counts.stored_rows()
    assert any(counts.page_with(text, rows, key) == text for key, _ in rows), "make counts COUNTS_ARGS=--update writes it"
