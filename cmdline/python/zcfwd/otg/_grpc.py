# SPDX-License-Identifier: BSD-3-Clause
"""The API of OTG over gRPC, if grpcio and the messages that snappi has generated are installed. Bodies are those of HTTP."""
from __future__ import annotations

import importlib
import json
from typing import Any, NamedTuple

from ._generator import Generator
from ._server import BODY_BYTES_MAX, ROUTES, meet

WORKERS = 8


class Call(NamedTuple):
    """A call of the service, and the request of HTTP that it stands for. Members of its messages; "": there is none."""
    name: str
    method: str
    path: str
    request: str
    response: str


CALLS = (
    Call("SetConfig", "POST", "/config", "config", "warning"),
    Call("GetConfig", "GET", "/config", "", "config"),
    Call("UpdateConfig", "PATCH", "/config", "config_update", "warning"),
    Call("SetControlState", "POST", "/control/state", "control_state", "warning"),
    Call("GetMetrics", "POST", "/monitor/metrics", "metrics_request", "metrics_response"),
    Call("GetCapture", "POST", "/monitor/capture", "capture_request", "response_bytes"),
    Call("GetVersion", "GET", "/capabilities/version", "", "version"),
)


class Missing(Exception):
    """What gRPC needs is not installed."""


def handler(call: Call, generator: Generator, messages: Any, grpc: Any, json_format: Any) -> Any:
    """The function that answers a call. It runs in a thread of gRPC's."""
    reply = getattr(messages, f"{call.name}Response")

    def answer(request: Any, context: Any) -> Any:
        body = json_format.MessageToDict(request, preserving_proto_field_name=True).get(call.request, {}) if call.request else None
        code, found = meet(generator, ROUTES[call.path][call.method], body)
        if code != 200:
            status = grpc.StatusCode.INVALID_ARGUMENT if code < 500 else grpc.StatusCode.INTERNAL
            context.abort(status, json.dumps(found))
        if not isinstance(found, dict):
            with found:
                return reply(**{call.response: found.read()})
        made = reply()
        json_format.ParseDict({call.response: found}, made, ignore_unknown_fields=True)
        return made
    return answer


def serve(address: str, generator: Generator) -> tuple[Any, int]:
    """
    Listen at HOST:PORT. Returns the server, which stop() ends, and its port. Missing: a package is not installed; OSError: the address
    cannot be had.
    """
    try:
        grpc: Any = importlib.import_module("grpc")
        json_format: Any = importlib.import_module("google.protobuf.json_format")
        messages: Any = importlib.import_module("snappi.otg_pb2")
        stubs: Any = importlib.import_module("snappi.otg_pb2_grpc")
    except ImportError as error:
        raise Missing(f"--grpc: {error}: expected the Python packages grpcio and snappi; HTTP needs neither") from None
    futures: Any = importlib.import_module("concurrent.futures")
    servicer = type("Servicer", (stubs.OpenapiServicer,), {
        call.name: staticmethod(handler(call, generator, messages, grpc, json_format)) for call in CALLS})
    # Without SO_REUSEPORT a second server at a port is refused.
    options = (("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", BODY_BYTES_MAX), ("grpc.max_send_message_length", -1))
    server = grpc.server(futures.ThreadPoolExecutor(WORKERS), options=options)
    stubs.add_OpenapiServicer_to_server(servicer(), server)
    try:
        port = int(server.add_insecure_port(address))
    except RuntimeError:
        port = 0
    if port == 0:
        raise OSError(f"--grpc {address}: cannot listen there")
    server.start()
    return server, port
