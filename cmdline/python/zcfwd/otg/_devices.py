# SPDX-License-Identifier: BSD-3-Clause
"""Reads the devices of OTG: hosts behind a port, for whose addresses it answers ARP, neighbour solicitations and ping, and nothing else."""
from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Mapping, Sequence
from typing import Optional

from .._results import Port
from ._values import IPV4_ADDRESS, IPV6_ADDRESS, MAC_ADDRESS, Kind, Reader

PREFIXES = {IPV4_ADDRESS: 24, IPV6_ADDRESS: 64}  # without one


@dataclasses.dataclass(frozen=True)
class Address:
    """An address of an interface. gateway_mac: None: that of the host which has the address gateway."""
    name: str
    path: str
    address: int
    prefix: int
    gateway: int
    gateway_mac: Optional[int]
    kind: Kind

    def text(self) -> str:
        return str(ipaddress.IPv4Address(self.address) if self.kind is IPV4_ADDRESS else ipaddress.IPv6Address(self.address))


@dataclasses.dataclass(frozen=True)
class Interface:
    """An Ethernet interface of a device. names: by which flows may name it, or its device if that has one interface. port_name: OTG's."""
    names: tuple[str, ...]
    port_name: str
    port: int
    mac: int
    addresses: tuple[Address, ...]

    def lines(self) -> list[tuple[str, str]]:
        """The commands that make the port answer, with the paths of their addresses."""
        return [(one.path, f"set port {self.port} host {one.text()}/{one.prefix} mac {mac_text(self.mac)}") for one in self.addresses]


def mac_text(mac: int) -> str:
    return mac.to_bytes(6, "big").hex(":")


def mac_read(reader: Reader) -> int:
    return MAC_ADDRESS.parse(reader, 48)


def port_read(reader: Reader, ports: Mapping[str, int]) -> str:
    """The port of an interface."""
    connection = reader.need("connection", "port_name")
    _, name = connection.choice("port_name", ("port_name",))
    connection.finish()
    if name is None:
        raise connection.refuse("port_name: missing: expected the name of a port")
    if name.text() not in ports:
        raise name.refuse(f"{name.text()!r}: there is no such port: expected {' or '.join(map(repr, ports)) or 'ports in the config'}")
    return name.text()


def gateway_mac_read(reader: Optional[Reader]) -> Optional[int]:
    if reader is None:
        return None
    name, chosen = reader.choice("auto", ("auto", "value"))
    reader.seen.update(auto=True, value=True)
    reader.finish()
    return mac_read(chosen) if name == "value" and chosen is not None else None


def addresses_read(reader: Optional[Reader], kind: Kind) -> list[Address]:
    found = []
    for one in reader.items() if reader is not None else []:
        name, address, gateway = one.need("name", "a string"), one.need("address", "an address"), one.need("gateway", "an address")
        prefix, mac = one.get("prefix"), one.get("gateway_mac")
        one.finish()
        found.append(Address(name.text(), address.path, kind.parse(address, kind.bits), prefix.integer(1, kind.bits) if prefix is not None else PREFIXES[kind],
                             kind.parse(gateway, kind.bits), gateway_mac_read(mac), kind))
    return found


def interface_read(reader: Reader, device: Sequence[str], ports: Mapping[str, int], macs: Mapping[int, int], warnings: list[str]) -> Interface:
    """device: its name, if that means this interface. macs: of ports, by their numbers."""
    name = reader.need("name", "a string").text()
    port = port_read(reader, ports)
    mac = reader.get("mac")
    own = mac_read(mac) if mac is not None else macs[ports[port]]
    if mac is not None and (own >> 40 & 1 or not own):
        raise mac.refuse(f"{mac.text()}: expected the address of one host, not of a group, and not zeros")
    addresses = addresses_read(reader.get("ipv4_addresses"), IPV4_ADDRESS) + addresses_read(reader.get("ipv6_addresses"), IPV6_ADDRESS)
    for member, why in (("vlans", "the port answers in each VLAN, with the tags of the request"), ("mtu", "not changed: see \"show port info\"")):
        found = reader.get(member)
        if found is not None and found.value != 1500:
            warnings.append(f"{found.path}: {why}")
    reader.finish()
    return Interface((*device, name, *(one.name for one in addresses)), port, ports[port], own, tuple(addresses))


def devices_read(reader: Optional[Reader], ports: Mapping[str, int], present: Sequence[Port], warnings: list[str]) -> tuple[Interface, ...]:
    """The interfaces of all devices."""
    macs = {port.port: int(port.mac.replace(":", ""), 16) for port in present}
    interfaces: list[Interface] = []
    for device in reader.items() if reader is not None else []:
        name = device.need("name", "a string").text()
        found = device.get("ethernets")
        device.finish()
        ethernets = found.items() if found is not None else []
        for one in ethernets:
            made = interface_read(one, [name] if len(ethernets) == 1 else [], ports, macs, warnings)
            twice = next((name for name in made.names if any(name in other.names for other in interfaces)), None)
            if twice is not None:
                raise one.refuse(f"{twice!r}: given twice")
            interfaces.append(made)
    return tuple(interfaces)


def interface_named(reader: Reader, interfaces: Sequence[Interface]) -> Interface:
    found = next((one for one in interfaces if reader.text() in one.names), None)
    if found is None:
        names = [name for one in interfaces for name in one.names]
        raise reader.refuse(f"{reader.text()!r}: there is no such device: expected {' or '.join(map(repr, names)) or 'devices in the config'}")
    return found


def gateway_mac(interface: Interface, name: str, interfaces: Sequence[Interface]) -> Optional[int]:
    """The MAC address of the next hop of an interface, by its address of that name or its first one. None: it is not known."""
    address = next((one for one in interface.addresses if one.name == name), next(iter(interface.addresses), None))
    if address is None:
        return None
    if address.gateway_mac is not None:
        return address.gateway_mac
    hosts = (one for one in interfaces for other in one.addresses if other.kind is address.kind and other.address == address.gateway)
    host = next(hosts, None)
    return host.mac if host is not None else None
