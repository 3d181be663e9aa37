# SPDX-License-Identifier: BSD-3-Clause
# DPDK's example l3fwd, as devtools/foreign builds it, with the routes that the engine l3fwd gets.
"""A route is (PREFIX, PORT), or (SRC, DST, SPORT, DPORT, PROTO, PORT) for exact match, of which the example takes one family at a time."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LACKS = 77  # status of devtools/foreign: something is not installed
# A file without any route is refused; these are of addresses that nobody sends to.
UNUSED = {("prefix", False): "100.64.0.0/24 0", ("prefix", True): "100::/64 0",
          ("em", False): "100.64.0.1 100.64.0.2 1 1 17 0", ("em", True): "100::1 100::2 1 1 17 0"}


def ask(way):
    """pkg-config's words of the installed DPDK."""
    return subprocess.run(["pkg-config", way, "libdpdk"], check=True, capture_output=True, text=True, timeout=60).stdout.split()


def build_stepper(folder):
    """Make folder/stepper.so and return its path."""
    library = os.path.join(folder, "stepper.so")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-DALLOW_EXPERIMENTAL_API", "-I" + os.path.join(ROOT, "app"), *ask("--cflags"), os.path.join(ROOT, "tests/bench/stepper.c"), "-o", library], check=True, timeout=60)
    return library


def library_folder(zcfwd):
    """That of libzcfwd-recycle, beside the program that was built with it."""
    return os.path.join(os.path.dirname(os.path.abspath(zcfwd)), "pmd_shims/recycle")


def build(folder, zcfwd=None):
    """Make folder/l3fwd and return its path; FileNotFoundError says what there is not. zcfwd: recycle by the library that was built with this program."""
    found = {"PKG_CONFIG_PATH": os.path.join(os.path.dirname(os.path.abspath(zcfwd)), "meson-uninstalled"),
             "CPATH": os.path.join(ROOT, "pmd_shims/recycle/include")} if zcfwd else {}
    described = {name: ":".join(filter(None, (path, os.environ.get(name)))) for name, path in found.items()}
    foreign = os.path.join(ROOT, "devtools/foreign")
    if not os.path.exists(foreign):
        raise FileNotFoundError("DPDK's l3fwd is built from the tree: run \"make lab\" there")
    made = subprocess.run([foreign, *(["--recycle"] if zcfwd else []), "l3fwd", folder], capture_output=True, text=True, timeout=120,
                          env=os.environ | described)
    if made.returncode == LACKS:
        raise FileNotFoundError(made.stderr.strip())
    made.check_returncode()
    return made.stdout.strip()


def options(folder, lookup, routes, peers):
    """What stands behind `--`: two ports polled by lcore 1; peers: the Ethernet address behind each port. Writes the routes into the folder."""
    kind = "em" if lookup == "em" else "prefix"
    files = []
    for v6 in (False, True):
        mine = [_line(route) for route in routes if (":" in route[0]) == v6] or [UNUSED[kind, v6]]
        files.append(os.path.join(folder, "rules_v6" if v6 else "rules_v4"))
        with open(files[-1], "w", encoding="ascii") as file:
            file.write("".join("R%s\n" % line for line in mine))
    # It refuses exact match by what net_i40e tells of a packet, which is without extensions; and looks at one family alone.
    exact = ["--parse-ptype", *(["--ipv6"] if ":" in routes[0][0] else [])] if lookup == "em" else []
    return ["-p", "3", "-P", "--config=(0,0,1),(1,0,1)", "--lookup=" + lookup, *exact, "--rule_ipv4=" + files[0],
            "--rule_ipv6=" + files[1], *("--eth-dest=%d,%s" % peer for peer in enumerate(peers))]


def _line(route):
    """A route as the example reads it: prefixes of IPv6 with all their parts, a five-tuple's destination first."""
    *what, port = route
    if len(what) == 1:
        start, depth = what[0].split("/")
        if ":" in start:
            parts = start.rstrip(":").split(":")
            start = ":".join(parts + ["0"] * (8 - len(parts)))
        return "%s/%s %d" % (start, depth, port)
    source, destination, sport, dport, proto = what
    return "%s %s %d %d %d %d" % (destination, source, dport, sport, proto, port)


def commands(folder, lookup, routes, peers):
    """The same for zcfwd, up to the start."""
    path = os.path.join(folder, "routes")
    with open(path, "w", encoding="ascii") as file:
        file.write("".join("%s %s\n" % (" ".join(map(str, route)), peers[route[-1]]) for route in routes))
    return ["route load " + path, "set l3fwd lookup " + lookup, "set fwd l3fwd"]
