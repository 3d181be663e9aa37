# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd-otg: its arguments, and the life of the server."""
from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Sequence
from typing import Optional

from .._errors import CommandError, ConnectionLost, Error
from .._process import Process, find_program
from .._session import START_S, Session, attach
from . import _grpc
from ._generator import Generator
from ._server import Server

USAGE = """zcfwd-otg [--listen ADDRESS:PORT] [--grpc ADDRESS:PORT] [--inner-crc] [--control NAME | -- ARGUMENTS OF ZCFWD]

Serve the API of Open Traffic Generator, for a zcfwd that runs already, or for one of its own:

  zcfwd-otg --control lab
  zcfwd-otg -- --no-pci -- --model 'xl710,rx=wire:1;xl710,rx=wire:0'

  --listen ADDRESS:PORT  where to listen (default 127.0.0.1:8443; port 0: any free one). There is no password and no
                         encryption: keep other addresses to networks that you trust
  --grpc ADDRESS:PORT    serve gRPC there, too; needs the Python packages grpcio and snappi
  --control NAME         the name or path of a program's control socket (default: the only one)
  --program PATH         the zcfwd to start (default: $ZCFWD, or zcfwd in $PATH)
  --inner-crc            frames in a VXLAN or GRE tunnel end with a CRC, as OTG's conformance tests expect (doc/otg.md)
  --help                 print this text
"""
OPTIONS = ("--listen", "--grpc", "--control", "--program")
FLAGS = ("--inner-crc",)


def fail(message: str) -> int:
    print(f"zcfwd-otg: {message}", file=sys.stderr)
    return 1


def options_read(words: Sequence[str]) -> dict[str, str]:
    """The options before "--"; ValueError names a wrong one."""
    values: dict[str, str] = {}
    rest = list(words)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name not in OPTIONS + FLAGS or name in FLAGS and equals:
            raise ValueError(f"{name}{equals}{value}: expected {', '.join(OPTIONS + FLAGS)}, or -- and the arguments of zcfwd")
        if name in values:
            raise ValueError(f"{name}: given twice")
        if not equals and name not in FLAGS:
            if not rest:
                raise ValueError(f"{name}: expected a value")
            value = rest.pop(0)
        values[name] = value
    return values


def address_read(option: str, text: str) -> tuple[str, int]:
    """ADDRESS:PORT; an address of IPv6 stands in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{option} {text}: expected ADDRESS:PORT, such as 127.0.0.1:8443")
    return host.strip("[]"), int(port)


def session_open(options: dict[str, str], own: Optional[Sequence[str]]) -> Session:
    if own is None:
        return attach(options.get("--control"))
    words = list(own)
    at = words.index("--") if "--" in words else len(words)
    return Session("", Process([find_program(options.get("--program")), *words[:at]], words[at + 1:], None), START_S)


def serve(server: Server) -> None:
    """Until SIGINT or SIGTERM."""
    def end(*_: object) -> None:
        threading.Thread(target=server.shutdown).start()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    server.serve_forever()


def listen(address: tuple[str, int], generator: Generator, remote: str) -> int:
    """Serve until a signal. remote: the address of gRPC, "": none."""
    try:
        server = Server(address, generator)
    except (OSError, OverflowError) as error:
        return fail(f"--listen {address[0]}:{address[1]}: {getattr(error, 'strerror', None) or error}")
    with server:
        also, second = "HTTP only", None
        if remote:
            try:
                second, port = _grpc.serve(remote, generator)
            except (_grpc.Missing, OSError) as error:
                return fail(str(error))
            also = f"gRPC at port {port}"
        print(f"Open Traffic Generator at http://{address[0]}:{server.server_address[1]} ({also}), zcfwd {generator.session.version}", flush=True)
        serve(server)
        if second is not None:
            second.stop(None).wait()
    return 0


def run(session: Session, address: tuple[str, int], options: dict[str, str]) -> int:
    generator = Generator(session, "--inner-crc" in options)
    try:
        try:
            generator.streams()
        except CommandError:
            return fail("this zcfwd has no generate streams: it was built without engine measure, or is older")
        status = listen(address, generator, options.get("--grpc", ""))
        if generator.running:
            generator.quietly("stop")
        return status
    finally:
        generator.close()


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The program; returns its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    own = words[words.index("--") + 1:] if "--" in words else None
    words = words[:words.index("--")] if own is not None else words
    if words and words[0] in ("--help", "-h"):
        print(USAGE, end="")
        return 0
    try:
        options = options_read(words)
        address = address_read("--listen", options.get("--listen", "127.0.0.1:8443"))
        if "--grpc" in options:
            address_read("--grpc", options["--grpc"])
        if own is not None and "--control" in options:
            raise ValueError("--control: a program that runs already: expected no arguments of zcfwd behind --")
    except ValueError as error:
        return fail(str(error))
    try:
        with session_open(options, own) as session:
            return run(session, address, options)
    except (ConnectionLost, CommandError, Error) as error:
        return fail(str(error))
