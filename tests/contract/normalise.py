# SPDX-License-Identifier: BSD-3-Clause
"""Makes two runs of the same program read the same, and nothing more: rates, counts and random MACs lose their value.

Zero stays zero, column widths stay, and a port's MAC becomes the port's name, so a missing packet, a shifted column
or the MAC of the wrong port still differ.
"""
import re

COUNTERS = ("RX-packets|RX-dropped|RX-total|RX-missed|RX-bytes|RX-error|RX-errors|RX-nombuf|RX-nombufs|TX-packets|"
            "TX-dropped|TX-total|TX-errors|TX-bytes")
MAC = r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}"


def _left(match):
    """A left-aligned counter: the padding behind it belongs to the column."""
    label, digits, pad = match.groups()
    return label + "N" + " " * (len(digits) + len(pad) - 1 if pad else 0)


def _right(match):
    label, pad, digits = match.groups()
    return label + " " * (len(pad) + len(digits) - 1) + "N"


RULES = [
    (re.compile(rf"\b((?:{COUNTERS}): +)([1-9]\d*)( *)"), _left),
    (re.compile(r"\b([RT]x-[bp]ps: )( *)([1-9]\d*)"), _right),
    (re.compile(r"^(  [RT]X-bursts : )[1-9]\d*( \[)", re.M), r"\1N\2"),
    (re.compile(r"(CPU cycles/packet=)\d+\.\d\d( \(\w+ cycles=)\d+( / total \S+ packets=)\d+(\) at )\d+( MHz Clock)"),
     r"\1N\2N\3N\4N\5"),
    (re.compile(r"^(hexdump at \[)0x[0-9a-f]+(\], len=\d+)$", re.M), r"\1N\2"),
    (re.compile(r"^([rt]x_(?:good_|q\d+_)(?:packets|bytes): )[1-9]\d*$", re.M), r"\1N"),
]
MAC_OF_PORT = [
    re.compile(rf"^Port (\d+): ({MAC})$", re.M),
    re.compile(rf"^(\d+) +({MAC}) ", re.M),
]


class Normaliser:
    """One per run: it remembers which random MAC belongs to which port. keep: text whose MACs are not random."""

    def __init__(self, keep=""):
        self.keep = keep.upper()
        self.names = {}

    def learn(self, text):
        for pattern in MAC_OF_PORT:
            for port, mac in pattern.findall(text):
                if mac not in self.keep and mac != "00:00:00:00:00:00":
                    self.names.setdefault(mac, f"<mac--of-port-{int(port):02}>")

    def __call__(self, text):
        self.learn(text)
        for mac, name in self.names.items():
            text = text.replace(mac, name)
        for pattern, value in RULES:
            text = pattern.sub(value, text)
        return text
