#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Controls a zcfwd-otg on each of several hosts: loss and rate of flows from each host to the next one (doc/howto/several-hosts.md).

The sender counts what it sent, and the port of the receiver what arrived: a host does not know the flows of another one. Status: 0, 1 a
flow lost more than allowed, 2 the measurement failed.
"""
import argparse
import json
import logging
import secrets
import sys
import time
import urllib.error
import urllib.request

try:
    import snappi
except ImportError:
    snappi = None

ANSWER_S = 5
QUIET_S = 0.5  # without another packet: all have left the device under test
NO_PROGRESS_S = 30


class Failed(Exception):
    """Why there is no result."""


class Endpoint:
    """A zcfwd-otg by plain HTTP. Its port is the first one of its zcfwd."""

    def __init__(self, address):
        self.address = address

    def ask(self, method, path, body=None):
        request = urllib.request.Request(f"http://{self.address}{path}", json.dumps(body).encode() if body else None,
                                         {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Failed(f"{self.address}: {'; '.join(json.load(error)['errors'])}") from None
        except (OSError, ValueError) as error:
            raise Failed(f"{self.address}: no answer: {getattr(error, 'reason', error)}") from None

    def version(self):
        return self.ask("GET", "/capabilities/version")["app_version"]

    def configure(self, body):
        self.ask("POST", "/config", body)

    def transmit(self, state):
        self.ask("POST", "/control/state", {"choice": "traffic", "traffic": {"choice": "flow_transmit", "flow_transmit": {"state": state}}})

    def flows(self, *names):
        return self.ask("POST", "/monitor/metrics", {"choice": "flow", "flow": {"flow_names": list(names)}})["flow_metrics"]

    def ports(self, *names):
        return self.ask("POST", "/monitor/metrics", {"choice": "port", "port": {"port_names": list(names)}})["port_metrics"]


class SnappiEndpoint(Endpoint):
    """The requests by snappi, which checks them before it sends them."""

    def __init__(self, address):
        super().__init__(address)
        self.api = snappi.api(location=f"http://{address}", loglevel=logging.ERROR)

    def call(self, function, body=None):
        super().version()  # snappi waits for a silent host for minutes, and has no limit to set
        try:
            return (function() if body is None else function(body)).serialize("dict")
        except Exception as error:  # snappi raises no class of its own
            said = getattr(error.args[0] if error.args else None, "errors", None)
            raise Failed(f"{self.address}: {'; '.join(said) if said else f'no answer: {error}'}") from None

    def version(self):
        return self.call(self.api.get_version)["app_version"]

    def configure(self, body):
        config = self.api.config()
        config.deserialize(body)
        self.call(self.api.set_config, config)

    def transmit(self, state):
        control = self.api.control_state()
        control.traffic.flow_transmit.state = state
        self.call(self.api.set_control_state, control)

    def flows(self, *names):
        request = self.api.metrics_request()
        request.flow.flow_names = list(names)
        return self.call(self.api.get_metrics, request).get("flow_metrics", [])

    def ports(self, *names):
        request = self.api.metrics_request()
        request.port.port_names = list(names)
        return self.call(self.api.get_metrics, request).get("port_metrics", [])


def value(one):
    return {"choice": "value", "value": one}


def configuration(number, after, port, options):
    """Of host number: its port, and a flow from it to the host after it."""
    headers = {
        "ethernet": {"src": value(f"02:00:00:00:00:{number:02x}"), "dst": value(f"02:00:00:00:00:{after:02x}")},
        "ipv4": {"src": value(f"198.18.0.{number + 1}"), "dst": value(f"198.18.0.{after + 1}")},
        "udp": {"src_port": value(5000 + number), "dst_port": value(9)},
    }
    return {
        "ports": [{"name": port, "location": "0"}],
        "flows": [{
            "name": f"{number} to {after}", "tx_rx": {"choice": "port", "port": {"tx_name": port}},
            "packet": [{"choice": name, name: members} for name, members in headers.items()],
            "size": {"choice": "fixed", "fixed": options.size}, "rate": {"choice": "pps", "pps": options.pps},
            "duration": {"choice": "fixed_packets", "fixed_packets": {"packets": options.frames}}, "metrics": {"enable": True},
        }],
    }


class Host:
    """An endpoint and what came of its flow to the next host."""

    def __init__(self, number, endpoint):
        self.number = number
        self.endpoint = endpoint
        self.port = f"port {number} {secrets.token_hex(4)}"  # of this controller: another one has another name
        self.flow = ""
        self.sent = self.received = 0
        self.samples = []  # time, sent, received: the first and the last ones while it sends
        self.sending = True

    def ask_free(self):
        busy = [one["name"] for one in self.endpoint.flows() if one["transmit"] != "stopped"]
        if busy:
            raise Failed(f"{self.endpoint.address}: transmits {', '.join(busy)} for another controller: expected it stopped")

    def poll(self, after):
        """What this host has sent, and what the one after it has received."""
        flow, port = self.endpoint.flows(self.flow)[0], after.endpoint.ports(after.port)[0]
        self.sending = flow["transmit"] != "stopped"
        self.sent, self.received = int(flow["frames_tx"]), int(port["frames_rx"])
        if self.sending and self.sent:
            self.samples = [*self.samples[:1], (time.monotonic(), self.sent, self.received)]

    def rates(self):
        """Packets per second sent and received, by the clock of this controller."""
        (began, *first), (ended, *last) = self.samples[0], self.samples[-1]
        return [(late - early) / (ended - began) for early, late in zip(first, last)] if ended > began else [0.0, 0.0]

    def loss(self):
        return 100 * (self.sent - self.received) / self.sent if self.sent else 100.0


def version_within(endpoint, end):
    """The version of a zcfwd, which may take until then to come up."""
    while True:
        try:
            return endpoint.version()
        except Failed:
            if time.monotonic() >= end:
                raise
        time.sleep(0.2)


def prepare(hosts, options):
    end = time.monotonic() + options.wait
    versions = {host.endpoint.address: version_within(host.endpoint, end) for host in hosts}
    if len(set(versions.values())) > 1:
        raise Failed("expected one version on all hosts: " + ", ".join(f"{address} has {version}" for address, version in versions.items()))
    for host in hosts:
        host.ask_free()
    for host in hosts:
        body = configuration(host.number, (host.number + 1) % len(hosts), host.port, options)
        host.flow = body["flows"][0]["name"]
        host.endpoint.configure(body)


def poll(hosts):
    for host, after in zip(hosts, [*hosts[1:], hosts[0]]):
        host.poll(after)


def run(hosts):
    """Until all flows have ended, and no packet has arrived for a while."""
    for host in hosts:
        host.endpoint.transmit("start")
    before, changed = None, time.monotonic()
    while True:
        poll(hosts)
        now = [(host.sent, host.received) for host in hosts]
        if now != before:
            before, changed = now, time.monotonic()
        quiet = time.monotonic() - changed
        if quiet > QUIET_S and not any(host.sending for host in hosts):
            return
        if quiet > NO_PROGRESS_S:
            raise Failed(f"no packet for {NO_PROGRESS_S} s, and flows have not ended")
        time.sleep(0.1)


def stop(hosts):
    """Each host that answers."""
    for host in hosts:
        try:
            host.endpoint.transmit("stop")
        except Failed as error:
            print(f"controller: {error}", file=sys.stderr)


def report(hosts, options):
    """Print the table. Returns the exit status."""
    print(f"{'flow':<10} {'sent':>10} {'received':>10} {'loss %':>9} {'tx pps':>10} {'rx pps':>10}")
    status = 0
    for host in hosts:
        tx_pps, rx_pps = host.rates() if host.samples else (0.0, 0.0)
        print(f"{host.flow:<10} {host.sent:>10} {host.received:>10} {host.loss():>9.4f} {tx_pps:>10.0f} {rx_pps:>10.0f}")
        if host.received > host.sent:
            print(f"controller: {host.flow}: more received than sent: something else sends to this port", file=sys.stderr)
            status = 1
        elif host.loss() > options.loss:
            print(f"controller: {host.flow}: loss {host.loss():.4f} %: expected at most {options.loss:g} %", file=sys.stderr)
            status = 1
        if host.samples and tx_pps < 0.95 * options.pps:
            print(f"controller: {host.flow}: sent {tx_pps:.0f} of {options.pps} packets/s: the sender is the limit", file=sys.stderr)
    return status


def options_read():
    parser = argparse.ArgumentParser(description="Loss and rate of flows from each host to the next one.")
    parser.add_argument("addresses", nargs="+", metavar="ADDRESS:PORT", help="a zcfwd-otg of each host")
    parser.add_argument("--frames", type=int, default=2000, help="packets of each flow (2000)")
    parser.add_argument("--pps", type=int, default=500, help="packets per second of each flow (500)")
    parser.add_argument("--size", type=int, default=512, help="bytes of a packet, with CRC (512)")
    parser.add_argument("--loss", type=float, default=0.0, metavar="PERCENT", help="status 1 if a flow loses more (0)")
    parser.add_argument("--wait", type=float, default=0.0, metavar="SECONDS", help="until the hosts answer (0)")
    parser.add_argument("--http", action="store_true", help="plain HTTP even if snappi is installed")
    options = parser.parse_args()
    if len(options.addresses) < 2:
        parser.error(f"{options.addresses[0]}: expected two hosts or more")
    for address in options.addresses:
        if options.addresses.count(address) > 1:
            parser.error(f"{address}: given twice")
    return options


def main():
    options = options_read()
    kind = SnappiEndpoint if snappi is not None and not options.http else Endpoint
    hosts = [Host(number, kind(address)) for number, address in enumerate(options.addresses)]
    try:
        prepare(hosts, options)
    except Failed as error:
        print(f"controller: {error}", file=sys.stderr)
        return 2
    try:
        run(hosts)
        for host in hosts:
            host.endpoint.transmit("stop")  # it also receives what still waits in the host's rings
        poll(hosts)
    except (Failed, KeyboardInterrupt) as error:
        print(f"controller: {error or 'interrupted'}", file=sys.stderr)
        stop(hosts)
        return 2
    return report(hosts, options)


if __name__ == "__main__":
    sys.exit(main())
