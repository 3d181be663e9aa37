# SPDX-License-Identifier: BSD-3-Clause
"""
Answers of commands as data classes. Their fields have the names and units of the program's members (doc/json.md).
None: not counted, or not known. Members that a class lacks are in the answer itself, a dict.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Optional, TypeVar, Union, cast

from ._errors import ProtocolError

T = TypeVar("T")
Json = dict[str, Any]
DROPS = ("refused", "tx_errors", "missed", "rx_errors", "dropped", "lost_on_the_way")


def pick(cls: type[T], members: Mapping[str, Any], **more: Any) -> T:
    """An object of a data class, from the members that have its fields' names. What is missing is None; ProtocolError if it may not be."""
    values = dict(more)
    missing = []
    for field in dataclasses.fields(cast(Any, cls)):
        if field.name in values:
            continue
        values[field.name] = members.get(field.name)
        if values[field.name] is None and not str(field.type).startswith("Optional"):
            missing.append(field.name)
    if missing:
        raise ProtocolError(f"the program's answer has no {', '.join(missing)}: expected one for {cls.__name__}")
    return cls(**values)


def section(answer: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """A member that has to be there, of a type."""
    value = answer.get(name)
    if not isinstance(value, kind):
        raise ProtocolError(f"the program's answer to {answer.get('command')!r} has no {name}")
    return value


@dataclasses.dataclass(frozen=True)
class Port:
    """A port, of `show port summary all`."""
    port: int
    name: str
    driver: str
    mac: str
    link_up: bool
    link_mbps: int


@dataclasses.dataclass(frozen=True)
class PortStats:
    """Statistics of a port. Rates are those since any client's last look, and None in the first."""
    port: int
    rx_packets: Optional[int]
    rx_bytes: Optional[int]
    rx_missed: Optional[int]
    rx_errors: Optional[int]
    rx_nombuf: Optional[int]
    tx_packets: Optional[int]
    tx_bytes: Optional[int]
    tx_errors: Optional[int]
    tx_dropped: Optional[int]
    rx_pps: Optional[float]
    tx_pps: Optional[float]
    rx_bps: Optional[float]
    tx_bps: Optional[float]


@dataclasses.dataclass(frozen=True)
class StreamStats:
    """Packets of a stream: a receive queue, a transmit queue, and the lcore between them."""
    rx_port: int
    rx_queue: int
    tx_port: int
    tx_queue: int
    lcore: int
    rx: Optional[int]
    made: Optional[int]
    tx: Optional[int]
    tx_dropped: Optional[int]
    absorbed: Optional[int]
    busy_cycles: Optional[int]
    counters: Json


@dataclasses.dataclass(frozen=True)
class Run:
    """
    A run that has ended (doc/account.md). packets_per_second and the bit rates are those of all ports together. cpu_share: the smallest
    share of its CPU that an lcore had. cycles_per_packet: None without "set record-core-cycles on".
    """
    engine: str
    seconds: float
    packets: int
    received: int
    packets_per_second: Optional[float]
    l2_bits_per_second: Optional[float]
    l1_bits_per_second: Optional[float]
    line_rate_fraction: Optional[float]
    cycles_per_packet: Optional[float]
    asked: Optional[int]
    offered: Optional[int]
    sent: Optional[int]
    absorbed: Optional[int]
    unsent: Optional[int]
    refused: Optional[int]
    tx_errors: Optional[int]
    missed: Optional[int]
    rx_errors: Optional[int]
    dropped: Optional[int]
    lost_on_the_way: Optional[int]
    lost: Optional[int]
    loss_fraction: Optional[float]
    cpu_share: Optional[float]
    verdict: Optional[str]
    streams: tuple[StreamStats, ...]
    ports: tuple[PortStats, ...]
    answer: Json = dataclasses.field(repr=False, compare=False)

    @property
    def mpps(self) -> Optional[float]:
        """Million packets per second."""
        return None if self.packets_per_second is None else self.packets_per_second / 1e6

    @property
    def drops(self) -> dict[str, int]:
        """Lost packets by reason, without reasons that had none."""
        return {reason: n for reason in DROPS if (n := getattr(self, reason))}

    @classmethod
    def of(cls, answer: Json) -> Run:
        """Of the answer to `stop` or `start for`. ProtocolError if no run ended with it."""
        summary = section(answer, "summary", dict)
        shares = [lcore["share"] for lcore in summary.get("cpu") or () if lcore.get("share") is not None]
        streams = tuple(pick(StreamStats, one) for one in section(answer, "streams", list))
        ports = tuple(pick(PortStats, one) for one in section(answer, "ports", list))
        return pick(cls, summary, engine=section(answer, "engine", str), streams=streams, ports=ports, answer=answer, cpu_share=min(shares, default=None))


@dataclasses.dataclass(frozen=True)
class Measured:
    """What a stream of engine measure received (doc/measure.md). Latencies in microseconds; a percentile of too few packets is None."""
    rx_port: int
    rx_queue: int
    tx_port: int
    tx_queue: int
    sent: int
    lost: Optional[int]
    unsent: int
    tx_dropped: int
    unique: int
    reordered: int
    duplicated: int
    damaged: int
    foreign: int
    min_us: Optional[float]
    mean_us: Optional[float]
    p50_us: Optional[float]
    p90_us: Optional[float]
    p99_us: Optional[float]
    p999_us: Optional[float]
    p9999_us: Optional[float]
    p99999_us: Optional[float]
    max_us: Optional[float]
    jitter_us: Optional[float]
    clock: str


@dataclasses.dataclass(frozen=True)
class Event:
    """
    Something that happened while a command ran. name "answer": data is an answer; the last event is the one of the command itself.
    name "message": data is a line that no command asked for, such as a link's change. Other names are the program's.
    """
    name: str
    data: Json


Cell = Union[str, int, float, bool, None]


class Comparison(list[dict[str, Cell]]):
    """
    The rows of a comparison, one per combination: the compared settings, then medians and the ends of their intervals. All rows have the
    same columns, so pandas.DataFrame(comparison) is a table.

    each: the same for single runs, with their round. answer: the whole answer.
    """

    def __init__(self, answer: Json) -> None:
        combinations = section(answer, "combinations", list)
        super().__init__({**one["values"], **{name: value for name, value in one.items() if name not in ("values", "each")}} for one in combinations)
        self.each: list[dict[str, Cell]] = [{**one["values"], **run} for one in combinations for run in one["each"]]
        self.answer = answer
