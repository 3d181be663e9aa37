# SPDX-License-Identifier: BSD-3-Clause
"""The first sentences of zcfwd-report's page: what happened in recordings that are known by heart."""
import json

import pytest

from made_recordings import S, begin, header, interval, written
from recorded import compared, read, summary

pytestmark = pytest.mark.zcfwd


def words(*paths):
    recordings = [read.recording(str(path)) for path in paths]
    return summary.of_page(compared.runs_of(recordings), *compared.figures_of(recordings))


def timeline(path, mpps, every=S, lost_cpu=(), more=None):
    """A run from 0 s on, of intervals with these Mpps; nothing was lost. lost_cpu: in these intervals lcore 2 had its CPU for a quarter of the time."""
    lines = [header(every_ms=every // 10**6), begin(1, "io", 100, sends_packets=True)]
    for place, rate in enumerate(mpps):
        line = interval(1, 100 + (place + 1) * every / S, round(rate * 1e6 * every / S), every)
        line["ports"][0].update(rx_missed=0)
        line["groups"]["cpu"] = [{"lcore": 1, "run_ns": every, "wait_ns": 0, "preempted": 0, "loop_ns": every},
                                 {"lcore": 2, "run_ns": every // (4 if place in lost_cpu else 1), "wait_ns": every * 3 // 4 if place in lost_cpu else 0,
                                  "preempted": 3, "loop_ns": every}]
        line.update(more or {})
        lines.append(line)
    return written(path, *lines)


@pytest.mark.parametrize("mpps, sentence", [
    ([7.21] * 10, "7.21 Mpps, steady within 1 %."),
    ([3, 7.21, 7.3, 7.2, 7.1, 7.21, 7.4, 7.2, 7.21, 7.21], "6.80 Mpps, steady within 3 %."),  # the first interval, in which the run started, is not judged
    ([7.21, 0.005, 7.21], "4.81 Mpps."),  # three intervals say nothing about steadiness, and each as much about throughput
    ([10] * 4 + [4] * 2 + [10] * 4, "Throughput fell by 60 % from 4.0 s to 6.0 s; the median interval had 10.0 Mpps."),
    ([10] * 4 + [4, 5] + [10] * 4, "Throughput fell by 55 % from 4.0 s to 6.0 s; the median interval had 10.0 Mpps."),
    ([10] * 4 + [25] + [10] * 4, "Throughput rose by 150 % from 4.0 s to 5.0 s; the median interval had 10.0 Mpps."),
    ([10] * 6 + [0] * 2 + [10] * 3, "Throughput was 0 from 6.0 s to 8.0 s; the median interval had 10.0 Mpps."),
    ([10] * 6 + [5] * 4, "Throughput fell by 50 % at 6.0 s; the median interval had 10.0 Mpps."),
    ([4] * 3 + [10] * 6, "Throughput rose by 150 % at 3.0 s; the median interval had 10.0 Mpps."),
    ([1] * 5 + [3] * 5, "Throughput rose by 200 % at 5.0 s; the median interval had 1.00 Mpps."),
    ([3] * 6 + [1] * 6, "Throughput fell by 67 % at 6.0 s; the median interval had 1.00 Mpps."),
    ([0, 0, 0, 10, 10, 10, 10, 10, 10], "Throughput was 0 from 0.0 s to 3.0 s; the median interval had 10.0 Mpps."),
    ([10] * 6 + [0] * 4, "Throughput was 0 from 6.0 s on; the median interval had 10.0 Mpps."),
    ([10, 4, 4, 10, 10, 10, 10], "Throughput fell by 60 % from 1.0 s to 3.0 s; the median interval had 10.0 Mpps."),
    ([1, 5, 5, 10, 10, 10, 10], "Throughput rose by 100 % at 3.0 s; the median interval had 10.0 Mpps."),  # by the mean without the first interval
    ([10] * 3 + [8] + [10] * 4 + [5] * 2 + [10] * 4 + [12] + [10] * 3,
     "Throughput fell by 50 % from 8.0 s to 10.0 s, and changed 2 more times; the median interval had 10.0 Mpps."),
    ([10, 14, 9, 15, 10, 13, 8, 12, 9, 14], "11.4 Mpps, varying from 8.40 Mpps to 14.6 Mpps."),  # as large as from each interval to the next
    ([10, 10.9, 9.1, 10, 10, 10], "10.0 Mpps, steady within 8 %."),  # the 5th to the 95th percentile
    ([10] * 4 + [9.01] * 2 + [10] * 4, "9.80 Mpps, steady within 10 %."),  # no tenth
    ([0.000061] * 5, "61.0 pps, steady within 1 %."),
    ([0.0456] * 5, "45.6 kpps, steady within 1 %."),
    ([0, 0, 0, 0, 5], "1.00 Mpps; no packet was sent in 4 of 5 intervals."),
    ([0] * 4, "No packet was sent."),
])
def test_throughput(tmp_path, mpps, sentence):
    assert words(timeline(tmp_path / "r", mpps)).removesuffix(" No packet was lost.") == sentence


@pytest.mark.parametrize("every, sentence", [
    (S // 10, "Throughput fell by 60 % from 0.4 s to 0.6 s; the median interval had 10.0 Mpps. No packet was lost."),
    (S // 20, "Throughput fell by 60 % from 0.20 s to 0.30 s; the median interval had 10.0 Mpps. No packet was lost."),
    (S // 1000, "Throughput fell by 60 % from 0.004 s to 0.006 s; the median interval had 10.0 Mpps. No packet was lost.")])
def test_times(tmp_path, every, sentence):
    """Times have the digits that intervals have."""
    assert words(timeline(tmp_path / "r", [10] * 4 + [4] * 2 + [10] * 4, every)) == sentence


def test_cause(tmp_path):
    """An lcore that had no CPU while throughput fell is named, and none that had none at another time, or while it rose."""
    fell = [10] * 4 + [4] * 2 + [10] * 4
    assert words(timeline(tmp_path / "r", fell, lost_cpu=(4, 5))).startswith(
        "Throughput fell by 60 % from 4.0 s to 6.0 s, while lcore 2 had its CPU for 25 % of the time; the median")
    assert words(timeline(tmp_path / "r", [5] * 3 + [10] * 6, lost_cpu=(0, 1, 2))).startswith(
        "Throughput rose by 100 % at 3.0 s, before which lcore 2 had its CPU for 25 % of the time; the median")
    assert words(timeline(tmp_path / "r", [0] * 3 + [10] * 6, lost_cpu=(0, 1, 2))).startswith(
        "Throughput was 0 from 0.0 s to 3.0 s, while lcore 2 had its CPU for 25 % of the time; the median")
    assert "lcore" not in words(timeline(tmp_path / "r", fell, lost_cpu=(3, 6)))
    assert "lcore" not in words(timeline(tmp_path / "r", [10] * 4 + [20] * 2 + [10] * 4, lost_cpu=(4, 5)))


@pytest.mark.parametrize("loss, ports, streams, sentence", [
    ({"offered": 1000, "lost": 0}, {}, {}, "No packet was lost."),
    ({"offered": 1000, "lost": 2, "unsent": 7}, {}, {}, "0.2000 % of the packets were lost (8 of 4000). 28 packets were due and not sent in time."),
    ({"offered": 2**40, "lost": 1}, {}, {}, "less than 0.0001 % of the packets were lost (4 of 4398046511104)."),
    ({"offered": 1000, "lost": 20}, {"rx_missed": 11}, {"tx_dropped": 9},
     "2.0000 % of the packets were lost (80 of 4000), mostly because no Rx descriptor was free."),
    ({"offered": 1000, "lost": 20}, {"rx_missed": 9, "rx_nombuf": 99}, {"tx_dropped": 11},
     "2.0000 % of the packets were lost (80 of 4000), mostly because the Tx ring was full."),
    ({"offered": 1000, "lost": 20}, {"rx_missed": 10}, {"tx_dropped": 10}, "2.0000 % of the packets were lost (80 of 4000)."),
    ({"offered": 1000}, {}, {}, "The loss is unknown."),
])
def test_loss(tmp_path, loss, ports, streams, sentence):
    path = timeline(tmp_path / "r", [1] * 4, more={"loss": loss})
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines[2:]:
        line["ports"][0].update(ports)
        line["streams"][0].update(streams)
    told = words(written(path, *lines))
    assert told == "1.00 Mpps, steady within 1 %. " + summary.capital(sentence)


def test_engines_that_never_send(tmp_path):
    path = timeline(tmp_path / "r", [0] * 4)
    text = path.read_text(encoding="utf-8").replace('"sends_packets": true', '"sends_packets": false')
    path.write_text(text, encoding="utf-8")
    assert words(path).startswith("No packet was received.")


def comparison(path, ratios, runs=7, loss=None, lost_cpu=(), slower=()):
    """A comparison of bursts of 8, 16, ...: 10 Mpps times the ratio, in each other round 1 % more; in rounds of slower, 30 % less for all but the first."""
    lines, number = [header()], 0
    for round_ in range(1, runs + 1):
        for combination, ratio in enumerate(ratios):
            number += 1
            rate = 10e6 * ratio * (1 + round_ % 2 / 100) * (0.7 if combination and round_ in slower else 1)
            trial = {"comparison": 1, "round": round_, "combination": combination, "names": ["burst"]}
            one, end = (interval(number, 100 + 2 * number + 1, round(rate), kind=kind) for kind in ("interval", "end"))
            one["loss"] = {"offered": 10**6, "lost": (loss or {}).get(combination, 0)}
            lost = (combination, round_) in lost_cpu
            one["groups"]["cpu"] = [{"lcore": 1, "run_ns": S // 2 if lost else S, "wait_ns": S // 2 if lost else 0, "preempted": 1, "loop_ns": S}]
            lines += [begin(number, "io", 100 + 2 * number, settings={"burst": 8 << combination}, compare=trial), one, end]
    return written(path, *lines, {"type": "stop", "run": 0, "mono_ns": 999 * S})


@pytest.mark.parametrize("ratios, more, sentence", [
    ((1, 1.205), {}, "burst 16 was 20.5 % faster than burst 8 (ratio 1.205 [1.205, 1.205], 98.4 % confidence)"),
    ((1, 0.9), {}, "burst 16 was 10.0 % slower than burst 8 (ratio 0.900 [0.900, 0.900], 98.4 % confidence)"),
    ((1, 2.5), {}, "burst 16 was 150 % faster than burst 8 (ratio 2.500 [2.500, 2.500], 98.4 % confidence)"),
    ((1, 1.2), {"slower": (1,)}, "no difference between burst 16 and burst 8 is shown (ratio 1.200 [0.840, 1.200], 98.4 % confidence)"),
    ((1, 1), {}, "no difference between burst 16 and burst 8 is shown (ratio 1.000 [1.000, 1.000], 98.4 % confidence)"),
    ((1, 1.2), {"runs": 5}, "burst 16 was 20.0 % faster than burst 8 (ratio 1.200), but too few runs for a 95 % interval: no difference is shown"),
    ((1, 1.2), {"runs": 1}, "burst 16 was 20.0 % faster than burst 8 (ratio 1.200), but too few runs for a 95 % interval: no difference is shown"),
    ((1, 1.2, 1.3, 0.9), {}, "burst 32 was the fastest of 4: 30.0 % faster than the first, burst 8 (ratio 1.300 [1.300, 1.300], 98.4 % confidence)"),
    ((1, 0.7, 0.9), {}, "the first, burst 8, was the fastest of 3: the next, burst 32, was 10.0 % slower (ratio 0.900 [0.900, 0.900], 98.4 % confidence)"),
    ((1, 0.7, 1.01), {"slower": (1, 2)}, "none of 3 is shown to be faster than the first, burst 8; the highest of the others was burst 32 "
                                         "(ratio 1.010 [0.707, 1.010], 98.4 % confidence)"),
    ((1, 0.7, 1.2), {"runs": 3}, "burst 32 had the highest throughput of 3, but too few runs for a 95 % interval: no difference is shown"),
    ((1, 0.7, 0.8), {"runs": 3}, "burst 8 had the highest throughput of 3, but too few runs for a 95 % interval: no difference is shown"),
    ((0, 1, 2), {}, "no ratio to burst 8 is known"),
])
def test_comparison(tmp_path, ratios, more, sentence):
    assert words(comparison(tmp_path / "r", ratios, **more)) == summary.capital(sentence) + ". No packet was lost."


def test_comparison_with_losses(tmp_path):
    """What was lost, and runs that lost their CPU, after the ratio."""
    path = comparison(tmp_path / "r", (1, 1.2), 9, loss={0: 10, 1: 5}, lost_cpu=((0, 1), (1, 1), (1, 2)))
    assert words(path).endswith("98.4 % confidence). The largest loss was 0.0010 % (burst 8). In 3 of 18 runs an lcore lost its CPU; 3 of these are left out.")
    path = comparison(tmp_path / "r", (1, 1.2), lost_cpu=[(0, round_) for round_ in range(1, 5)])
    assert words(path).endswith("In 4 of 14 runs an lcore lost its CPU; too few others remain, so all count.")


def recordings(tmp_path, *rates, settings=({},)):
    """A recording of a run for each rate."""
    for place, mpps in enumerate(rates):
        yield written(tmp_path / f"r{place}", header(), begin(1, "io", 100, settings=settings[place % len(settings)]),
                      {**interval(1, 101, round(mpps * 1e6)), "loss": {"offered": 10**6, "lost": 1000 * place}})


def test_runs(tmp_path):
    """Several recordings: those with the same settings together; an interval from four runs of each on."""
    burst = ({"burst": 8}, {"burst": 32})
    assert words(*recordings(tmp_path, 5, 4, 6)) == "3 runs with the same settings: 5.00 Mpps, from 4.00 Mpps to 6.00 Mpps."
    assert words(*recordings(tmp_path, 4, 6, settings=burst)) == (
        "Burst 32 was 50.0 % faster than burst 8 (ratio 1.500), but too few runs for a 95 % interval: no difference is shown. "
        "The largest loss was 0.1000 % (r1, run 1).")
    assert words(*recordings(tmp_path, 4, 6, 5, 6.1, 4.5, 7, 4.1, 6.2, settings=burst)).startswith(
        "Burst 32 was 43.0 % faster than burst 8 (ratio 1.430 [1.200, 1.750], 97.1 % confidence).")
    assert words(*recordings(tmp_path, 4, 6, 6.05, 6.1, 4.5, 7, 4.1, 6.2, settings=burst)).startswith(
        "No difference between burst 32 and burst 8 is shown (ratio 1.430 [0.992, 1.750], 97.1 % confidence).")


def test_runs_by_file(tmp_path):
    """Recordings that differ in much are called by their names."""
    many = ({"a": 1, "b": 1, "c": 1, "d": 1}, {"a": 2, "b": 2, "c": 2, "d": 2})
    assert words(*recordings(tmp_path, 4, 6, settings=many)).startswith("R1 was 50.0 % faster than r0 ")


def test_both(tmp_path):
    """A page with a comparison and another run has sentences of both, each with the name of its file."""
    told = words(comparison(tmp_path / "c", (1, 2)), timeline(tmp_path / "r.jsonl", [7.21] * 5))
    assert told == ("Comparison 1 of c: burst 16 was 100 % faster than burst 8 (ratio 2.000 [2.000, 2.000], 98.4 % confidence). No packet was lost. "
                    "r.jsonl: 7.21 Mpps, steady within 1 %. No packet was lost.")
