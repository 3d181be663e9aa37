# SPDX-License-Identifier: BSD-3-Clause
"""
A fixture for pytest, found by its entry point once the package is installed: zcfwd_session is a program of the test's own.

Its arguments are those of zcfwd.start():

    @pytest.mark.parametrize("zcfwd_session", [{"ports": ["model:xl710"] * 2}], indirect=True)
    def test_forwards(zcfwd_session):
        assert not zcfwd_session.forward("mac", seconds=1).lost
"""
from __future__ import annotations

from collections.abc import Iterator

import pytest

from . import Session, start


@pytest.fixture
def zcfwd_session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session that is closed after the test, which fails if the program does not end well."""
    with start(**getattr(request, "param", {})) as session:
        yield session
