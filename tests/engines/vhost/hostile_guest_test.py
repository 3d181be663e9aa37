# SPDX-License-Identifier: BSD-3-Clause
"""Hostile guests on a vhost port: zcfwd lives, writes nowhere else, goes on with other ports, and serves the next guest well.

FUZZ_SECONDS and ZCFWD_TEST_SEED in the environment: as in fuzz_test.py.
"""
import contextlib
import random

import hostile_guest
import pytest
from conftest import SEED

from fuzzing import answer, rounds
from session import Session, wait_until
from stats import port_stats
from vhost_guest import PACKED, TX, Gone, VhostGuest

pytestmark = pytest.mark.zcfwd
HOSTILE, FRIEND, BYSTANDER = 0, 1, 3
ACTS = 40  # of a random guest
# What stands behind the name of a port: devices for --vdev.
DRIVERS = {
    "net_vhost": "net_vhost{port},iface={path}",
    "cpu": "net_async_vhost{port},iface={path},tso=1,ufo=1",
    "dma": "dma_skeleton{port} dma_skeleton1{port} "
           "net_async_vhost{port},iface={path},tso=1,ufo=1,dmas=[txq0@dma_skeleton{port};rxq0@dma_skeleton1{port}]",
}
# Of which librte_vhost dies, or writes outside the guest's memory; net_async_vhost refuses them. Reported in doc/vhost-dma.md.
LIBRARY = {"an empty file", "a file shorter than its region", "an offset past the file", "a larger ring than memory has room for",
           "a longer ring before the other is there", "a packed ring after a split one was made", "inflight memory too short",
           "inflight memory past its file", "inflight memory to be made for all", "rings that go on without their length",
           "a log at an offset", "memory that cannot be had while rings run"}
SHRINKS = "memory that shrinks"
KINDS = {"split": VhostGuest.FEATURES, "packed": VhostGuest.FEATURES | PACKED}


class Backend:
    """The program with two vhost ports for guests and two of its own; begun again when it has died."""

    def __init__(self, binary, folder, name):
        self.binary, self.folder, self.name, self.session = binary, folder, name, None

    def up(self):
        if self.session is None:
            ports = [DRIVERS[self.name].format(port=port, path=self.path(port)).split() for port in (HOSTILE, FRIEND)]
            self.session = Session(self.binary, [*sum(ports, []), "net_null0", "net_null1"],
                                   eal=["--log-level=lib.vhost*:emergency", "--log-level=pmd.net.async_vhost:emergency", "--iova-mode=va"])
            self.session.ok("set fwd io", "start")
        return self

    def path(self, port):
        return self.folder / f"guest{port}"

    def down(self, *error):
        """Its end is that of a block; error: as of Session.__exit__()."""
        if self.session is not None:
            self.session.__exit__(*(error or (None, None, None)))
            for port in (HOSTILE, FRIEND):
                self.path(port).unlink(missing_ok=True)
        self.session = None

    def polled(self):
        """Each port has been polled since the call."""
        for _ in range(2):
            before = port_stats(self.session, BYSTANDER)["TX-packets"]
            wait_until(lambda: port_stats(self.session, BYSTANDER)["TX-packets"] > before + 64, "other ports forward", 20)


# What librte_vhost does by itself is looked at now and then.
@pytest.fixture(scope="module", params=[pytest.param("net_vhost", marks=pytest.mark.soak), "cpu", "dma"])
def backends(request, binary, tmp_path_factory):
    if "async" in DRIVERS[request.param] and b"net_async_vhost" not in binary.read_bytes():
        pytest.skip("built without the drivers' source")
    backend = Backend(binary, tmp_path_factory.mktemp("vhost"), request.param)
    yield backend
    backend.down()


@pytest.fixture
def backend(backends):
    backends.up()
    try:
        yield backends
        serves(backends)
    except BaseException as error:
        backends.down(type(error), error, None)
        raise


def carries(backend, sender, receiver):
    """Three packets arrive as they were."""
    receiver.give_buffers(32)
    got, sent = [], [hostile_guest.FRAME + bytes([number]) for number in range(3)]
    for number, packet in enumerate(sent):
        sender.transmit(packet, number)
    wait_until(lambda: got.extend(receiver.received()) or len(got) >= 3, "packets between guests", 20)
    assert got == sent, [(len(packet), packet[-2:]) for packet in got]
    wait_until(sender.rings[TX].all_used, "buffers come back", 20)


def serves(backend):
    """Two guests that mean well find their ports in order, whatever was there before."""
    with VhostGuest(backend.path(HOSTILE)) as one, VhostGuest(backend.path(FRIEND)) as other:
        one.connect()
        other.connect()
        carries(backend, one, other)
        carries(backend, other, one)


def lives(backend):
    backend.polled()
    backend.session.ok("show port info 0")


def suffers(backend, guest, act):
    """The act while packets come for the hostile guest; then the others' ports still work. A backend may hang up on a message that it has read."""
    with VhostGuest(backend.path(FRIEND)) as friend:
        friend.connect()
        guest.synchronise()
        before = guest.told
        try:
            act(guest)
        except hostile_guest.TooEarly:
            raise
        except (Gone, ConnectionError):
            assert guest.told > before, "the backend hung up before the act"
        wait_until(lambda: guest.unread() == 0, "the backend to read all messages", 20)
        for number in range(3):
            friend.transmit(hostile_guest.FRAME * 15, number)
        lives(backend)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", hostile_guest.SENT)
def test_sent(backend, name, kind):
    with VhostGuest(backend.path(HOSTILE), features=KINDS[kind]) as guest:
        guest.connect()
        suffers(backend, guest, hostile_guest.SENT[name])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", hostile_guest.ROOM)
def test_room(backend, name, kind):
    with VhostGuest(backend.path(HOSTILE), features=KINDS[kind]) as guest:
        guest.connect()
        suffers(backend, guest, hostile_guest.ROOM[name])


@pytest.mark.parametrize("backends", ["dma"], indirect=True)  # others leave the ring to librte_vhost
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["desc", "used", "avail"])
def test_odd_address(backend, kind, part):
    """A ring that is not aligned is named once and left alone."""
    before = len(backend.session.stderr())
    backend.session.ok("set log pmd.net.async_vhost 4")
    with VhostGuest(backend.path(HOSTILE), features=KINDS[kind]) as guest:
        guest.connect()
        suffers(backend, guest, hostile_guest.ring_at(hostile_guest.RX, **{part: lambda g: getattr(g.rings[hostile_guest.RX], part) + 1}))
    backend.session.ok("set log pmd.net.async_vhost 1")
    lines = [line for line in backend.session.stderr()[before:].splitlines() if "the guest's ring is broken" in line]
    assert len(lines) == 1 and f"port {HOSTILE} virtqueue {hostile_guest.RX}" in lines[0] and "a part of it is not aligned" in lines[0], lines


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.skip("SIGBUS in librte_vhost")) if name == SHRINKS else name
                                  for name in hostile_guest.SPOKEN])
def test_spoken(backend, name):
    if name in LIBRARY and "net_vhost" == backend.name:
        pytest.skip("librte_vhost believes it")
    with VhostGuest(backend.path(HOSTILE)) as guest:
        guest.begin()
        suffers(backend, guest, hostile_guest.SPOKEN[name])


def in_pool(backend):
    """Every mbuf, as far as the program knows of none."""
    backend.session.ok("stop")
    backend.session.cmd("set output json")
    assert sum(pool["in_use"] for pool in answer(backend.session, "show pool")["pools"]) == 0
    backend.session.cmd("set output text")
    backend.session.ok("start")


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_a_ring(backend, kind):
    """What a guest says to have given beyond its ring costs no mbuf for good."""
    with VhostGuest(backend.path(HOSTILE), features=KINDS[kind]) as guest:
        guest.connect()
        guest.transmit(hostile_guest.FRAME, 0)
        suffers(backend, guest, hostile_guest.jumps(TX, 5000))
    serves(backend)
    in_pool(backend)


def play(backend, seed):
    dice = random.Random(seed)
    backend.up()
    chance = 0 if backend.name == "net_vhost" else 0.03  # of a message, of which librte_vhost alone may die
    with VhostGuest(backend.path(FRIEND)) as friend, VhostGuest(backend.path(HOSTILE), features=hostile_guest.random_features(dice)) as guest:
        friend.connect()
        friend.give_buffers()
        guest.connect()
        with contextlib.suppress(Gone, ConnectionError):
            for number in range(ACTS):
                hostile_guest.random_act(guest, dice)
                friend.transmit(hostile_guest.FRAME * dice.choice((1, 5, 15)), number)
                if dice.random() < chance:
                    hostile_guest.random_message(guest, dice, {SHRINKS})
        lives(backend)
    serves(backend)
    in_pool(backend)


def test_random(backends):
    """Right and wrong things by chance."""
    def one(seed):
        try:
            play(backends, seed)
        except BaseException as error:
            backends.down(type(error), error, None)
            raise
    rounds(SEED, one)
