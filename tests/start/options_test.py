# SPDX-License-Identifier: BSD-3-Clause
"""Options of the program: the laws of --help, and prompts. Dialogues are in options.transcript, refused values in bad_options.txt."""
import re
import subprocess

import pytest

from modelled import dpdk_release
from session import Session, eal_args, run

pytestmark = pytest.mark.zcfwd


def test_help_names_every_choice(binary):
    """However long the list is."""
    with Session(binary) as session:
        session.ok("set output json")
        rows = session.json_ok("show settings")["settings"]
    argv = [str(binary), *eal_args(), "--vdev=net_null0", "--"]
    text, short = (subprocess.run([*argv, word], capture_output=True, text=True, timeout=30, check=True, stdin=subprocess.DEVNULL).stdout for word in ("--help", "-h"))
    assert text == short
    lists = {row["name"]: row["choices"] for row in rows if "choices" in row}
    assert len(lists["eth-link-speed"]) > 50
    text = re.sub(r"\s+", "", text)
    without = [name for name, choices in lists.items() if f"--{name}={choices}" not in text]
    assert not without


@pytest.mark.parametrize("prompt, shown", [("dut1", "dut1> "), ("dut1# ", "dut1# ")])
def test_prompt(binary, prompt, shown):
    """A prompt that ends with a space is whole."""
    assert f"\n{shown}quit\n" in run(binary, "quit\n", args=[f"--prompt={prompt}"]).stdout.replace("\r", "")


def test_wrong_option_on_the_side_of_eal(binary):
    """EAL's usage is long; the last line tells what is usually wrong. Since 25.11 EAL ends the program by itself, with one line."""
    done = subprocess.run([str(binary), "--no-huge", "--no-pci", "--frobnicate"], input="", capture_output=True, text=True, timeout=60, check=False)
    if dpdk_release() >= "25.11":
        assert done.returncode != 0 and "unknown argument --frobnicate" in done.stderr
    else:
        assert done.returncode == 1 and "use zcfwd [EAL options] -- [options]" in done.stderr.splitlines()[-1]


@pytest.mark.needs("dma")
def test_help_has_groups_in_lines_that_fit(binary):
    text = subprocess.run([str(binary), "--help"], capture_output=True, text=True, timeout=30, check=True, stdin=subprocess.DEVNULL).stdout
    headings = re.findall(r"(?m)^\n([A-Z].*):$", text)
    assert len(headings) == len(set(headings)) == 16, text
    assert "\nShell:\n  --pager" in text and "\nMbuf recycling:\n  --recycle " in text and "\nEngines:\n  --" in text
    assert max(len(line) for line in text.splitlines() if "|" not in line) <= 100
