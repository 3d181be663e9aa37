# SPDX-License-Identifier: BSD-3-Clause
"""Charts of panels with axes. matplotlib draws their shapes and letters; its own Axes would take ten times as long for the pictures of a page."""
import functools
import io
import math
import re
import warnings

import matplotlib

warnings.filterwarnings("ignore", "Glyph .* missing")  # unknown characters of names are drawn as boxes
import numpy  # noqa: E402
from matplotlib.artist import Artist  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap, to_rgba  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.font_manager import FontProperties  # noqa: E402
from matplotlib.path import Path  # noqa: E402
from matplotlib.textpath import text_to_path  # noqa: E402
from matplotlib.ticker import MaxNLocator  # noqa: E402
from matplotlib.transforms import Affine2D, Bbox  # noqa: E402

# Lengths are points (1/72 inch), from the upper left corner of a picture. Colours are members of plots.Scheme, or numbers of its lines.
POINTS = 72
DPI = 150  # of PNG files, and of heat maps in SVG files
SIZE, SMALL, TITLE = 9, 7.5, 11  # of letters
LINE = 1.3  # height of a line of text, relative to its letters
EDGE = 6  # around a picture
TICK = 3
ROOM = 20  # between ticks of a vertical axis
NAMES_SHARE = 0.4  # of a picture's width that names of rows may have
NAME_LINES = 2
LEVELS = 256  # colours of a heat map
HEAT_POWER = 0.4  # makes small shares visible
SCALE_TICKS = (0, 1, 5, 20, 50, 100)  # % at the scale of a heat map
SCALE_WIDTH = 62
FAR = 1e6  # what is farther outside of a panel is drawn there
DASHES = {"-": (), "--": (3.7, 1.6), "-.": (6.4, 1.6, 1, 1.6), ":": (1, 1.65)}  # relative to the line's width
MARKS = {"o": (Path.unit_circle(), True), "D": (Path([(0, -1), (1, 0), (0, 1), (-1, 0), (0, -1)]), True),
         "x": (Path([(-1, -1), (1, 1), (-1, 1), (1, -1)], [Path.MOVETO, Path.LINETO, Path.MOVETO, Path.LINETO]), False)}


@functools.lru_cache(maxsize=None)
def font(size, bold=False):
    """Return matplotlib's properties of a font."""
    return FontProperties(size=size, weight="bold" if bold else "normal")


@functools.lru_cache(maxsize=10000)
def text_width(text, size, bold=False):
    """Return the width of a text."""
    return text_to_path.get_text_width_height_descent(text, font(size, bold), False)[0] if text else 0


def wrapped(text, size, room, bold=False, most=None):
    """Return the lines of a text in this room; of longer words as many characters as fit, and of more lines than most an ellipsis."""
    lines, words = [], text.split(" ")
    while words:
        word = words.pop(0)
        longer = lines[-1] + " " + word if lines else word
        if lines and text_width(longer, size, bold) <= room:
            lines[-1] = longer
            continue
        fits = len(word)
        while fits > 1 and text_width(word[:fits], size, bold) > room:
            fits = min(fits - 1, max(1, int(fits * room / text_width(word[:fits], size, bold))))
        if word[fits:]:
            words.insert(0, word[fits:])
        lines.append(word[:fits])
    return lines if most is None or len(lines) <= most else [*lines[:most - 1], lines[most - 1][:-1] + "…"]


class Axis:
    """A horizontal or vertical axis. Panels that have the same Axis share it. low, high: its ends, otherwise those of what is drawn. names: of the rows
    0, 1, ...; ticks: [(value, text)]; scale: linear, log, or symlog, which is linear below the value linear; form: makes the text of a value."""

    def __init__(self, label="", low=None, high=None, scale="linear", linear=0.01, base=10, ticks=None, names=None, form=None, tight=False):
        self.label, self.low, self.high, self.scale, self.linear, self.base = label, low, high, scale, linear, base
        self.ticks, self.names, self.form, self.tight = ticks, names, form, tight
        self.ends = None

    def to(self, values):
        """Return where values are on the axis, before it has a length; nan: not on it."""
        values = numpy.asarray(values, float)
        with numpy.errstate(all="ignore"):
            if self.scale == "log":
                return numpy.log10(numpy.where(values > 0, values, numpy.nan))
            if self.scale == "symlog":
                far = numpy.abs(values) / self.linear
                return numpy.sign(values) * numpy.where(far > 1, 1 + numpy.log10(far), far)
        return values

    def fit(self, values):
        """Set the ends, around these values unless they are given."""
        if self.names is not None:
            self.ends = len(self.names) - 0.5, -0.5
            return
        known = self.to([*values, *(end for end in (self.low, self.high) if end is not None)])
        known = known[numpy.isfinite(known)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        margin = 0 if self.tight else 0.04 * (high - low)
        low = low - margin if self.low is None else float(self.to(self.low))
        high = high + margin if self.high is None else float(self.to(self.high))
        if not high - low > 1e-9 * max(abs(low), abs(high)):  # also of numbers that are too large for a difference
            low, high = (low if self.low is not None else low - 0.5 * max(1, abs(low) * 1e-3)), high + 0.5 * max(1, abs(high) * 1e-3)
        self.ends = low, high

    def share(self, values):
        """Return where values are on the axis: 0 is its begin, 1 its end."""
        low, high = self.ends
        with numpy.errstate(all="ignore"):
            return (self.to(values) - low) / (high - low)

    def inverse(self, shares):
        """Return the values at these shares of a linear axis."""
        low, high = self.ends
        return low + shares * (high - low)

    def marks(self, length, room):
        """Return [(share, text)] of the ticks on an axis of this length, of which each has this room at least."""
        if self.names is not None:
            return [(float(self.share(place)), name) for place, name in enumerate(self.names)]
        values = [value for value, _ in self.ticks] if self.ticks is not None else self.values(max(2, min(9, int(length / room))))
        texts = dict(self.ticks) if self.ticks is not None else dict(zip(values, self.form_all(values)))
        shares = [(float(share), texts[value]) for value, share in zip(values, self.share(values))]
        return [(share, text) for share, text in shares if -1e-6 <= share <= 1 + 1e-6]

    def form_all(self, values):
        """Return the texts of values."""
        return list(map(self.form, values)) if self.form else plain(values) if self.scale == "linear" else ["%g" % value for value in values]

    def values(self, most):
        """Return the values of at most about this many ticks."""
        low, high = self.ends
        if self.scale == "linear":
            return [0.0 if abs(value) < 1e-12 * (high - low) else float(value)
                    for value in MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)]
        if self.scale == "symlog":
            return [0.0] + [self.linear * 10.0 ** power for power in range(0, max(0, min(300, math.floor(high))))]
        per = math.log10(self.base)
        first, last = math.floor(low / per), math.ceil(high / per)
        step = max(1, -(-(last - first) // most))
        parts = (1, 2, 5) if self.base == 10 and 3 * (last - first) <= most + 3 else (1,)
        return [part * float(self.base) ** power for power in range(first, last + 1, step) for part in parts]


def plain(values):
    """Return the texts of numbers, all with as many digits as the one that needs most."""
    if any(abs(value) >= 1e7 for value in values):
        return ["%g" % value for value in values]
    for digits in range(7):
        texts = ["%.*f" % (digits, value) for value in values]
        if all(abs(float(text) - value) <= 1e-6 * abs(value) for text, value in zip(texts, values)):
            return texts
    return ["%g" % value for value in values]


class Panel:
    """Axes and what is drawn in them. notes: [(x, text)] above it."""

    def __init__(self, x, y, height=130, title=""):
        self.x, self.y, self.height, self.title = x, y, height, title
        self.drawn, self.notes, self.heat_map = [], [], None
        self.seen = ([], [])  # values that the axes have to have

    def line(self, xs, ys, colour, width=1.4, dash="-", mark=None, label=None, alpha=1.0):
        """Draw a line through points, with gaps where a value is nan. mark: o, x or D at each point; width 0: these alone."""
        xs, ys = numpy.asarray(xs, float), numpy.asarray(ys, float)
        for seen, values in zip(self.seen, (xs, ys)):
            seen += [values[numpy.isfinite(values)].min(initial=numpy.inf), values[numpy.isfinite(values)].max(initial=-numpy.inf)]
        self.drawn.append(("line", xs, ys, colour, width, dash, mark, label, alpha))

    def steps(self, edges, heights, colour, **how):
        """Draw a value between each edge and the next; nan: a gap."""
        self.line(numpy.repeat(edges, 2)[1:-1], numpy.repeat(heights, 2), colour, **how)

    def boxes(self, rows, colour, alpha=1.0, edge=None, label=None):
        """Fill boxes of (left, right, low, high); None: as far as the panel. edge: colour of their outlines."""
        for left, right, low, high in rows:
            self.seen[0].extend(value for value in (left, right) if value is not None)
            self.seen[1].extend(value for value in (low, high) if value is not None)
        if rows:
            self.drawn.append(("boxes", rows, colour, alpha, edge, label))

    def rules(self, values, colour="ink", dash=":", width=0.8, label=None):
        """Draw vertical lines through the panel."""
        self.seen[0].extend(values)
        self.drawn.append(("rules", values, colour, dash, width, label))

    def heat(self, edges, heights, shares):
        """Draw a heat map: shares[row][column] in % between the edges of columns and the heights of rows, which are all alike."""
        self.seen[0].extend(edges)
        self.seen[1].extend((heights[0], heights[-1]))
        self.heat_map = edges, heights, shares

    def labels(self):
        """Return [(label, the drawing it belongs to)]."""
        place = {"line": 7, "boxes": 5, "rules": 5}
        return [(one[place[one[0]]], one) for one in self.drawn if one[place[one[0]]]]


class Chart:
    """Panels in rows. Layout adds their legend, and the scale of heat maps."""

    def __init__(self, panels, columns=1):
        self.rows = [panels[place:place + columns] for place in range(0, len(panels), columns)]
        self.columns = columns
        self.panels = panels


class Picture:
    """A chart with a title and lines about it: shapes for any colour scheme. at: how far down it is drawn."""

    def __init__(self, title, about, chart, inches):
        self.width, self.at, self.shapes, self.svg = inches * POINTS, EDGE, [], None
        for text, size, colour in [(title, TITLE, "ink"), *((line, SMALL, "soft") for line in about if line)]:
            for line in wrapped(text, size, self.width - 2 * EDGE, size == TITLE):
                self.at += LINE * size
                self.text(EDGE, self.at - 0.3 * size, line, size, colour, bold=size == TITLE)
        self.at += EDGE
        Layout(self, chart)
        self.height = self.at + EDGE

    def text(self, x, y, text, size=SIZE, colour="ink", across=0.0, above=0.0, angle=0, bold=False):
        """Add a line of text. across: which part of its width is left of x, above: which part of the height of its letters is above y; without,
        y is the base of the letters."""
        turn = math.radians(angle)
        along, up = across * text_width(text, size, bold), above * 0.73 * size
        if text:
            self.shapes.append(("text", x - along * math.cos(turn) - up * math.sin(turn), y + along * math.sin(turn) + up * math.cos(turn),
                                text, font(size, bold), colour, angle))

    def path(self, points, codes=None, edge=None, width=1.0, dash="-", face=None, alpha=1.0, clip=None):
        """Add a line or an area. clip: (left, top, right, bottom)."""
        if len(points):
            self.shapes.append(("path", Path(numpy.clip(points, -FAR, FAR), codes), edge, width, dash, face, alpha, clip))

    def boxes(self, rows, face, alpha=1.0, edge=None, clip=None):
        """Add boxes of (left, top, right, bottom)."""
        points = [point for left, top, right, bottom in rows for point in ((left, top), (right, top), (right, bottom), (left, bottom), (left, top))]
        self.path(points, ([Path.MOVETO] + 3 * [Path.LINETO] + [Path.CLOSEPOLY]) * len(rows), edge, 1.0, "-", face, alpha, clip)

    def strokes(self, lines, colour, width, dash="-", clip=None):
        """Add straight lines of (x, y, x, y)."""
        self.path([point for x, y, to_x, to_y in lines for point in ((x, y), (to_x, to_y))], [Path.MOVETO, Path.LINETO] * len(lines),
                  colour, width, dash, clip=clip)

    def drawn(self, scheme, kind):
        """Return the picture in the colours of a scheme as bytes. kind: svg or png."""
        if kind == "svg" and self.svg and not any(shape[0] == "image" for shape in self.shapes):
            return recoloured(*self.svg, scheme)
        figure = Figure(figsize=(self.width / POINTS, self.height / POINTS), facecolor=scheme.ground)
        figure.add_artist(Shapes(self, scheme))
        out = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "zcfwd"}):
            figure.savefig(out, format=kind, dpi=DPI, **({"metadata": {"Date": None}} if kind == "svg" else {"pil_kwargs": {"compress_level": 4}}))
        if kind == "svg":
            self.svg = scheme, out.getvalue()
        return out.getvalue()


def recoloured(scheme, svg, other):
    """Return an SVG file in the colours of another scheme, which is much faster than to draw it."""
    colours = {mine.encode("ascii"): its.encode("ascii") for mine, its in zip(scheme.colours(), other.colours())}
    return re.sub(b"#[0-9a-f]{6}", lambda found: colours.get(found[0], found[0]), svg)


class Shapes(Artist):
    """The shapes of a picture in the colours of a scheme, as matplotlib draws them."""

    def __init__(self, picture, scheme):
        super().__init__()
        self.picture, self.scheme = picture, scheme

    def colour(self, name, alpha=1.0):
        """Return the colour of this name in the scheme."""
        return to_rgba(self.scheme.lines[name % len(self.scheme.lines)] if isinstance(name, int) else getattr(self.scheme, name), alpha)

    def draw(self, renderer):
        """Draw all shapes; matplotlib calls this."""
        scale = renderer.points_to_pixels(1)
        place = Affine2D().scale(scale, -scale).translate(0, self.picture.height * scale)
        for kind, *shape in self.picture.shapes:
            gc = renderer.new_gc()
            {"text": self.text, "path": self.path, "marks": self.marks, "image": self.image}[kind](renderer, gc, place, scale, *shape)
            gc.restore()

    def text(self, renderer, gc, place, _, x, y, text, properties, colour, angle):
        """Draw a text."""
        x, y = place.transform((x, y))
        gc.set_foreground(self.colour(colour), isRGBA=True)
        renderer.draw_text(gc, x, renderer.get_canvas_width_height()[1] - y if renderer.flipy() else y, text, properties, angle)

    def stroke(self, gc, edge, width, dash, alpha):
        """Set how a line is drawn; without an edge there is none."""
        gc.set_alpha(alpha)
        gc.set_linewidth(0 if edge is None else width)
        gc.set_foreground(self.colour("ink" if edge is None else edge, alpha), isRGBA=True)
        gc.set_dashes(0, [part * width for part in DASHES[dash]] or None)

    def path(self, renderer, gc, place, _, path, edge, width, dash, face, alpha, clip):
        """Draw a line or an area."""
        self.stroke(gc, edge, width, dash, alpha)
        if clip:
            gc.set_clip_rectangle(Bbox(place.transform([(clip[0], clip[3]), (clip[2], clip[1])])))
        renderer.draw_path(gc, path, place, None if face is None else self.colour(face, alpha))

    def marks(self, renderer, gc, place, scale, points, mark, size, colour):
        """Draw a mark at each point."""
        path, filled = MARKS[mark]
        self.stroke(gc, colour, 1.0, "-", 1.0)
        renderer.draw_markers(gc, path, Affine2D().scale(size / 2 * scale), Path(points), place, self.colour(colour) if filled else None)

    def image(self, renderer, gc, place, scale, left, bottom, width, height, levels):
        """Draw a heat map, whose rows are all alike, the lowest first."""
        x, y = place.transform((left, bottom))
        if renderer.option_scale_image():
            renderer.draw_image(gc, x, y, heat_colours(self.scheme.heat)[levels], Affine2D().scale(width * scale, height * scale))
            return
        down, across = (numpy.floor((numpy.arange(n) + 0.5) / n * known).astype(int)
                        for n, known in zip((max(1, round(height * scale)), max(1, round(width * scale))), levels.shape))
        renderer.draw_image(gc, x, y, heat_colours(self.scheme.heat)[levels[down][:, across]])


@functools.lru_cache(maxsize=None)
def heat_colours(colours):
    """Return the colours of all levels of a heat map."""
    return LinearSegmentedColormap.from_list("heat", colours, LEVELS)(numpy.arange(LEVELS), bytes=True)


class Layout:
    """Puts a chart into a picture, below what is there."""

    def __init__(self, picture, chart):
        self.picture, self.chart = picture, chart
        panels = chart.panels
        for place, part in ((0, "x"), (1, "y")):
            for axis in {id(getattr(panel, part)): getattr(panel, part) for panel in panels}.values():
                axis.fit([value for panel in panels if getattr(panel, part) is axis for value in panel.seen[place]])
        heat = any(panel.heat_map for panel in panels)
        room = picture.width - 2 * EDGE - heat * SCALE_WIDTH
        self.ticks = {panel: self.rows_of(panel, NAMES_SHARE * picture.width) for panel in panels}
        lefts = [max((self.left_of(row, column) for row in chart.rows if column < len(row)), default=0) for column in range(chart.columns)]
        width = max(20, (room - sum(lefts)) / chart.columns - 2 * EDGE)
        rights = [sum(lefts[:column + 1]) + column * (width + 2 * EDGE) + EDGE for column in range(chart.columns)]
        top = picture.at
        for number, row in enumerate(chart.rows):
            picture.at += max(self.head_of(panel) for panel in row)
            for left, panel in zip(rights, row):
                self.panel(panel, left, picture.at, width)
            picture.at += max(panel.height for panel in row) + self.foot_of(number, rights, width)
        if heat:
            first, last = top + self.head_of(chart.rows[0][0]), picture.at - self.foot_of(len(chart.rows) - 1, rights, width, draw=False)
            self.scale(picture.width - EDGE - SCALE_WIDTH + 8, first, last)
        self.legend()

    def rows_of(self, panel, room):
        """Return [(share, [lines of text])] of the ticks of the vertical axis."""
        return [(share, wrapped(text, SMALL if panel.y.names else SIZE, room, most=NAME_LINES)) for share, text in panel.y.marks(panel.height, ROOM)]

    def shows_rows(self, row, column):
        """Return whether a panel has the texts of its vertical axis."""
        return column == 0 or row[column].y is not row[column - 1].y

    def left_of(self, row, column):
        """Return the room that a panel needs on its left."""
        if not self.shows_rows(row, column):
            return 0
        panel = row[column]
        size = SMALL if panel.y.names else SIZE
        return max((text_width(line, size) for _, lines in self.ticks[panel] for line in lines), default=0) + 2 * TICK + (16 if panel.y.label else 0)

    @staticmethod
    def head_of(panel):
        """Return the room that a panel needs above it."""
        steep = len(panel.notes) > 3
        notes = max((text_width(text, SMALL) * (1 if steep else 0.35) + 10 for _, text in panel.notes), default=6)
        return notes + (LINE * SIZE + 2 if panel.title else 0)

    def foot_of(self, number, lefts, width, draw=True):
        """Draw the ticks and labels of the horizontal axes below a row of panels. Returns the room that they have."""
        shown = [(left, panel) for place, (left, panel) in enumerate(zip(lefts, self.chart.rows[number]))
                 if not any(place < len(row) and row[place].x is panel.x for row in self.chart.rows[number + 1:])]
        for left, panel in shown if draw else ():
            bottom = self.picture.at + panel.height
            for share, text in panel.x.marks(width, 10 + self.widest(panel.x, width)):
                self.picture.text(left + share * width, bottom + TICK + 2, text, across=0.5, above=1)
            if panel.x.label:
                self.picture.text(left + width / 2, bottom + TICK + 4 + LINE * SIZE, panel.x.label, across=0.5, above=1)
        return max(((LINE * SIZE + TICK + 4) + (LINE * SIZE if panel.x.label else 0) for _, panel in shown), default=8)

    @staticmethod
    def widest(axis, width):
        """Return the width of the widest text of a horizontal axis."""
        return max((text_width(text, SIZE) for _, text in axis.marks(width, 50)), default=0)

    def panel(self, panel, left, top, width):
        """Draw a panel."""
        picture, right, bottom = self.picture, left + width, top + panel.height
        clip = left, top, right, bottom
        if panel.title:
            picture.text(left, top - self.head_of(panel) + LINE * SIZE - 2, wrapped(panel.title, SIZE, width, True, 1)[0], bold=True)
        across = [left + share * width for share, _ in panel.x.marks(width, 10 + self.widest(panel.x, width))]
        down = [(bottom - share * panel.height, lines) for share, lines in self.ticks[panel]]
        if panel.heat_map:
            self.heat(panel, left, top, width)
        else:
            picture.strokes([(x, top, x, bottom) for x in across], "faint", 0.6)
            if panel.y.names is None:
                picture.strokes([(left, y, right, y) for y, _ in down], "faint", 0.6)
        place = functools.partial(self.place, panel, left, top, width)
        for kind, *drawn in panel.drawn:
            {"line": self.line, "boxes": self.boxes, "rules": self.rules}[kind](place, clip, *drawn)
        picture.strokes([(left, top, left, bottom), (left, bottom, right, bottom)], "faint", 0.8)
        picture.strokes([(x, bottom, x, bottom + TICK) for x in across] + [(left - TICK, y, left, y) for y, _ in down], "faint", 0.8)
        row = next(row for row in self.chart.rows if panel in row)
        if self.shows_rows(row, row.index(panel)):
            self.row_texts(panel, left, top, down)
        self.notes(panel, place, top)

    def row_texts(self, panel, left, top, down):
        """Draw the texts of the vertical axis."""
        size = SMALL if panel.y.names else SIZE
        for y, lines in down:
            for number, line in enumerate(lines):
                self.picture.text(left - 2 * TICK, y + (number - (len(lines) - 1) / 2) * LINE * size, line, size, across=1, above=0.5)
        if panel.y.label:
            widest = max((text_width(line, size) for _, lines in down for line in lines), default=0)
            self.picture.text(left - 2 * TICK - widest - 8, top + panel.height / 2, panel.y.label, across=0.5, angle=90)

    def notes(self, panel, place, top):
        """Draw the notes above a panel, without those that would cover the one before."""
        steep, last = len(panel.notes) > 3, -FAR
        for x, text in panel.notes:
            (at, _), = place([x], [0])
            if at >= last + LINE * SMALL or not steep:
                self.picture.text(at, top - 3, text, SMALL, above=steep, angle=90 if steep else 20)
                last = at

    @staticmethod
    def place(panel, left, top, width, xs, ys):
        """Return the points of a panel in the picture."""
        return numpy.column_stack((left + panel.x.share(xs) * width, top + (1 - panel.y.share(ys)) * panel.height))

    def line(self, place, clip, xs, ys, colour, width, dash, mark, _, alpha):
        """Draw a line of a panel."""
        points = place(xs, ys)
        known = numpy.isfinite(points).all(axis=1)
        if width:
            begins = numpy.concatenate(([True], ~known[:-1]))[known] if len(points) else []
            self.picture.path(points[known], numpy.where(begins, Path.MOVETO, Path.LINETO), colour, width, dash, alpha=alpha, clip=clip)
        if mark and known.any():
            self.picture.shapes.append(("marks", numpy.clip(points[known], -FAR, FAR), mark, 5 if mark == "o" else 4, colour))

    def boxes(self, place, clip, rows, colour, alpha, edge, _):
        """Draw the boxes of a panel."""
        low, high = (place([row[left] or 0 for row in rows], [row[end] or 0 for row in rows]) for left, end in ((0, 2), (1, 3)))
        found = [[clip[0] if row[0] is None else x, clip[3] if row[2] is None else y, clip[2] if row[1] is None else to_x,
                  clip[1] if row[3] is None else to_y] for row, (x, y), (to_x, to_y) in zip(rows, low, high)]
        self.picture.boxes([one for one in found if all(map(math.isfinite, one))], colour, alpha, edge, clip)

    def rules(self, place, clip, values, colour, dash, width, _):
        """Draw the vertical lines of a panel."""
        found = [x for x, _ in place(values, [0] * len(values)) if math.isfinite(x)]
        self.picture.strokes([(x, clip[1], x, clip[3]) for x in found], colour, width, dash, clip)

    def heat(self, panel, left, top, width):
        """Draw a heat map. Its columns may have any widths: each pixel has the colour of the column that it is in; beside the columns there is nothing."""
        edges, heights, shares = panel.heat_map
        levels = numpy.rint((LEVELS - 1) * (numpy.clip(numpy.asarray(shares, float), 0, 100) / 100) ** HEAT_POWER).astype(int)
        across = max(1, round(width * DPI / POINTS))
        columns = numpy.searchsorted(numpy.maximum.accumulate(edges), panel.x.inverse((numpy.arange(across) + 0.5) / across), "right") - 1
        pixels = levels[:, numpy.clip(columns, 0, levels.shape[1] - 1)]
        pixels[:, (columns < 0) | (columns >= levels.shape[1])] = 0
        low, high = (top + (1 - float(share)) * panel.height for share in panel.y.share([heights[0], heights[-1]]))
        self.picture.shapes.append(("image", left, low, width, low - high, pixels))

    def scale(self, left, top, bottom):
        """Draw the scale of the heat maps."""
        self.picture.shapes.append(("image", left, bottom, 10, bottom - top, numpy.arange(LEVELS)[:, None]))
        for share in SCALE_TICKS:
            self.picture.text(left + 10 + TICK, bottom - (share / 100) ** HEAT_POWER * (bottom - top), "%d" % share, across=0, above=0.5)
        self.picture.text(left + 44, (top + bottom) / 2, "% of bursts", across=0.5, angle=90)

    def legend(self):
        """Draw the labels of all panels, each once, in as many rows as they need."""
        picture, entries = self.picture, {}
        for panel in self.chart.panels:
            for label, drawn in panel.labels():
                entries.setdefault(label, drawn)
        x, left = EDGE, EDGE
        for label, (kind, *drawn) in entries.items():
            label = wrapped(label, SMALL, picture.width - 2 * EDGE - 32, most=1)[0]
            room = 24 + text_width(label, SMALL) + 14
            if x == left or x + room > picture.width - EDGE:
                x = left
                picture.at += LINE * SIZE
            middle = picture.at - 0.3 * SIZE
            if kind == "boxes":
                picture.boxes([(x + 4, middle - 4, x + 18, middle + 3)], drawn[1], drawn[2], drawn[3])
            elif kind == "rules":
                picture.strokes([(x, middle, x + 20, middle)], drawn[1], drawn[3], drawn[2])
            else:
                _, _, colour, width, dash, mark, *_ = drawn
                picture.strokes([(x, middle, x + 20, middle)] * bool(width), colour, width, dash)
                if mark:
                    picture.shapes.append(("marks", [(x + 10, middle)], mark, 5 if mark == "o" else 4, colour))
            picture.text(x + 24, middle, label, SMALL, above=0.5)
            x += room
        picture.at += 4 * bool(entries)
