# SPDX-License-Identifier: BSD-3-Clause
"""
What OTG asks for, done with a zcfwd: a configuration, the state of flows and captures, metrics.

Flows are generate streams under engine measure. A run of the program goes from the first flow that starts until no flow is left, so flows
start and stop while it goes on. Its counters begin with the run: what a flow had before it was started alone is taken off.
"""
from __future__ import annotations

import contextlib
import copy
import dataclasses
import os
import re
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import Any, BinaryIO, Optional

from .._errors import CommandError
from .._results import PortStats, pick, section
from .._session import Session
from . import _pcap
from ._config import EMPTY, Plan, config_read
from ._flows import FCS_BYTES, L1_BYTES, Flow
from ._values import Json, Reader, Refused

PERCENTILES = ("p50", "p90", "p99", "p999")
SETTLE_S = 0.5
RATE_S = 0.05  # rates are of at least so long
PORT_COUNTERS = ("tx_packets", "rx_packets", "tx_bytes", "rx_bytes")
# The members of metrics, by which requests choose.
COUNTED = ("frames_tx", "frames_rx", "bytes_tx", "bytes_rx", "frames_tx_rate", "frames_rx_rate")
FLOW_COLUMNS = ("name", "port_tx", "port_rx", "transmit", *COUNTED, "loss", "latency",
                *(f"{side}_{rate}" for side in ("tx", "rx") for rate in ("l1_rate_bps", "rate_bytes", "rate_bps", "rate_kbps", "rate_mbps")))
PORT_COLUMNS = ("name", "location", "link", "capture", "transmit", "speed", *COUNTED, "bytes_tx_rate", "bytes_rx_rate")


@dataclasses.dataclass(frozen=True)
class Figures:
    """Of a flow since it was started. Latencies in ns, None: not known."""
    sending: bool = False
    tx: int = 0
    rx: int = 0
    tx_pps: float = 0
    minimum: Optional[float] = None
    mean: Optional[float] = None
    maximum: Optional[float] = None
    percentiles: Optional[dict[str, float]] = None

    def since(self, before: Figures) -> Figures:
        return dataclasses.replace(self, tx=self.tx - before.tx, rx=self.rx - before.rx)


NOTHING = Figures()


def figures_of(stream: Json) -> Figures:
    """Of the stream of a flow."""
    sending, received = stream["state"] == "sending", stream.get("unique") or 0
    found = Figures(sending, stream.get("sent") or 0, received, (stream.get("reached_pps") or 0) if sending else 0)
    if stream.get("mean_us") is None or not received:
        return found
    percentiles = {name: stream[f"{name}_us"] * 1e3 for name in PERCENTILES if stream.get(f"{name}_us") is not None}
    return dataclasses.replace(found, minimum=stream["min_us"] * 1e3, mean=stream["mean_us"] * 1e3, maximum=stream["max_us"] * 1e3,
                               percentiles=percentiles or None)


class Generator:
    """Thread: any; requests are met one after another."""

    def __init__(self, session: Session, inner_crc: bool = False) -> None:
        self.session = session
        self.inner_crc = inner_crc
        self.lock = threading.RLock()
        self.plan: Plan = EMPTY
        self.running = False  # the program forwards, for us
        self.answers = False  # protocols were started: devices answer, also while no flow transmits
        self.paused: set[str] = set()
        self.before: dict[str, Figures] = {}  # what flows had before they were started, in this run
        self.kept: dict[str, Figures] = {}  # of flows that this run has not started
        self.sampled: dict[str, tuple[float, int, float]] = {}  # when, packets received, rate
        self.capturing: set[str] = set()
        self.folder = tempfile.TemporaryDirectory(prefix="zcfwd-otg-")
        self.ports_before: dict[int, PortStats] = {}

    def close(self) -> None:
        self.folder.cleanup()

    # Commands

    def quietly(self, line: str) -> Optional[str]:
        """Run a command whose failure is no reason to go no further. Returns the reason."""
        try:
            self.session.command(line)
        except CommandError as error:
            return error.message
        return None

    def streams(self) -> dict[str, Json]:
        try:
            return {one["name"]: one for one in section(self.session.command("show generate streams"), "streams", list)}
        except CommandError as error:
            if error.code != "ENOENT":
                raise
            return {}

    def figures(self) -> dict[str, Figures]:
        """Of each flow, without what it had before it was started."""
        all_streams = self.streams() if self.plan.flows else {}
        figures = {}
        for flow in self.plan.flows:
            now = figures_of(all_streams[flow.stream]) if flow.stream in all_streams else NOTHING
            figures[flow.name] = self.kept[flow.name] if flow.name in self.kept else now.since(self.before.get(flow.name, NOTHING))
        return figures

    # Configuration

    def get_config(self) -> Json:
        with self.lock:
            return self.plan.text

    def set_config(self, body: Any) -> Json:
        """Replace the configuration. What transmits is stopped, but only if the new one is right."""
        with self.lock:
            plan = config_read(body, self.session.ports(), self.inner_crc)
            warnings = list(plan.warnings)
            if not self.running and self.session.command("show fwd stats all").get("running"):
                raise Refused(["config: zcfwd forwards already, and not for this server: expected it stopped"])
            if self.running:
                sending = [name for name, one in self.figures().items() if one.sending]
                if sending:
                    warnings.append(f"flows {', '.join(sending)} were transmitting: stopped")
                self.stop_run(warnings)
            self.captures_stop(set(self.capturing), warnings)
            self.streams_replace(plan)
            self.plan = plan
            self.paused, self.before, self.kept, self.sampled = set(), {}, {}, {}
            self.answers = False
            self.ports_before = {one.port: one for one in self.session.port_stats()}
            return answer(warnings)

    def streams_replace(self, plan: Plan) -> None:
        """Give the program the hosts and streams of a plan, and none if it refuses one: start describes all streams again."""
        self.forget(plan)
        try:
            for one in plan.interfaces:
                for path, line in one.lines():
                    self.tell(path, line)
            for flow in plan.flows:
                self.flow_describe(flow, "off")
            self.session.command("set fwd measure")
        except Refused:
            self.forget(plan)
            raise

    def forget(self, plan: Plan) -> None:
        """Take all streams from the program, and the hosts of the ports that have some, or are to."""
        self.quietly("clear generate stream all")
        for port in sorted({one.port for one in (*self.plan.interfaces, *plan.interfaces)}):
            self.quietly(f"set port {port} host none")

    def flow_describe(self, flow: Flow, state: str) -> None:
        self.tell(flow.path, flow.line(state))

    def update_config(self, body: Any) -> Json:
        """Change the rate or the size of flows, also while they transmit."""
        reader = Reader(body, "")
        with self.lock:
            _, update = reader.choice("flows", ("flows",))
            reader.finish()
            if update is None:
                raise reader.refuse("flows: missing: expected property_names and flows")
            names = update.names("property_names")
            for number, name in enumerate(names):
                if name not in ("rate", "size"):
                    raise Refused([f"flows.property_names[{number}]: {name!r}: expected rate or size"])
            text = copy.deepcopy(self.plan.text)
            changed = []
            for one in update.need("flows", "a list of flows").items():
                name = one.need("name", "the name of a flow").text()
                old = next((flow for flow in text.get("flows", []) if flow["name"] == name), None)
                if old is None:
                    raise one.refuse(f"{name!r}: there is no such flow: expected {self.names_of_flows()}")
                old.update({member: one.members().get(member) for member in names})
                changed.append(name)
            update.finish()
            self.plan_change(config_read(text, self.session.ports(), self.inner_crc), changed)
            return {}

    def plan_change(self, plan: Plan, changed: Sequence[str]) -> None:
        """Go on with a plan that differs in the rate and size of these flows: of all or, if zcfwd refuses one, of none."""
        def line(flow: Flow) -> str:
            return f"{flow.rate_line()} size {flow.size_words}" if self.running else flow.line("off")
        try:
            for flow in plan.flows:
                if flow.name in changed:
                    self.tell(flow.path, line(flow))
        except Refused:
            for flow in self.plan.flows:
                if flow.name in changed:
                    self.quietly(line(flow))
            raise
        self.plan = plan

    # State

    def control(self, body: Any) -> Json:
        reader = Reader(body, "")
        with self.lock:
            name, chosen = reader.choice("traffic", ("traffic", "port", "protocol"))
            reader.finish()
            if chosen is None:
                raise Refused([f"{name}: missing: expected a state"])
            if name == "protocol":
                return self.protocol_state(chosen)
            if name == "port":
                return self.port_state(chosen)
            _, transmit = chosen.choice("flow_transmit", ("flow_transmit",))
            if transmit is None:
                raise chosen.refuse("flow_transmit: missing: expected a state")
            state = transmit.need("state", "start, stop, pause or resume")
            flows = self.flows_named(transmit)
            transmit.finish()
            actions = {"start": self.start, "stop": self.stop, "pause": self.pause, "resume": self.resume}
            if state.text() not in actions:
                raise state.refuse(f"{state.text()}: expected start, stop, pause or resume")
            if not self.plan.flows:
                raise Refused(["traffic.flow_transmit: there are no flows: expected a configuration with flows first"])
            warnings: list[str] = []
            actions[state.text()](flows, warnings)
            return answer(warnings)

    def protocol_state(self, reader: Reader) -> Json:
        """Start or stop the devices: whether they answer while no flow transmits."""
        warnings: list[str] = []
        if not self.plan.interfaces or "all" not in reader.members():
            return answer(["protocol: there are no protocols: nothing was changed"])
        state = reader.need("all", "a state").need("state", "start or stop")
        if state.text() not in ("start", "stop"):
            raise state.refuse(f"{state.text()}: expected start or stop")
        self.answers = state.text() == "start"
        if self.answers and not self.running:
            self.start([], warnings)
        elif not self.answers:
            self.stop([], warnings)
        return answer(warnings)

    def names_of_flows(self) -> str:
        return " or ".join(repr(flow.name) for flow in self.plan.flows) or "a configuration with flows first"

    def flows_named(self, reader: Reader) -> list[Flow]:
        """The flows that a request names, or all."""
        names = reader.get("flow_names")
        found = []
        for one in names.items() if names is not None else []:
            flow = self.plan.flow(one.text())
            if flow is None:
                raise one.refuse(f"{one.text()!r}: there is no such flow: expected {self.names_of_flows()}")
            found.append(flow)
        return found or list(self.plan.flows)

    def start(self, flows: Sequence[Flow], warnings: list[str]) -> None:
        """Start flows from their beginning, with their counters at 0."""
        figures = self.figures()
        names = {flow.name for flow in flows}
        if self.running and any(one.sending for name, one in figures.items() if name not in names):
            self.start_beside(flows)
            return
        if self.running:
            self.stop_run(warnings)
        self.run_start(flows)
        self.kept = {name: dataclasses.replace(one, sending=False, tx_pps=0) for name, one in figures.items() if name not in names}
        self.before, self.sampled = {}, {}
        self.paused -= names

    def run_start(self, flows: Sequence[Flow]) -> None:
        """Let the program forward, with these flows. One that is off keeps it from sending its single stream."""
        for flow in self.plan.flows:
            self.flow_describe(flow, "on" if flow in flows else "off")
        if not self.plan.flows:
            self.tell("devices", f"set generate stream none port {self.plan.interfaces[0].port} state off")
        try:
            self.session.command("start")
        except CommandError as error:
            raise Refused([f"flows: {error.message}"]) from None
        self.running = True

    def start_beside(self, flows: Sequence[Flow]) -> None:
        """Start flows while others transmit."""
        self.off(flows)
        streams = self.streams_settled(flows)
        for flow in flows:
            self.before[flow.name] = figures_of(streams[flow.stream])
            self.kept.pop(flow.name, None)
            self.paused.discard(flow.name)
            self.sampled.pop(flow.name, None)
            self.tell(flow.path, flow.change("on"))

    def streams_settled(self, flows: Sequence[Flow]) -> dict[str, Json]:
        """The streams when packets of these flows that are under way have arrived: they are not of the next start. Lost ones are waited for SETTLE_S."""
        end = time.monotonic() + SETTLE_S
        while True:
            streams = self.streams()
            now = [figures_of(streams[flow.stream]) for flow in flows]
            if all(one.rx >= one.tx for one in now) or time.monotonic() > end:
                return streams
            time.sleep(0.02)

    def off(self, flows: Sequence[Flow]) -> None:
        for flow in flows:
            self.tell(flow.path, f"set generate stream {flow.stream} state off")

    def tell(self, path: str, line: str) -> None:
        """Run a command for a part of the configuration. The column that an error has is that of a line which no client has seen."""
        try:
            self.session.command(line)
        except CommandError as error:
            raise Refused([f"{path}: {re.sub('^column [0-9]+: ', '', error.message)}"]) from None

    def stop(self, flows: Sequence[Flow], warnings: list[str]) -> None:
        """Stop flows. Their counters stay."""
        names = {flow.name for flow in flows}
        self.paused -= names
        if not self.running:
            return
        if any(one.sending for name, one in self.figures().items() if name not in names) or self.paused or self.answers:
            self.off(flows)
        else:
            self.stop_run(warnings)

    def stop_run(self, warnings: list[str]) -> None:
        reason = self.quietly("stop")
        if reason is not None:
            warnings.append(f"stop: {reason}")
        self.running = False

    def pause(self, flows: Sequence[Flow], warnings: list[str]) -> None:
        """Pause flows that transmit."""
        figures = self.figures()
        sending = [flow for flow in flows if figures[flow.name].sending]
        for flow in sending:
            if flow.end.seconds:
                raise Refused([f"{flow.path}.duration: fixed_seconds: a flow with it cannot be paused: expected stop"])
        self.off(sending)
        for flow in sending:
            if not flow.end.packets or self.figures()[flow.name].tx < flow.end.packets:
                self.paused.add(flow.name)

    def resume(self, flows: Sequence[Flow], warnings: list[str]) -> None:
        """Go on with paused flows."""
        paused = [flow for flow in flows if flow.name in self.paused]
        if not paused:
            raise Refused([f"traffic.flow_transmit.state: resume: {flows[0].name!r} is not paused: expected start"])
        figures, streams = self.figures(), self.streams()
        for flow in paused:
            kept = self.kept.pop(flow.name, None)
            if kept is not None:  # it was started in the run before: what it has sent there is added
                self.before[flow.name] = figures_of(streams[flow.stream]).since(kept)
            left = flow.end.packets - figures[flow.name].tx
            if left > 0 or not flow.end.packets:
                self.tell(flow.path, f"set generate stream {flow.stream} count {max(left, 0)} delay 0 state on")
            self.paused.discard(flow.name)

    # Captures

    def port_state(self, reader: Reader) -> Json:
        name, chosen = reader.choice("capture", ("capture",))
        reader.finish()
        if chosen is None:
            raise reader.refuse(f"{name}: missing: expected a state")
        state = chosen.need("state", "start or stop")
        names = chosen.get("port_names")
        found = names.items() if names is not None else []
        chosen.finish()
        if state.text() not in ("start", "stop"):
            raise state.refuse(f"{state.text()}: expected start or stop")
        for one in found:
            if one.text() not in self.plan.captures:
                raise one.refuse(f"{one.text()!r}: no capture is configured: expected {' or '.join(map(repr, self.plan.captures)) or 'captures in the config'}")
        wanted = {one.text() for one in found} or set(self.plan.captures)
        if not wanted:
            raise Refused(["port.capture: no capture is configured: expected a configuration with captures first"])
        warnings: list[str] = []
        self.captures_stop(wanted & self.capturing, warnings)
        if state.text() == "start":
            for port in sorted(wanted):
                self.capture_start(port)
        return answer(warnings)

    def capture_path(self, name: str) -> str:
        return os.path.join(self.folder.name, f"port{self.plan.ports[name]}.pcap")

    def capture_start(self, name: str) -> None:
        snaplen = self.plan.captures[name].snaplen
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.capture_path(name))
        line = f"capture start {self.plan.ports[name]} file {self.capture_path(name)} overwrite rx" + (f" snaplen {snaplen}" if snaplen else "")
        try:
            self.session.command(line)
        except CommandError as error:
            raise Refused([f"port.capture: port {name!r}: {error.message}"]) from None
        self.capturing.add(name)

    def captures_stop(self, names: set[str], warnings: list[str]) -> None:
        for name in sorted(names):
            reason = self.quietly(f"capture stop {self.plan.ports[name]}")
            if reason is not None:
                warnings.append(f"capture of port {name!r}: {reason}")
            self.capturing.discard(name)

    def capture(self, body: Any) -> BinaryIO:
        """A capture that has ended, as a file to read from its beginning."""
        reader = Reader(body, "")
        with self.lock:
            port = reader.need("port_name", "the name of a port")
            reader.only("packets", None, "the whole capture is the answer")
            reader.finish()
            name = port.text()
            if name not in self.plan.captures:
                raise port.refuse(f"{name!r}: no capture is configured: expected {' or '.join(map(repr, self.plan.captures)) or 'captures in the config'}")
            if name in self.capturing:
                raise port.refuse(f"{name!r}: the capture runs: expected it stopped")
            try:
                source = open(self.capture_path(name), "rb")
            except FileNotFoundError:
                raise port.refuse(f"{name!r}: nothing was captured: expected a capture that was started") from None
            target = tempfile.TemporaryFile()
            with source:
                (_pcap.pcapng if self.plan.captures[name].form == "pcapng" else _pcap.pcap)(source, target)
            target.seek(0)
            return target

    # Metrics

    def metrics(self, body: Any) -> Json:
        reader = Reader(body, "")
        with self.lock:
            name, chosen = reader.choice("port", ("port", "flow"))
            reader.finish()
            asked = chosen if chosen is not None else Reader({}, name)
            if name == "port":
                return {"choice": "port_metrics", "port_metrics": self.port_metrics(asked)}
            return {"choice": "flow_metrics", "flow_metrics": self.flow_metrics(asked)}

    def flow_metrics(self, reader: Reader) -> list[Json]:
        names = reader.get("flow_names")
        flows = [flow for flow in self.flows_named(reader) if flow.enabled or names is not None]
        columns = columns_read(reader, "metric_names", FLOW_COLUMNS)
        reader.only("tagged_metrics", None, "no metrics by value of a field")
        reader.finish()
        for one in names.items() if names is not None else []:
            flow = self.plan.flow(one.text())
            if flow is not None and not flow.enabled:
                raise one.refuse(f"{one.text()!r} has no metrics: expected {flow.path}.metrics.enable")
        figures = self.figures()
        return [chosen(self.flow_metric(flow, figures[flow.name]), columns) for flow in flows]

    def flow_metric(self, flow: Flow, now: Figures) -> Json:
        state = "paused" if flow.name in self.paused else "started" if now.sending and self.running else "stopped"
        tx_pps = now.tx_pps if state == "started" else 0.0
        rx_pps = self.rx_rate(flow.name, now.rx) if state == "started" else 0.0
        metric: Json = {
            "name": flow.name, "port_tx": flow.tx_name, "port_rx": flow.rx_names[0] if len(flow.rx_names) == 1 else "", "transmit": state,
            "frames_tx": now.tx, "frames_rx": now.rx, "bytes_tx": round(now.tx * flow.size), "bytes_rx": round(now.rx * flow.size),
            "loss": round(max(0.0, 100 * (now.tx - now.rx) / now.tx), 4) if now.tx else 0.0,
        }
        for side, pps in (("tx", tx_pps), ("rx", rx_pps)):
            bits = pps * flow.size * 8
            metric[f"frames_{side}_rate"] = round(pps, 3)
            metric[f"{side}_l1_rate_bps"] = round(pps * (flow.size - FCS_BYTES + L1_BYTES) * 8, 3)
            metric[f"{side}_rate_bytes"] = round(bits / 8, 3)
            metric[f"{side}_rate_bps"] = round(bits, 3)
            metric[f"{side}_rate_kbps"] = round(bits / 1e3, 3)
            metric[f"{side}_rate_mbps"] = round(bits / 1e6, 3)
        if flow.latency and now.minimum is not None and now.mean is not None and now.maximum is not None:
            metric["latency"] = {"minimum_ns": round(now.minimum, 1), "maximum_ns": round(now.maximum, 1), "average_ns": round(now.mean, 1)}
            if now.percentiles:
                metric["latency"]["percentiles_ns"] = {name: round(value, 1) for name, value in now.percentiles.items()}
        return metric

    def rx_rate(self, name: str, received: int) -> float:
        """Packets per second since the last request for them."""
        now = time.monotonic()
        when, before, rate = self.sampled.get(name, (0.0, 0, 0.0))
        if name in self.sampled and now - when < RATE_S:
            return rate
        rate = (received - before) / (now - when) if name in self.sampled else 0.0
        self.sampled[name] = (now, received, rate)
        return rate

    def port_metrics(self, reader: Reader) -> list[Json]:
        wanted = reader.names("port_names")
        columns = columns_read(reader, "column_names", PORT_COLUMNS)
        reader.finish()
        for number, name in enumerate(wanted):
            if name not in self.plan.ports:
                raise Refused([f"{reader.path}.port_names[{number}]: {name!r}: there is no such port: expected "
                               f"{' or '.join(map(repr, self.plan.ports)) or 'ports in the config'}"])
        stats = {one["port"]: pick(PortStats, one) for one in section(self.session.command("show port stats all"), "ports", list)}
        links = {one.port: one for one in self.session.ports()}
        figures = self.figures()
        metrics = []
        for name, number in self.plan.ports.items():
            if wanted and name not in wanted:
                continue
            if number not in stats or number not in links:
                raise Refused([f"port {name!r}: zcfwd's port {number} is gone"])
            sending = self.running and any(flow.tx_port == number and figures[flow.name].sending for flow in self.plan.flows)
            metrics.append(chosen(self.port_metric(name, stats[number], links[number].link_up, links[number].link_mbps, sending), columns))
        return metrics

    def port_metric(self, name: str, now: PortStats, up: bool, mbps: int, sending: bool) -> Json:
        before = self.ports_before.get(now.port)
        n = {one: (getattr(now, one) or 0) - ((getattr(before, one) or 0) if before is not None else 0) for one in PORT_COUNTERS}
        rates = {side: getattr(now, f"{side}_pps") or 0.0 for side in ("tx", "rx")}
        bits = {side: getattr(now, f"{side}_bps") or 0.0 for side in ("tx", "rx")}
        return {
            "name": name, "location": self.plan.locations[name], "link": "up" if up else "down",
            "capture": "started" if name in self.capturing else "stopped", "transmit": "started" if sending else "stopped",
            "frames_tx": n["tx_packets"], "frames_rx": n["rx_packets"], "bytes_tx": n["tx_bytes"] + FCS_BYTES * n["tx_packets"],
            "bytes_rx": n["rx_bytes"] + FCS_BYTES * n["rx_packets"], "speed": mbps,
            "frames_tx_rate": round(rates["tx"], 3), "frames_rx_rate": round(rates["rx"], 3),
            "bytes_tx_rate": round(bits["tx"] / 8 + FCS_BYTES * rates["tx"], 3), "bytes_rx_rate": round(bits["rx"] / 8 + FCS_BYTES * rates["rx"], 3),
        }


def columns_read(reader: Reader, member: str, known: Sequence[str]) -> list[str]:
    """Names of members of metrics."""
    names = reader.names(member)
    for number, name in enumerate(names):
        if name not in known:
            raise Refused([f"{reader.path}.{member}[{number}]: {name!r}: not supported: expected {' or '.join(known)}"])
    return names


def chosen(metric: Json, columns: Sequence[str]) -> Json:
    """Those members that were asked for."""
    return {name: value for name, value in metric.items() if name == "name" or name in columns} if columns else metric


def answer(warnings: Sequence[str]) -> Json:
    return {"warnings": list(warnings)} if warnings else {}
