# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-report's pictures: what they say about themselves, in all formats, colours and widths; their axes; how often they are drawn."""
import base64
import html
import json
import re
import subprocess
import sys

import pytest

from conftest import ROOT
from made_recordings import S, begin, header, interval, known, report
from recorded import read

pytestmark = pytest.mark.zcfwd
pytest.importorskip("matplotlib")
from zcfwd_report import chart, page, plots  # noqa: E402 pylint: disable=wrong-import-position


def texts(svg):
    """The texts of an SVG file, in the order of drawing."""
    return [html.unescape(text) for text in re.findall("<!-- (.*?) -->", svg)]


def several(path):
    """Two engines, three bursts of packets, on two ports, in one recording."""
    ports = [{**header()["ports"][0], "port": port, "name": f"0000:0{port}:00.0"} for port in (0, 1)]
    lines = [header()]
    for number, (engine, burst) in enumerate((("io", 8), ("io", 16), ("mac", 32)), 1):
        lines += [begin(number, engine, 100 + 2 * number, ports=ports, settings={"burst": burst}), interval(number, 101 + 2 * number, 1_000_000)]
    path.write_text("".join(json.dumps(line) + "\n" for line in [*lines, {"type": "stop", "run": 0, "mono_ns": 120 * S}]), encoding="utf-8")
    return path


MACHINE = "C, 2 cores (h); 2026-01-02T03:04:05Z; zcfwd 0.1.0, DPDK 22.11.11"


def test_about(tmp_path):
    """Title, engine, burst, ports, machine and date are in each picture: in the files, and in all variants of the page."""
    assert report(several(tmp_path / "r"), "-o", tmp_path / "out").returncode == 0
    of_all = "engine io, mac; burst 8, 16, 32; ports 0000:00:00.0, 0000:01:00.0 (net_x)"
    expected = {"comparison": ["Runs side by side", of_all], "time-1": ["Over time: r", of_all], "pools-1": ["Free mbufs: r", of_all]}
    for number, (engine, burst) in enumerate((("io", 8), ("io", 16), ("mac", 32)), 1):
        about = f"engine {engine}; burst {burst}; ports 0000:00:00.0, 0000:01:00.0 (net_x)"
        label = f"run {number} {engine}, burst {burst}"
        expected.update({f"bursts-{number}": ["Burst sizes by stream: " + label, about], f"heat-{number}": ["Burst sizes over time: " + label, about]})
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for name, head in expected.items():
        head = [*head, MACHINE]
        assert texts((tmp_path / "out" / f"{name}.svg").read_text(encoding="utf-8"))[:3] == head
        figure = re.search(f'<figure id="{name}">.*?</figure>', text)[0]
        variants = [base64.b64decode(data).decode("utf-8") for data in re.findall(r"base64,([^\"]*)\"", figure)]
        assert len(variants) == 4 and len(set(variants)) == 4
        for svg in variants:
            assert " ".join(texts(svg)).startswith(" ".join(head)), name
    recording = read.recording(str(tmp_path / "r"))
    picture = plots.picture(plots.Plot("x", "T", "", plots.over_time(recording, {}), page.about([(recording, run) for run in recording.runs])), plots.WIDE)
    drawn = [shape[3] for shape in picture.shapes if shape[0] == "text"]
    assert drawn[:3] == ["T", of_all, MACHINE] and picture.drawn(plots.LIGHT, "png").startswith(b"\x89PNG")


def test_about_many(tmp_path):
    """Of many values the first four, and how many more; nothing of a burst that an older recording does not have."""
    recording = read.recording(str(known(tmp_path / "a")))
    assert page.about([(recording, recording.runs[0])]) == ("engine io; ports net_x (net_x)", MACHINE)
    assert page.several("abcde") == "a, b, c, d and 1 more" and page.several("aab") == "a, b"


def first_plots(path):
    recording = read.recording(str(path))
    marks = {run.number: f"{run.number}: {run.engine}" for run in recording.runs}
    return {"steps": plots.over_time(recording, marks), "bars": plots.distribution(recording.runs[0]), "heat": plots.heat(recording, recording.runs[0], "rx_bursts", "Received"),
            "boxes": plots.comparison([("a", recording.runs[0])] * 2, [1000, 1000]), "pools": plots.pool_levels(recording, marks)}


@pytest.mark.parametrize("name", ["steps", "bars", "heat", "boxes", "pools"])
def test_dark(tmp_path, name):
    """The dark picture is the same whether it is made of the light one or drawn, and has no colour of the light one."""
    plot = plots.Plot("x", "T", "", first_plots(several(tmp_path / "r"))[name], ("about",))
    picture = plots.picture(plot, plots.WIDE)
    light, dark = (picture.drawn(scheme, "svg") for scheme in (plots.LIGHT, plots.DARK))
    assert light != dark == plots.picture(plot, plots.WIDE).drawn(plots.DARK, "svg")
    colours = [set(re.findall(rb"#[0-9a-f]{6}", svg)) for svg in (light, dark)]
    assert colours[0] and not colours[0] & colours[1]


def test_drawn_as_little_as_possible(tmp_path, monkeypatch):
    """A picture is drawn for each width and for PNG; for the other scheme only if it has a heat map. pyplot, which takes long to load, is not."""
    drawn, of = [], chart.Shapes.draw
    monkeypatch.setattr(chart.Shapes, "draw", lambda self, renderer: (drawn.append(self.scheme.name), of(self, renderer))[1])
    for name, times in (("steps", 3), ("bars", 3), ("heat", 5)):
        drawn.clear()
        page.picture(plots.Plot(name, "T", "", first_plots(known(tmp_path / "r"))[name]), str(tmp_path))
        assert len(drawn) == times, name
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'app/tools')!r})\n"
                           "from zcfwd_report import page, rate_page, mempool_page\nprint('matplotlib.pyplot' in sys.modules)"],
                          capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "False\n"


def ticks(axis, values, length=400, room=40):
    axis.fit(values)
    marks = axis.marks(length, room)
    return " ".join(text for _, text in marks), [round(share, 3) for share, _ in marks]


def test_axes():
    """Ticks are round numbers where they belong, on all scales."""
    for axis, values, words, shares in (
            (chart.Axis(low=0, high=10), [3], "0 2 4 6 8 10", [0, 0.2, 0.4, 0.6, 0.8, 1]),
            (chart.Axis(low=0, high=0.5), [], "0.0 0.1 0.2 0.3 0.4 0.5", [0, 0.2, 0.4, 0.6, 0.8, 1]),
            (chart.Axis(tight=True), [100, 200, float("nan")], "100 120 140 160 180 200", [0, 0.2, 0.4, 0.6, 0.8, 1]),
            (chart.Axis(low=0), [100], "0 20 40 60 80 100", [0, 0.192, 0.385, 0.577, 0.769, 0.962]),  # 4 % more than the values
            (chart.Axis(tight=True, scale="log"), [100, 10000, 0, -5], "100 200 500 1000 2000 5000 10000", [0, 0.151, 0.349, 0.5, 0.651, 0.849, 1]),
            (chart.Axis(tight=True, scale="log", base=2), [64, 1024], "64 128 256 512 1024", [0, 0.25, 0.5, 0.75, 1]),
            (chart.Axis(low=0, high=100, scale="symlog"), [], "0 0.01 0.1 1 10 100", [0, 0.2, 0.4, 0.6, 0.8, 1]),
            (chart.Axis(names=["a", "b"]), [], "a b", [0.75, 0.25]),
            (chart.Axis(low=0, high=8, ticks=[(0, "none"), (8, "all"), (9, "more")]), [], "none all", [0, 1]),
            (chart.Axis(tight=True, scale="log", form=lambda value: f"<{value:g}>"), [1, 10], "<1> <2> <5> <10>", [0, 0.301, 0.699, 1]),
            (chart.Axis(), [], "0.0 0.2 0.4 0.6 0.8 1.0", [0.037, 0.222, 0.407, 0.593, 0.778, 0.963]), (chart.Axis(), [5, 5], "4.6 4.8 5.0 5.2 5.4", [0.1, 0.3, 0.5, 0.7, 0.9])):
        assert ticks(axis, values) == (words, shares)
    # A shorter axis has fewer.
    assert ticks(chart.Axis(low=0, high=10), [], 100)[0] == "0 5 10"
    assert ticks(chart.Axis(tight=True, scale="log"), [1, 1e9], 200)[0] == "1 100 10000 1e+06 1e+08"


def test_heat_map():
    """Columns as wide as their intervals, from the first to the last; the lowest row first; shares from nothing to all."""
    panel = chart.Panel(chart.Axis(tight=True), chart.Axis(tight=True))
    panel.heat([0, 1, 4], [0.5, 1.5, 2.5], [[0, 100], [100, 0]])
    (image, scale) = (shape for shape in chart.Picture("", (), chart.Chart([panel]), 9).shapes if shape[0] == "image")
    levels = image[-1]
    assert [set(row[:levels.shape[1] // 4 - 1]) for row in levels.tolist()] == [{0}, {255}]
    assert [set(row[levels.shape[1] // 4 + 1:]) for row in levels.tolist()] == [{255}, {0}]
    assert scale[-1][:, 0].tolist() == list(range(256))
    light, dark = (chart.heat_colours(scheme.heat) for scheme in (plots.LIGHT, plots.DARK))
    assert light[0].tolist() == [255, 255, 255, 255] and dark[0].tolist() == [0x14, 0x18, 0x1D, 255] and light[255].tolist() == [8, 0x30, 0x6B, 255]


def placed(shape):
    """The points of a path as parts of its panel, from its lower left corner."""
    _, path, *_, (left, top, right, bottom) = shape
    return [(round((x - left) / (right - left), 3), round((bottom - y) / (bottom - top), 3)) for x, y in path.vertices]


def test_lines():
    """Steps from edge to edge, also where two panels share an axis; a line ends before a value that is not known and begins after it; what is above the
    axis is drawn above the panel, and cut off there."""
    x = chart.Axis(low=0, high=4)
    for panel in (panels := [chart.Panel(x, chart.Axis(low=0, high=10)), chart.Panel(x, chart.Axis(low=0, high=20))]):
        panel.steps([0, 1, 2, 3, 4], [1, float("nan"), 3, 20], 0)
    shapes = [shape for shape in chart.Picture("", (), chart.Chart(panels), 9).shapes if shape[0] == "path" and shape[2] == 0]
    assert [shape[1].codes.tolist() for shape in shapes] == [[1, 2, 1, 2, 2, 2]] * 2
    assert placed(shapes[0]) == [(0, 0.1), (0.25, 0.1), (0.5, 0.3), (0.75, 0.3), (0.75, 2), (1, 2)]
    assert placed(shapes[1]) == [(0, 0.05), (0.25, 0.05), (0.5, 0.15), (0.75, 0.15), (0.75, 1), (1, 1)]


def test_boxes():
    """Boxes from corner to corner; without an end they go as far as the panel; one that has no place on the axis is not drawn."""
    panel = chart.Panel(chart.Axis(low=1, high=100, scale="log"), chart.Axis(low=0, high=10))
    panel.boxes([(1, 10, 0, 5), (10, None, None, None), (0, 10, 0, 5)], 3)
    (shape,) = (shape for shape in chart.Picture("", (), chart.Chart([panel]), 9).shapes if shape[0] == "path" and shape[5] == 3)
    assert placed(shape) == [(0, 0), (0.5, 0), (0.5, 0.5), (0, 0.5), (0, 0), (0.5, 0), (1, 0), (1, 1), (0.5, 1), (0.5, 0)]


def test_long_texts():
    """Words are wrapped where they have no room, and cut where they have no line: nothing is outside of the picture."""
    name = "engine io, burst 32, recycle on, " + "x" * 200
    panel = chart.Panel(chart.Axis("Mpps", 0), chart.Axis(names=[name] * 2), 46)
    panel.line([1, 2], [0, 1], 0, label=name)
    for inches in (plots.WIDE, plots.NARROW):
        picture = chart.Picture(name, (name,), chart.Chart([panel]), inches)
        for kind, *shape in picture.shapes:
            if kind == "text" and not shape[5]:
                assert 0 <= shape[0] and shape[0] + chart.text_width(shape[2], shape[3].get_size(), shape[3].get_weight() == "bold") <= picture.width, shape[2]
                assert 0 < shape[1] < picture.height
    assert chart.wrapped("a bb ccc", 9, chart.text_width("a bb", 9)) == ["a bb", "ccc"] and chart.wrapped("", 9, 50) == [""]
    assert chart.wrapped("aaaa", 9, chart.text_width("aa", 9)) == ["aa", "aa"] and chart.wrapped("a b c", 9, 1, most=2) == ["a", "…"]
