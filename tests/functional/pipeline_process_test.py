"""Workers in other processes: come and go, killed at any moment; what was in their hands is counted, the rest flows."""
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import tempfile

import pytest

from laws_test import check_law
from modelled import PATIENT
from pipeline_test import json_of, law, pipeline
from recycle_test import pools_are_full
from session import Session, SessionError, free_hugepages_mib, wait_until

pytestmark = pytest.mark.zcfwd
KILLS = int(os.environ.get("ZCFWD_KILLS", "34"))


@pytest.fixture(scope="module")
def pages():
    """A folder of huge pages, which processes share."""
    if os.geteuid() != 0 or free_hugepages_mib() < 400:
        pytest.skip("needs root and 400 MiB of free huge pages")
    with tempfile.TemporaryDirectory(prefix="zct") as folder:
        subprocess.run(["mount", "-t", "hugetlbfs", "-o", "pagesize=2M", "nodev", folder], check=True)
        try:
            yield folder
        finally:
            subprocess.run(["umount", folder], check=True)


class Pair:
    """A primary with a pipeline that wants workers, and sessions of its secondaries."""

    def __init__(self, binary, pages, commands, args=()):
        self.binary, self.prefix = binary, f"zctp{os.getpid()}"
        self.memory = ["--huge-dir", pages, f"--file-prefix={self.prefix}"]
        self.primary = Session(binary, *args, lcores="0@0,1@0", memory=[*self.memory, "-m", "128"], eal=[f"--file-prefix={self.prefix}"])
        self.primary.ok("set fwd ring_pipeline retry", PATIENT, *commands)

    def secondary(self, vdevs=(), eal=(), binary=None):
        return Session(binary or self.binary, vdevs, pool=None, lcores="0@0,2@1", memory=self.memory,
                       eal=["--proc-type=secondary", f"--file-prefix={self.prefix}", *eal],
                       env={"RUNTIME_DIRECTORY": str(self.primary.home)})

    @contextlib.contextmanager
    def working(self):
        """A secondary whose worker is at work."""
        with self.secondary() as session:
            session.ok("start")
            wait_until(lambda: any(worker["pid"] == session.pid for worker in pipeline(self.primary)["workers"]), "a worker", 20)
            yield session

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.primary.close()


def moved(primary):
    return sum(worker["packets"] for worker in pipeline(primary)["workers"])


def more(primary):
    before = moved(primary)
    wait_until(lambda: moved(primary) > before + 10_000, "more packets", 30)


def vacant(primary):
    wait_until(lambda: all(worker["pid"] == 0 for worker in pipeline(primary)["workers"]), "an empty place", 10)


@pytest.mark.parametrize("mode", ["copy", "zc", "hybrid"])
def test_come_and_go(binary, pages, mode):
    """A worker process starts, stops, starts again, ends; the primary stops and starts under it; all without a loss."""
    with Pair(binary, pages, ("set pipeline processes 1", f"set pipeline mode {mode}", "set pipeline stage macswap", "start"),
              args=(("net_null0", "net_null1"),)) as pair:
        for _ in range(2):
            with pair.working() as worker:
                more(pair.primary)
                assert pipeline(worker)["workers"][0]["packets"] > 0
                worker.ok("stop")
                vacant(pair.primary)
                worker.ok("start")
                more(pair.primary)
                pair.primary.ok("stop")
                assert not any(stream["counters"]["left_at_stop"] for stream in law(pair.primary))
                pools_are_full(pair.primary)
                pair.primary.ok("start")
                more(pair.primary)
                worker.quit()
                assert worker.rc == 0
            vacant(pair.primary)
        pair.primary.ok("stop")
        assert not any(stream["counters"]["lost_in_worker"] for stream in law(pair.primary))
        pools_are_full(pair.primary)


def test_two_processes(binary, pages):
    """Two workers, flows shared out between them."""
    with Pair(binary, pages, ("set pipeline processes 2", "set pipeline spread flow", "start"), args=(("net_ring0", "net_ring1"),)) as pair:
        pair.primary.ok("stop", "start tx_first 3")
        with pair.working(), pair.working():
            wait_until(lambda: all(worker["packets"] > 0 for worker in pipeline(pair.primary)["workers"]) or
                       moved(pair.primary) > 100_000, "packets", 30)
            assert len({worker["pid"] for worker in pipeline(pair.primary)["workers"]}) == 2
            pair.primary.ok("stop")
        check_law(json_of(pair.primary, "show fwd stats all")["streams"])


@pytest.mark.parametrize("mode", ["copy", "zc", "hybrid"])
def test_killed(binary, pages, mode):
    """kill -9 at random moments: what is missing was in its hands, at most a burst each time; the law holds, all packets come back."""
    chance = random.Random(mode)
    with Pair(binary, pages, ("set pipeline processes 1", f"set pipeline mode {mode}", "set pipeline ring 64", "set burst 29", "start"),
              args=(("net_null0", "net_null1"),)) as pair:
        for kill in range(1, KILLS + 1):
            with pair.working() as worker:
                target = moved(pair.primary) + chance.randrange(20_000)
                wait_until(lambda: moved(pair.primary) >= target, "packets", 30)
                worker.signal(signal.SIGKILL)
                wait_until(lambda: pipeline(pair.primary)["workers"][0]["deaths"] == kill, "a death", 30)
            assert pipeline(pair.primary)["workers"][0]["pid"] == 0
        with pair.working():
            more(pair.primary)
            pair.primary.ok("stop")
        streams = law(pair.primary)
        assert sum(stream["counters"]["lost_in_worker"] for stream in streams) <= KILLS * 29
        assert not any(stream["counters"]["left_at_stop"] for stream in streams)
        pools_are_full(pair.primary)


def refusal(pair, **options):
    """What a secondary says that does not come up."""
    with pytest.raises(SessionError) as caught, pair.secondary(**options):
        pass
    return str(caught.value)


def test_refused(binary, pages, tmp_path):
    """Another version, other ports, nobody there: one clear error, and the primary forwards on."""
    other = tmp_path / "zcfwd"
    other.write_bytes(pathlib.Path(binary).read_bytes().replace(b"0.1.0\0", b"0.1.9\0"))
    other.chmod(0o755)
    with Pair(binary, pages, ("set pipeline processes 1", "start"), args=(("net_null0", "net_null1"),)) as pair:
        said = refusal(pair, binary=other)
        assert "zcfwd: the primary process is zcfwd 0.1.0" in said and "want this version, zcfwd 0.1.9" in said
        assert "zcfwd: net_null7 is no port of the primary process" in refusal(pair, vdevs=["net_null7"])
        with pair.working():
            more(pair.primary)
        pair.primary.ok("stop")
        pair.primary.quit()
        assert "zcfwd: the primary process has ended" in refusal(pair)


def test_refused_stage(binary, pages):
    with Pair(binary, pages, ("set pipeline processes 1", "set pipeline stage l3fwd"), args=(("net_null0", "net_null1"),)) as pair:
        assert "pipeline-processes: want" in pair.primary.cmd("start") + pair.primary.stderr()
        pair.primary.ok("set pipeline stage none", "start", "stop")


def test_refused_memory(binary):
    """Memory that is not shared."""
    with Session(binary) as session:
        session.ok("set fwd ring_pipeline", "set pipeline processes 1")
        assert "shares no memory" in session.cmd("start") + session.stderr()
