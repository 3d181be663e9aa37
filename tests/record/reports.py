# SPDX-License-Identifier: BSD-3-Clause
"""Reports of recordings that are made once."""
import html.parser
import pathlib

import pytest

from recorded import read

VOID = {"meta", "source", "img", "br"}


class Page(html.parser.HTMLParser):
    """Tags that match, tables as rows of text, everything that refers elsewhere."""

    def __init__(self, path):
        super().__init__()
        self.text = path.read_text(encoding="utf-8")
        self.open, self.tables, self.links, self.alts, self.heads, self.data = [], {}, [], [], [], ""
        self.feed(self.text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.rows = self.tables[attrs["id"]] = []
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        self.links += [attrs[name] for name in ("src", "href", "srcset") if name in attrs]
        if tag == "img":
            self.alts.append(attrs["alt"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] in (["th"], ["td"]):
            self.rows[-1][-1] += data
        if self.open[-1:] in (["h1"], ["h2"]):
            self.heads.append(data)
        if self.open[-1:] == ["script"]:
            self.data += data

    def cells(self, table):
        heads, *rows = self.tables[table]
        return [dict(zip(heads, row)) for row in rows]


@pytest.fixture(name="drawn")
def fixture_drawn():
    pytest.importorskip("matplotlib")


@pytest.fixture(name="drawn_once")
def fixture_drawn_once(drawn, monkeypatch):
    """Each plot once, as PLOT.svg, instead of in all schemes, widths and formats."""
    from zcfwd_report import page, plots  # pylint: disable=import-outside-toplevel

    def picture(plot, folder):
        svg = plots.picture(plot, plots.WIDE).drawn(plots.LIGHT, "svg")
        (pathlib.Path(folder) / f"{plot.name}.svg").write_bytes(svg)
        assert b"</svg>" in svg
        return f'<img alt="{html.escape(plot.title)}"><p>{html.escape(plot.text)}</p>'
    monkeypatch.setattr(page, "picture", picture)


@pytest.fixture(name="sketch")
def fixture_sketch(drawn_once, tmp_path):
    """The page of these recordings."""
    def sketch(*files):
        from zcfwd_report import page  # pylint: disable=import-outside-toplevel
        return Page(pathlib.Path(page.write([read.recording(str(file)) for file in files], str(tmp_path / "out"), "title")))
    return sketch
