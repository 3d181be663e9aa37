# SPDX-License-Identifier: BSD-3-Clause
"""`set verbose`: each packet's dump, received and sent, reads as testpmd's."""
import re

import pytest

from packets import HEADERS, sized, write_pcap
from session import Session

LINE = re.compile(r"port \d+/queue \d+: (?:received|sent) \d+ packets$|  src=.*|  ol_flags: .*", re.M)


def dump(binary, tmp_path, engine, level, dumps):
    """The dump's lines of a run over one packet of each kind. A worker prints them: the prompt may come anywhere."""
    packets = [sized(header, 100, 1) for header in HEADERS.values()]
    write_pcap(tmp_path / "in0", packets)
    write_pcap(tmp_path / "in1", [])
    vdevs = [f"net_pcap{i},rx_pcap={tmp_path}/in{i},tx_pcap={tmp_path}/out{i}" for i in (0, 1)]
    with Session(binary, vdevs, ["--no-flush-rx"]) as session:
        session.ok(f"set verbose {level}", f"set fwd {engine}")
        session.send("start\n")
        for _ in range(dumps * len(packets)):
            session.expect(r"ol_flags: [^\n]*\n")
        session.send("stop\nquit\n")
        session.finish()
        return LINE.findall(re.sub(r"(zcfwd|testpmd)> |\r", "", session.transcript()))


@pytest.mark.parametrize("engine,level,dumps", [("rxonly", 1, 1), ("io", 2, 1), ("io", 3, 2), ("macswap", 0, 0)])
def test_dump(binary, testpmd, tmp_path, engine, level, dumps):
    ours = dump(binary, tmp_path, engine, level, dumps)
    theirs = dump(testpmd, tmp_path, engine, level, dumps)
    assert len(theirs) == dumps * (1 + 2 * len(HEADERS))
    assert ours == theirs
