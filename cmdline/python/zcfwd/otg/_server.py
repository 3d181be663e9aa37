# SPDX-License-Identifier: BSD-3-Clause
"""The API of OTG over HTTP."""
from __future__ import annotations

import contextlib
import http.server
import json
import math
import re
import shutil
import socket
import traceback
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, BinaryIO, Optional, Union

from .._errors import CommandError, Error
from ._generator import Generator
from ._values import Json, Refused

BODY_BYTES_MAX = 32 << 20
TIMEOUT_S = 60  # for a client to send what it has announced
DRAIN_S, DRAIN_BYTES = 5, 4 * BODY_BYTES_MAX  # for what follows a request that was refused: silence, and bytes
DEPTH_MAX = 64  # of objects and lists within each other; those of OTG have about 12
API_VERSION = "^1.0.0"  # clients of OTG's API that fit
Answer = Union[Json, BinaryIO]


class Server(http.server.ThreadingHTTPServer):
    """Thread: a request has one of its own."""
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], generator: Generator) -> None:
        super().__init__(address, Handler)
        self.generator = generator


def version(generator: Generator) -> Json:
    return {"api_spec_version": API_VERSION, "sdk_version": "", "app_version": f"zcfwd {generator.session.version}"}


# All requests: method and path.
ROUTES: dict[str, dict[str, Callable[[Generator, Any], Answer]]] = {
    "/config": {"GET": lambda g, _: g.get_config(), "POST": Generator.set_config, "PATCH": Generator.update_config},
    "/control/state": {"POST": Generator.control},
    "/monitor/metrics": {"POST": Generator.metrics},
    "/monitor/capture": {"POST": Generator.capture},
    "/capabilities/version": {"GET": lambda g, _: version(g)},
}


def members_once(pairs: list[tuple[str, Any]]) -> Json:
    """An object. A member that is given twice is refused, since one of its values would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"member {next(name for name in names if names.count(name) > 1)!r}: given twice")
    return found


def finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


def json_read(data: bytes) -> Any:
    """What the text of a request means; ValueError, RecursionError."""
    found = json.loads(data, object_pairs_hook=members_once, parse_float=finite, parse_constant=finite)
    level = [found]
    for _ in range(DEPTH_MAX):
        level = [one for above in level if isinstance(above, (dict, list)) for one in (above.values() if isinstance(above, dict) else above)]
        if not level:
            return found
    raise ValueError(f"more than {DEPTH_MAX} objects and lists within each other")


def failure(code: int, errors: list[str]) -> Json:
    return {"code": code, "kind": "validation" if code < 500 else "internal", "errors": errors}


def meet(generator: Generator, work: Callable[[Generator, Any], Answer], body: Any) -> tuple[int, Answer]:
    """Do what is asked for: the HTTP status, and the answer or OTG's error."""
    try:
        return HTTPStatus.OK, work(generator, body)
    except Refused as refused:
        return refused.code, failure(refused.code, refused.errors)
    except CommandError as error:
        return HTTPStatus.INTERNAL_SERVER_ERROR, failure(500, [f"zcfwd refused {str(error)[:1000]}"])
    except (Error, OSError) as error:
        return HTTPStatus.INTERNAL_SERVER_ERROR, failure(500, [str(error)[:2000]])
    except Exception as error:  # a fault of this server: its client has an answer, and stderr the place
        traceback.print_exc()
        return HTTPStatus.INTERNAL_SERVER_ERROR, failure(500, [f"fault in zcfwd-otg: {type(error).__name__}: {str(error)[:500]}"])


def value(data: bytes) -> Any:
    try:
        return json_read(data)
    except (ValueError, RecursionError) as error:
        raise Refused([f"expected JSON: {str(error)[:200]}"]) from None


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "zcfwd-otg"
    timeout = TIMEOUT_S
    unread = False  # the body of the request, or a part of it

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: their answers say what is wrong."""

    def send_error(self, code: int, message: Optional[str] = None, explain: Optional[str] = None) -> None:
        """What the library refuses, such as a malformed request line, in OTG's form too."""
        self.close_connection = True
        self.answer(code, failure(code, [message or HTTPStatus(code).phrase]))

    def answer(self, code: int, body: Json) -> None:
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def file(self, source: BinaryIO) -> None:
        with source:
            length = source.seek(0, 2)
            source.seek(0)
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(length))
            self.end_headers()
            shutil.copyfileobj(source, self.wfile)

    def drain(self) -> None:
        """Take what follows a refusal: a client that still sends would find its connection reset, and not the answer."""
        left = DRAIN_BYTES
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(DRAIN_S)
            while left > 0 and (piece := self.connection.recv(1 << 16)):
                left -= len(piece)

    def body(self) -> Optional[bytes]:
        """What the request has; None: nothing. Refused closes the connection, since the rest of it may be unread."""
        announced = self.headers.get("Content-Length")
        if announced is None and "Transfer-Encoding" not in self.headers and self.command in ("GET", "DELETE", "HEAD", "OPTIONS"):
            return None
        wanted = [word.strip().lower() for word in self.headers.get("Connection", "").split(",")]
        closes = self.close_connection or "close" in wanted  # the library knows what HTTP/1.0 means
        self.close_connection = self.unread = True
        if announced is None or not re.fullmatch("[0-9]{1,18}", announced):
            raise Refused(["Content-Length: expected the bytes of the request"], HTTPStatus.LENGTH_REQUIRED)
        if int(announced) > BODY_BYTES_MAX:
            raise Refused([f"a request of {announced} bytes: expected at most {BODY_BYTES_MAX}"], HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        data = self.rfile.read(int(announced))
        self.unread = False
        if len(data) < int(announced):
            raise Refused([f"{len(data)} bytes: expected {announced}"])
        self.close_connection = closes
        return data

    def meet(self) -> None:
        path = self.path.partition("?")[0]
        self.unread = False
        try:
            if self.headers.get("Origin") is not None:
                self.close_connection = self.unread = True
                raise Refused(["Origin: requests of web pages are refused"], HTTPStatus.FORBIDDEN)
            data = self.body()
            if path not in ROUTES:
                raise Refused([f"{path[:200]}: not supported: expected {' or '.join(ROUTES)}"], HTTPStatus.NOT_FOUND)
            if self.command not in ROUTES[path]:
                raise Refused([f"{self.command} {path}: not supported: expected {' or '.join(ROUTES[path])}"], HTTPStatus.METHOD_NOT_ALLOWED)
            body = None if data is None or self.command == "GET" else value(data)
        except Refused as refused:
            self.answer(refused.code, failure(refused.code, refused.errors))
            if self.unread:
                self.drain()
            return
        code, found = meet(self.server.generator, ROUTES[path][self.command], body)
        if isinstance(found, dict):
            self.answer(code, found)
        else:
            self.file(found)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = meet
