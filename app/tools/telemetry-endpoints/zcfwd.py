# SPDX-License-Identifier: BSD-3-Clause
"""Metrics from zcfwd's telemetry, for dpdk-telemetry-exporter.py and zcfwd-openmetrics.

Names, units, kinds and help are read from the program (/zcfwd/schema). A metric is named TABLE_ROW_UNIT, with _total for
counters. Counters restart at zero with each start of forwarding, which zcfwd_runs_total counts, like the counters of a
restarted program; counters of ports continue.
"""

PORT_STATE = {
    "started": ("port_started", "1 if the port is started."),
    "link_up": ("port_link_up", "1 if the link is up."),
    "link_mbps": ("port_link_mbps", "Link speed in Mb/s."),
}
BUCKETS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
# Help and type of each metric; metrics() adds those from the program's schema. A histogram is represented by its counters.
INFO = {
    "info": ("Versions and the active engine, as labels.", "gauge"),
    "running": ("1 if forwarding is running.", "gauge"),
    "runs_total": ("Starts of forwarding.", "counter"),
    "tsc_hz": ("Cycles of the time stamp counter per second.", "gauge"),
    "engine_events_total": ("The engine's own counters, by name.", "counter"),
    **{name: (text, "gauge") for name, text in PORT_STATE.values()},
}
HISTOGRAMS = set()  # metrics with _bucket, _sum and _count


def info():
    """Return INFO itself, not a copy: metrics() adds to it later."""
    return INFO


def metrics(sock):
    """Return all metrics of the program connected to sock, as (name, value, labels)."""
    config, engine = sock.cmd("/zcfwd/config"), sock.cmd("/zcfwd/engine")
    shared, groups = schema(sock, engine["engine"])
    found = [
        ("info", 1, {"version": config["version"], "dpdk": config["dpdk"], "engine": engine["engine"]}),
        ("running", engine["running"], {}),
        ("runs_total", engine["runs"], {}),
        ("tsc_hz", engine["tsc_hz"], {}),
        *account(shared["account"], engine),
        *(("engine_events_total", value, {"counter": name}) for name, value in engine["counters"].items()),
    ]
    for port, values in pages(sock, "/zcfwd/ports", "ports"):
        labels = {"port": port, "name": values["name"]}
        found += values_of("port", shared["port"], values, labels)
        found += [(name, values[key], labels) for key, (name, _) in PORT_STATE.items() if key in values]
    for pool, values in sock.cmd("/zcfwd/pools")["pools"].items():
        found += values_of("pool", shared["pool"], values, {"pool": pool})
    for _, device in pages(sock, "/zcfwd/dma", "dma"):
        for vchan, values in ((key, value) for key, value in device.items() if isinstance(value, dict)):
            table = "dma_adaptive" if "min_len_near" in values else "dma_engine"
            found += values_of(table, shared[table], values, {"device": device["name"], "vchan": vchan.removeprefix("vchan")})
    for number, values in pages(sock, "/zcfwd/streams", "streams"):
        labels = {"stream": number, **{key: values[key] for key in ("rx_port", "rx_queue", "tx_port", "tx_queue", "lcore")}}
        found += values_of("stream", shared["stream"], {**values, **bursts(sock, number, shared["stream"])}, labels)
    for group, rows in groups.items():
        for _, values in pages(sock, "/zcfwd/group", "members", group):
            found += values_of(group, rows, values, {key: word for key, word in values.items() if key not in rows})
    return found


def account(rows, engine):
    """Return the metrics of the account of packets; those that are not known are left out, such as the loss while packets are under way."""
    found = []
    for row, about in rows.items():
        if row in engine:
            INFO[f"{row}_packets_total"] = (f"Of a run: {about['help']}.", "counter")
            found.append((f"{row}_packets_total", engine[row], {}))
    return found


def schema(sock, engine):
    """Return ({table: rows} common to all engines, {group: rows} of this engine)."""
    shared, groups = {}, {}
    for _, table in pages(sock, "/zcfwd/schema", "tables"):
        if "engine" not in table:
            shared.setdefault(table["table"], {}).update(table["rows"])
        elif table["engine"] in (engine, "any engine") and table["table"] != "counters":
            groups[table["table"]] = table["rows"]
    return shared, groups


def values_of(table, rows, values, labels):
    """Return the metrics of one object, for those rows of a table that it has."""
    found = []
    for row, about in rows.items():
        if row not in values:
            continue
        name = f"{table}_{row}"
        if about["unit"] != "flag" and not row.endswith(about["unit"]):
            name += "_" + about["unit"]
        if about["kind"] == "histogram":
            found += histogram(name, about, values[row], labels)
        else:
            name += "_total" if about["kind"] == "counter" else ""
            INFO[name] = (about["help"], about["kind"])
            found.append((name, values[row], labels))
    return found


def histogram(name, about, value, labels):
    """Return a histogram with Prometheus' cumulative buckets; empty if nothing was counted yet."""
    cells = dict(zip(value["sizes"], value["counts"]))
    HISTOGRAMS.add(name)
    INFO.update({f"{name}_{part}": (about["help"], "counter") for part in ("bucket", "sum", "count")})
    if not cells:
        return []
    total = sum(cells.values())
    return [*((f"{name}_bucket", sum(n for size, n in cells.items() if size <= limit), {**labels, "le": float(limit)}) for limit in BUCKETS),
            (f"{name}_bucket", total, {**labels, "le": "+Inf"}), (f"{name}_count", total, labels),
            (f"{name}_sum", sum(size * n for size, n in cells.items()), labels)]


def pages(sock, command, key, *words):
    """Yield (name, value) of every member of a paged object; a run that started between two pages may have fewer."""
    first = 0
    while first is not None:
        answer = sock.cmd(command, ",".join(map(str, (*words, first)))) or {key: {}}
        yield from answer[key].items()
        first = answer.get("next")


def bursts(sock, number, rows):
    """Return the histograms of one stream, with all pages combined."""
    cells, first = {row: {"sizes": [], "counts": []} for row, about in rows.items() if about["kind"] == "histogram"}, 0
    while first is not None:
        answer = sock.cmd("/zcfwd/bursts", f"{number},,{first}" if first else number) or {}
        for row, parts in cells.items():
            for part in parts:
                parts[part] += answer.get(row, {}).get(part, [])
        first = answer.get("next")
    return cells
