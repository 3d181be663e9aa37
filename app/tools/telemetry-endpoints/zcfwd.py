"""What zcfwd tells over DPDK's telemetry socket, as metrics: for dpdk-telemetry-exporter.py, and for zcfwd-openmetrics.

Counters begin at zero with every start of forwarding (zcfwd_runs_total tells which), as counters of a restarted program do;
those of ports go on.
"""

STREAM = {
    "rx": ("stream_rx_packets_total", "Packets received."),
    "made": ("stream_made_packets_total", "Packets that the engine made."),
    "tx": ("stream_tx_packets_total", "Packets that the port took."),
    "tx_dropped": ("stream_tx_dropped_packets_total", "Packets that the port did not take, retries included."),
    "absorbed": ("stream_absorbed_packets_total", "Packets that the engine took out on purpose."),
    "tx_retried": ("stream_tx_retries_total", "Transmit calls after a short one."),
    "busy_cycles": ("stream_busy_cycles_total", "TSC cycles of turns that had packets; 0 unless record-core-cycles is on."),
    "rx_bytes": ("stream_rx_bytes_total", "Bytes received; 0 unless record-bytes is on."),
    "tx_bytes": ("stream_tx_bytes_total", "Bytes that the port took; 0 unless record-bytes is on."),
}
PORT = {
    "rx_packets": ("port_rx_packets_total", "Packets received."),
    "rx_bytes": ("port_rx_bytes_total", "Bytes received."),
    "rx_missed": ("port_rx_missed_packets_total", "Packets that found no free descriptor."),
    "rx_errors": ("port_rx_errors_total", "Packets received with errors."),
    "rx_nombuf": ("port_rx_nombuf_total", "Receptions for which the pool had no buffer."),
    "tx_packets": ("port_tx_packets_total", "Packets sent."),
    "tx_bytes": ("port_tx_bytes_total", "Bytes sent."),
    "tx_errors": ("port_tx_errors_total", "Packets that could not be sent."),
}
PORT_STATE = {
    "started": ("port_started", "1: the port is started."),
    "link_up": ("port_link_up", "1: the link is up."),
    "link_mbps": ("port_link_mbps", "Speed of the link in Mb/s."),
}
POOL = {"size": ("pool_buffers", "Buffers that the pool has."), "available": ("pool_available_buffers", "Buffers not in use.")}
WORKER = {
    "packets": ("pipeline_worker_packets_total", "Packets that a worker of ring_pipeline took."),
    "idle_turns": ("pipeline_worker_idle_turns_total", "Turns of a worker that found no packet."),
    "cycles": ("pipeline_worker_cycles_total", "TSC cycles of turns with packets; 0 unless record-core-cycles is on."),
    "stage_cycles": ("pipeline_worker_stage_cycles_total", "Of those, cycles in the stage."),
}
RING_PUT = {
    "packets": ("pipeline_ring_packets_total", "Packets put into a ring of ring_pipeline."),
    "full": ("pipeline_ring_full_total", "Calls that found too little room in the ring."),
}
RING_STATE = {"level": ("pipeline_ring_level_packets", "Packets in the ring now.")}
RECYCLE = {"moved": ("stream_recycled_mbufs_total", "Sent mbufs that were armed again without the pool.")}
EXTBUF = {"out": ("stream_external_buffers_out", "External buffers that packets point at now.")}
BURSTS = {"rx_bursts": ("rx_burst_packets", "Packets that a receive call gave."),
          "tx_bursts": ("tx_burst_packets", "Packets that a transmit call ended with.")}
BUCKETS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


def info():
    """Name of each metric to its help and type; a histogram is told as the counters that it consists of."""
    found = {
        "info": ("Versions and the engine that forwards, as labels.", "gauge"),
        "running": ("1: forwarding runs.", "gauge"),
        "runs_total": ("Starts of forwarding.", "counter"),
        "tsc_hz": ("Cycles of the time stamp counter per second.", "gauge"),
        "engine_events_total": ("The engine's own counters, by name.", "counter"),
    }
    for table, kind in ((STREAM, "counter"), (PORT, "counter"), (PORT_STATE, "gauge"), (POOL, "gauge"), (WORKER, "counter"),
                        (RING_PUT, "counter"), (RING_STATE, "gauge"), (RECYCLE, "counter"), (EXTBUF, "gauge")):
        found.update({name: (text, kind) for name, text in table.values()})
    for name, text in BURSTS.values():
        found.update({f"{name}_{part}": (text, "counter") for part in ("bucket", "sum", "count")})
    return found


def metrics(sock):
    """All metrics of the program behind sock, as (name, value, labels)."""
    config, engine = sock.cmd("/zcfwd/config"), sock.cmd("/zcfwd/engine")
    found = [
        ("info", 1, {"version": config["version"], "dpdk": config["dpdk"], "engine": engine["engine"]}),
        ("running", engine["running"], {}),
        ("runs_total", engine["runs"], {}),
        ("tsc_hz", engine["tsc_hz"], {}),
        *(("engine_events_total", value, {"counter": name}) for name, value in engine["counters"].items()),
    ]
    for port, values in pages(sock, "/zcfwd/ports", "ports"):
        labels = {"port": port, "name": values["name"]}
        found += values_of(values, {**PORT, **PORT_STATE}, labels)
    for pool, values in sock.cmd("/zcfwd/pools")["pools"].items():
        found += values_of(values, POOL, {"pool": pool})
    for number, values in pages(sock, "/zcfwd/streams", "streams"):
        labels = {"stream": number, **{key: values[key] for key in ("rx_port", "rx_queue", "tx_port", "tx_queue", "lcore")}}
        found += values_of(values, STREAM, labels)
        found += bursts(sock, number, labels)
        if engine["engine"] in ("recycle_mbufs", "extbuf"):
            one = sock.cmd("/zcfwd/stream", number) or {}
            found += values_of(one.get("recycle", {}), RECYCLE, labels) + values_of(one.get("extbuf", {}), EXTBUF, labels)
    if engine["engine"] == "ring_pipeline":
        found += pipeline(sock)
    return found


def pipeline(sock):
    """Workers and rings."""
    found = []
    for number, values in pages(sock, "/zcfwd/pipeline/workers", "workers"):
        found += values_of(values, WORKER, {"worker": number})
    for _, values in pages(sock, "/zcfwd/pipeline/rings", "rings"):
        labels = {key: values[key] for key in ("direction", "stream", "worker")}
        found += values_of(values["put"], RING_PUT, labels) + values_of(values, RING_STATE, labels)
    return found


def values_of(values, table, labels):
    return [(name, values[key], labels) for key, (name, _) in table.items() if key in values]


def pages(sock, command, key):
    """(name, value) of every member of a paged object. A run that began between two pages may have fewer."""
    first = 0
    while first is not None:
        answer = sock.cmd(command, first) or {key: {}}
        yield from answer[key].items()
        first = answer.get("next")


def bursts(sock, number, labels):
    """The histograms of one stream in Prometheus' cumulative buckets; none while no burst was recorded."""
    cells, first = {way: {} for way in BURSTS}, 0
    while first is not None:
        answer = sock.cmd("/zcfwd/bursts", f"{number},,{first}" if first else number) or {}
        for way in cells:
            if way in answer:
                cells[way].update(zip(answer[way]["sizes"], answer[way]["counts"]))
        first = answer.get("next")
    found = []
    for way, (name, _) in BURSTS.items():
        if not cells[way]:
            continue
        total = sum(cells[way].values())
        found += [(f"{name}_bucket", sum(n for size, n in cells[way].items() if size <= limit), {**labels, "le": float(limit)})
                  for limit in BUCKETS]
        found += [(f"{name}_bucket", total, {**labels, "le": "+Inf"}), (f"{name}_count", total, labels),
                  (f"{name}_sum", sum(size * n for size, n in cells[way].items()), labels)]
    return found
