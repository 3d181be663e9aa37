"""Cases and tables of the external buffers' benchmark, on answers made up here."""
import extbuf
import pytest


def case(bed="null", size=64, **answers):
    made = extbuf.Case(bed, size)
    made.answers = answers
    return made


def test_cases():
    everything = extbuf.make_cases("", False)
    assert len(everything) == len(extbuf.BEDS) * len(extbuf.SIZES)
    assert set(extbuf.make_cases("", True)) < set(everything)
    assert list(extbuf.make_cases("^extbuf/(null|storage)/1500$", False)) == ["extbuf/null/1500", "extbuf/storage/1500"]
    assert extbuf.make_cases("^null/", False) == {}


def test_figures():
    """The first mode's cycles over a mode's, sample by sample: not the ratio of medians."""
    copy, attach = case(copy=[100, 110, 120] * 3, attach=[50, 100, 60] * 3).figures()
    assert (copy["median"], copy["ratio"]) == (110, 1)
    assert (attach["median"], attach["ratio"], attach["interval"]) == (60, 2, (1.1, 2))


@pytest.mark.parametrize("markdown", [False, True])
def test_table(markdown):
    """Modes of storage are others: a table of their own; what failed says why."""
    failed = case("storage", 1500)
    failed.failures.append("no memory")
    cases = {one.name: one for one in (case(copy=[80.] * 7, attach=[40.] * 7, auto=[80.] * 7, pinned=[20.] * 7), failed)}
    first, second = extbuf.table(cases, markdown).split("\n\n")
    assert "40, 2.00 (2.00-2.00)" in first and "20, 4.00 (4.00-4.00)" in first and "private" not in first
    assert "failed: no memory" in second and "pinned" not in second
    assert extbuf.as_json(cases)[1]["failures"] == ["no memory"]
    assert extbuf.legend({}) == "" and extbuf.table({}, markdown) == ""
