# SPDX-License-Identifier: BSD-3-Clause
"""
Forward, generate and measure packets with zcfwd from Python (doc/python.md).

    with zcfwd.start(ports=["model:xl710"] * 2) as z:
        run = z.forward("mac", seconds=2)
        print(run.mpps, run.drops)
"""
from ._errors import CommandError, CommandTimeout, ConnectionLost, Error, ProtocolError, StartError
from ._results import Comparison, Event, Measured, Port, PortStats, Run, StreamStats
from ._session import Events, Session, attach, start

__all__ = [
    "CommandError", "CommandTimeout", "Comparison", "ConnectionLost", "Error", "Event", "Events", "Measured", "Port", "PortStats", "ProtocolError",
    "Run", "Session", "StartError", "StreamStats", "attach", "start",
]
