"""Recordings of format version 1 as version 2 has them: histograms were pairs of size and count. Standard library only."""


def upgrade(line):
    """A line of version 1, changed in place. Lines that lack something are left for shape.check()."""
    for stream in line.get("streams", []) if isinstance(line, dict) else []:
        for key in ("rx_bursts", "tx_bursts", "timed"):
            pairs = stream.get(key, {}).pop("histogram", None)
            if pairs is not None:
                stream[key].update(sizes=[size for size, _ in pairs], counts=[n for _, n in pairs])
    return line
