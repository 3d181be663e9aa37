# SPDX-License-Identifier: BSD-3-Clause
"""zcfwd at its prompt, for measurements that ask one process for many runs."""
import contextlib
import json
import os
import subprocess
import threading
import time

import modes
from forwarder import before_exec


class Prompt:
    """zcfwd at its prompt, which answers in JSON. A context manager."""

    def __init__(self, argv, env):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **env},
                                        preexec_fn=before_exec)
        self.silent = threading.Timer(modes.TIMEOUT_S, self.process.kill)
        self.silent.start()
        self.tell("set output json")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.tell("quit")
        self.process.stdout.read()
        time.sleep(0.002)  # reaping at once would spin in the kernel, at this process's priority
        self.process.wait(60)
        self.silent.cancel()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        """The answer to a command; ValueError if it is refused."""
        self.tell(line)
        said = []
        for said_now in self.process.stdout:
            said.append(said_now.strip())
            if said_now.startswith("{") and (answer := json.loads(said_now)).get("command") == line:
                if not answer["ok"]:
                    raise ValueError("%s: %s" % (line, answer["error"]["message"]))
                return answer
        raise ValueError("%s: the program ended: %s" % (line, " | ".join(said[-3:])))
