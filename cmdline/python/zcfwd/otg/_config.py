# SPDX-License-Identifier: BSD-3-Clause
"""Reads a configuration of OTG: ports, devices, captures and flows."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from .._results import Port
from ._devices import Interface, devices_read
from ._flows import Ends, Flow, flow_read
from ._values import Json, Reader, Refused, wrong

ABSENT = {"lags": "no aggregated links", "lldp": "no protocols", "stateful_flows": "no connections", "events": "no events",
          "egress_only_tracking": "packets are not examined for tags"}

FLOWS_MAX = 1024  # generate streams of a program


@dataclasses.dataclass(frozen=True)
class Capture:
    """What is captured of a port. snaplen: bytes of a packet, 0: all."""
    form: str
    snaplen: int


@dataclasses.dataclass(frozen=True)
class Plan:
    """A configuration that was read. ports: the program's numbers by OTG's names."""
    text: Json
    ports: Mapping[str, int]
    locations: Mapping[str, str]
    captures: Mapping[str, Capture]
    flows: tuple[Flow, ...]
    interfaces: tuple[Interface, ...]
    warnings: tuple[str, ...]

    def flow(self, name: str) -> Optional[Flow]:
        return next((flow for flow in self.flows if flow.name == name), None)


EMPTY = Plan({}, {}, {}, {}, (), (), ())


def ports_read(reader: Optional[Reader], present: Sequence[Port]) -> tuple[dict[str, int], dict[str, str]]:
    """The ports by name. A location is the program's number of a port, or the name of its device."""
    by_location = {str(port.port): port.port for port in present} | {port.name: port.port for port in present}
    known = "one of " + ", ".join(f"\"{port.port}\" ({port.name})" for port in present)
    if not present:
        known = "ports, but zcfwd has none: its own messages say why"
    ports: dict[str, int] = {}
    locations: dict[str, str] = {}
    for one in reader.items() if reader is not None else []:
        name = one.need("name", "a string")
        location = one.need("location", known)
        one.finish()
        if location.text() not in by_location:
            raise location.refuse(f"{location.text()!r}: there is no such port: expected {known}")
        if name.text() in ports:
            raise name.refuse(f"{name.text()!r}: given twice")
        number = by_location[location.text()]
        twice = next((other for other, n in ports.items() if n == number), None)
        if twice is not None:
            raise location.refuse(f"{location.text()!r} is the port {twice!r} already")
        ports[name.text()] = number
        locations[name.text()] = location.text()
    return ports, locations


def names_check(reader: Reader, name: str, ports: Mapping[str, int]) -> list[str]:
    found = reader.need(name, "names of ports")
    for one in found.items():
        if one.text() not in ports:
            raise one.refuse(f"{one.text()!r}: there is no such port: expected {' or '.join(map(repr, ports)) or 'ports in the config'}")
    return [one.text() for one in found.items()]


def captures_read(reader: Optional[Reader], ports: Mapping[str, int]) -> dict[str, Capture]:
    captures: dict[str, Capture] = {}
    for one in reader.items() if reader is not None else []:
        one.need("name", "a string").text()
        names = names_check(one, "port_names", ports)
        size, form = one.get("packet_size"), one.get("format")
        one.only("overwrite", True, ": a capture begins anew with each start")
        one.only("filters", None, "all packets that a port receives are captured")
        one.finish()
        chosen = form.text() if form is not None else "pcap"
        if chosen not in ("pcap", "pcapng"):
            raise (form or one).refuse(f"{chosen}: expected pcap or pcapng")
        for number, name in enumerate(names):
            if name in captures:
                raise wrong(f"{one.path}.port_names[{number}]", f"{name!r}: has a capture already: expected one for each port")
            captures[name] = Capture(chosen, size.integer(0, 65535) if size is not None else 0)
    return captures


def layer1_read(reader: Optional[Reader], ports: Mapping[str, int], warnings: list[str]) -> None:
    """Links are what they are: their settings are checked for names, and told to have no effect."""
    for one in reader.items() if reader is not None else []:
        names_check(one, "port_names", ports)
        others = sorted(set(one.members()) - {"name", "port_names"})
        if others:
            warnings.append(f"{one.path}: {', '.join(others)} not changed: links are as \"show port info\" has them")


def flows_read(reader: Optional[Reader], ends: Ends, inner_crc: bool, warnings: list[str]) -> tuple[Flow, ...]:
    """All flows. Each one that is wrong adds its error."""
    flows: list[Flow] = []
    errors: list[str] = []
    found = reader.items() if reader is not None else []
    if reader is not None and len(found) > FLOWS_MAX:
        raise reader.refuse(f"{len(found)} flows: expected at most {FLOWS_MAX}")
    for index, one in enumerate(found):
        try:
            flow = flow_read(one, index, ends, inner_crc, warnings)
        except Refused as refused:
            errors += refused.errors
            continue
        if any(flow.name == other.name for other in flows):
            errors.append(f"{one.path}.name: {flow.name!r}: given twice")
        flows.append(flow)
    if errors:
        raise Refused(errors)
    return tuple(flows)


def config_read(body: Any, present: Sequence[Port], inner_crc: bool = False) -> Plan:
    """Read a configuration; Refused names each member that is wrong. present: the program's ports. inner_crc: as head_words()."""
    reader = Reader(body, "")
    warnings: list[str] = []
    ports, locations = ports_read(reader.get("ports"), present)
    layer1_read(reader.get("layer1"), ports, warnings)
    captures = captures_read(reader.get("captures"), ports)
    speeds = {port.port: port.link_mbps for port in present}
    interfaces = devices_read(reader.get("devices"), ports, present, warnings)
    flows = flows_read(reader.get("flows"), Ends(ports, speeds, interfaces), inner_crc, warnings)
    options = reader.get("options")
    if options is not None:
        warnings.append("options: they have no effect")
    for name, why in ABSENT.items():
        reader.only(name, None, why)
    reader.finish()
    return Plan(dict(reader.members()), ports, locations, captures, flows, interfaces, tuple(warnings))
