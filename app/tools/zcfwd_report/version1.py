# SPDX-License-Identifier: BSD-3-Clause
"""Convert recordings of format version 1 to version 2: histograms were pairs of size and count, engines had separate members.
Standard library only."""


def _side(ring, side, short):
    """Return the members of one end of a ring with their present names."""
    found = ring.pop(side, dict.fromkeys(("packets", "copy", "zc", "wraps", short), 0))
    return {"%s_%s" % (side, name): value for name, value in found.items()}


def _ring(ring):
    fill = ring.pop("fill")
    return {**ring, **_side(ring, "put", "full"), **_side(ring, "taken", "empty"),
            "fill": {"sizes": [eighth for eighth, n in enumerate(fill) if n], "counts": [n for n in fill if n]}}


def _groups(line):
    """Remove the engines' own members from a line and return them as groups."""
    found, pipeline = {}, line.pop("pipeline", None)
    if pipeline and line["type"] == "begin":
        found["pipeline"] = [pipeline]
    elif pipeline:
        found = {"pipeline_io": pipeline["io"], "pipeline_worker": pipeline["workers"], "pipeline_ring": [_ring(ring) for ring in pipeline["rings"]]}
    for stream in line["streams"]:
        for name in ("recycle", "extbuf"):
            if name in stream:
                one = {key: value for key, value in stream.pop(name).items() if value is not None}
                found.setdefault(name, []).append({"stream": stream["stream"], **one})
    return found


FORMER_KEYS = {"turns": "polls", "kept_turns": "kept_polls", "lost_turns": "lost_polls", "idle_turns": "empty_polls"}


def former_keys(line):
    """Rename former keys in a line, in place."""
    for one in (*line.get("streams", ()), *(one["timed"] for one in line.get("streams", ()) if "timed" in one),
                *line.get("groups", {}).get("pipeline_worker", ())):
        for former, name in FORMER_KEYS.items():
            if former in one:
                one[name] = one.pop(former)
    return line


def upgrade(line):
    """Convert a line of version 1 in place. Raises ValueError, KeyError etc. if a member is missing."""
    if "streams" not in line:
        return line
    for stream in line["streams"]:
        for key in ("rx_bursts", "tx_bursts", "timed"):
            if key in stream:
                pairs = stream[key].pop("histogram")
                stream[key].update(sizes=[size for size, _ in pairs], counts=[n for _, n in pairs])
    line["groups"] = _groups(line)
    return former_keys(line)
