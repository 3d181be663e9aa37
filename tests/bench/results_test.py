# SPDX-License-Identifier: BSD-3-Clause
"""Kept bench runs: what is written is read back, and several files become one table; and every file in results/ can be read."""
from types import SimpleNamespace

import pytest

import drivers
import report
import results

FACTS = {"date": "2026-11-24", "commit": "0123456789ab", "cpu": "AMD EPYC family 25 model 17, 2 cores", "A": "zcfwd; flags -O3"}


def made():
    row = report.Row("null/io", "Mpps")
    row.add([(2e6, 1e6), (3e6, 1e6), (4e6, 1e6)])
    row.add([(5e6, 1e6)])
    case = drivers.Case(drivers.Config("xl710", 128, 1024, "fast-free"), "io", ("io", "recycle_mbufs"), "hot")
    case.answers += [{"variants": [{"median": 20.0, "ratio": 1.0, "ratio_all": 1.0, "pairs": 3}, {"median": 15.0, "ratio": ratio, "ratio_all": 0.9, "pairs": pairs}]}
                     for ratio, pairs in ((0.7, 3), (0.8, 3), (0, 0))]
    modes = SimpleNamespace(name="pipeline/zc", unit="cost", answers={"copy": [10.0, 20.0, 0.0], "zc": [9.0, 19.0, 5.0]},
                            beside={"dropped": {"copy": [0.0], "zc": [2.5]}})
    return list(results.samples_of({row.name: row}, {case.name: case}, {modes.name: modes}))


def test_round_trip(tmp_path):
    path = tmp_path / results.name_of(FACTS)
    results.write(path, FACTS, made())
    assert path.name == "amd-epyc-family-25-model-17-2026-11-24.csv"
    assert results.read(path) == results.Run(FACTS, made())


def test_ratios():
    """Of forwarders A over B by rounds; of drivers by processes, without those that have none; of modes sample by sample, without those that moved nothing."""
    found = dict(results.ratios_of(made()))
    assert found["null/io", "B"] == (4.0, 3.0, 5.0)
    assert found["xl710/128bit/ring1024/fast-free/io/hot", "recycle_mbufs"] == (0.75, 0.7, 0.8)
    assert found["pipeline/zc", "zc"] == ((0.9 + 0.95) / 2, 0.9, 0.95)


def test_beside():
    """What is measured beside a cost has a case of its own, and no ratio."""
    assert [one for one in made() if one.case == "pipeline/zc/dropped"] == [results.Sample("pipeline/zc/dropped", "copy", 1, 1, 0.0, "figure"),
                                                                            results.Sample("pipeline/zc/dropped", "zc", 1, 1, 2.5, "figure")]
    assert "pipeline/zc/dropped" not in dict(results.ratios_of(made()))


def test_table():
    """A case that one run did not measure has an empty cell there."""
    some = [one for one in made() if not one.case.startswith("pipeline")]
    lines = results.table([results.Run(FACTS, made()), results.Run({**FACTS, "cpu": "other"}, some)]).splitlines()
    assert lines[0] == "| case | AMD EPYC family 25 model 17, 2026-11-24 | other, 2026-11-24 |"
    assert lines[2] == "| null/io | 4.000 (3.000-5.000) | 4.000 (3.000-5.000) |"
    assert lines[4] == "| pipeline/zc: zc | 0.925 (0.900-0.950) |  |"
    assert len(results.table([results.Run(FACTS, made())], "recycle").splitlines()) == 3


@pytest.mark.parametrize("text, message", [("case,value\n", "expected the columns"),
                                           (",".join(results.COLUMNS) + "\nnull/io,A,1,1,fast,packets/s,,\n", "line 2: could not convert")])
def test_bad_file(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        results.read(path)


def test_kept():
    """What is in the folder says what it was measured on, and with what."""
    assert len(results.kept()) > 20
    for path in results.kept():
        facts, samples = results.read(path)
        assert {"date", "commit", "cpu", "caches", "A", "B", "method"} <= set(facts) and samples, path
        assert "with changes" not in facts["commit"] and "flags" in facts["A"] + facts["B"], path
