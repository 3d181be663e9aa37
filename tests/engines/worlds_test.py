# SPDX-License-Identifier: BSD-3-Clause
"""
Engines by a runner of laws: random engines with random settings on random ports, while this and that happens (fixtures/world_lines.py). What
pytest shows of a world that failed has its line; ZCFWD_WORLD='LINE' plays it instead.
"""
import os

import pytest
from conftest import SEED

from every_engine import FAKE
from world_lines import line_of
from worlds import play

pytestmark = [pytest.mark.zcfwd, pytest.mark.usefixtures("of_the_table")]
FIRST, MORE, FOR_LONG = 12, 36, 1_000_000  # worlds of a seed: in the first tier, in the second, and for as long as nobody stops them


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    """Engine gpu runs on the stand-in of CUDA."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(FAKE), prepend=":")


def played(binary, folder, number):
    line = os.environ.get("ZCFWD_WORLD") or line_of(SEED, number)
    print(f"ZCFWD_WORLD='{line}'")
    folder.mkdir()
    play(binary, line, folder)


@pytest.mark.parametrize("number", [*range(FIRST), *(pytest.param(number, marks=pytest.mark.extended) for number in range(FIRST, MORE))])
def test_worlds(binary, tmp_path, number):
    played(binary, tmp_path / "world", number)


@pytest.mark.soak
def test_soak(binary, tmp_path):
    for number in range(MORE, FOR_LONG):
        played(binary, tmp_path / f"{number}", number)
