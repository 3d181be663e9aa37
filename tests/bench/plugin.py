# SPDX-License-Identifier: BSD-3-Clause
"""Plugins for EAL's -d, which refuses them below a folder that everybody may write to; the release of DPDK that they are for."""
import atexit
import functools
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile


@functools.lru_cache(maxsize=None)
def dpdk_release():
    """Of the DPDK that the program is built with, "22.11.11"; by hand of the installed one, "" where nothing says it."""
    if "DPDK_RELEASE" in os.environ or shutil.which("pkg-config") is None:
        return os.environ.get("DPDK_RELEASE", "")
    return subprocess.run(["pkg-config", "--modversion", "libdpdk"], check=False, capture_output=True, text=True, timeout=60).stdout.strip()


def series_of(release):
    """Year, month and minor by which queue layouts are known: of DPDK's main branch, "26.11.0-rc0", the series before and a minor of 255."""
    number, _, candidate = release.partition("-rc")
    year, month, minor = (*map(int, number.split(".")), 0)[:3]
    if candidate != "0":
        return year, month, minor
    return (year, month - 4, 255) if month > 3 else (year - 1, 11, 255)


def dpdk_series():
    return series_of(dpdk_release())


def is_refused(folder):
    """Whether EAL refuses plugins there."""
    return any(parent.stat().st_mode & stat.S_IWOTH for parent in (folder, *folder.parents))


@functools.lru_cache(maxsize=None)
def loadable(path):
    """The plugin's path; if EAL would refuse it, that of a copy in HOME or /run, which goes when the process ends."""
    path = pathlib.Path(path).resolve()
    if not path.exists() or not is_refused(path.parent):
        return str(path)
    for folder in (pathlib.Path.home(), pathlib.Path("/run")):
        if os.access(folder, os.W_OK) and not is_refused(folder):
            copy = tempfile.mkdtemp(prefix=".zct", dir=folder)
            atexit.register(shutil.rmtree, copy, ignore_errors=True)
            return shutil.copy(path, copy)
    return str(path)
