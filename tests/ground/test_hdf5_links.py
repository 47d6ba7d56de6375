"""HDF5 files that have other files hold their data: known before anything of them is read."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import numpy as np
import pytest

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.hdf5_links import held_elsewhere
from knowflow.ground.opening import TRUST_VARIABLE, check_opening, open_data
from knowflow.reason.inventory import take_inventory

# written by h5py, compressed: a dataset whose bytes are those of another file, a link into another file, a virtual
# dataset; then a dataset in a group with a soft link to it, and a group that holds itself
FILES = {
    "outside": (
        "eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KdnCi8mHyCVCaEUp3QOkVTDBxRrCcBFRcEGo+urqQIFdXkOr/aABmzwNWCM3BMApGIvBw"
        "dQwA0RFQPiyVnmBCVZeIlh49KLQXV/r1YIbwM1iJS78FHKPpdzT9YqbfDlZUdWWJOaWpxdRLv8F+/i6gFAxLdwrMaPkDLR2PAlzl"
        "ABskzBhhfA0IzQQRYIGqw0UzA0sQkEpBBXmomAKDOAeDeD1UnhUYQyB5JiaIgexA8xmh1oHizwJH+eHAABOHlFDMjLCSxwE9BdIk"
        "PUuglbcRaA7UTy1J1s/ILy4pxp4eNdhH0xY5AADW4lXe"
    ),
    "link": (
        "eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KKphR+TD5BCjNCKU7oPQKJpg4C1hOAiouADVfAWpeBFQ8JMjVFdl8dHtGwcgGHq6OAcjp"
        "hQNKn2BCVQdLhwFUspcJnnKxp0wuoEsYkdSzMShA3MHhwFaWmFOaWizMwKCfWpKsn1+SkVpUrJdhyqBfwcAAAJ6mQQE="
    ),
    "virtual": (
        "eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KGCTQ+FCQAKUZoXQHlF7BBBNnBMtBtTMIQs1HVxcS5OoKUv0fDcDsMWCB0BwMo2AkAg9X"
        "xwAQHQHlw1LpCSZUdWWJOaWpxYj06EGhvYwMbBCzGGF8DQjNBBGAJkucNDMw5YNUCirIQ8UUGMQ5GMTrofKswBQNkmdihhjIAfUZ"
        "CzMsqUPsEYJyQbyTXCzZDAwFAxIPwX7+LqAcDcuHCsyjaXMUjIKhCtyd/X0YkQpUWLkZxoBWseunliTr55dkpBYV62WYMlQwMCNJ"
        "ggATEl8CjQ8pCSH42dmcEoRoB/9oHIyCUTAKRsEoGAWjYBSMglEwCkbBKBgFtAYA7bE6kw=="
    ),
    "whole": (
        "eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KGgRR+TD5BCjNCKU7oPQKJpg4I1hOAiouCDUfXV1IkKsrSPV/NACz5wErhEZ13SgYKcDD"
        "1TEAREdA+RpQ+gQTqrpEGJ2TmVgMpPUT9csSc0pTi9HSqQGR9uJKvx7MEH4GK3Hp1wKacDlGo3I0/SKVYx2sqOpgiRWWTj0otDfY"
        "z9+FkYEJnu4UmFHzAXo6FkAr92HZS2KExx8jAyskzBhhfEgJxMgEEYAGI7D+ZMDBFwBrFYAbAYkRViAN4jMxQQzigIY0M6MFNMp4"
        "0FzSMEgChImZhZWNnYOTi3s0d4+CUTAKRsEoGAUjA0DalYzwdqUG+2iYkAMAMrFUWA=="
    ),
    "circle": (
        "eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KejhR+TD5BCjNCKU7oPQKJpg4I1hOAiouCDUfXV1IkKsrSPV/NACz5wErhOZgGAUjEXi4"
        "OgaA6AgoH5ZKTzChqktES48eFNoLSr1MWNKvBzOEn8FKXPrVYEd19ygY2ekXlp46WLGn37LEnNLUYkQ6diDT3mA/fxdQGoaVmwrM"
        "aPkDLR2PAnzhyER0OMLyecFohYVWnrJCwowRxteA0EwQAWgwAtshDDj4AmCtAnAjIAHMCqRBfCYmiEEc0BzGzNgAbbnwoLmkYZAE"
        "CBMzCysbOwcnFzcAF9pIqA=="
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / f"{name}.h5").write_bytes(zlib.decompress(base64.b64decode(text)))
    return tmp_path


@pytest.mark.parametrize(("name", "said"), [("outside", "the data of values"), ("link", "a link"), ("virtual", "put")])
def test_what_other_files_hold_is_said(folder: Path, name: str, said: str) -> None:
    assert said in (held_elsewhere(str(folder / f"{name}.h5")) or "")


def test_links_within_a_file_lead_nowhere_else(folder: Path) -> None:
    assert held_elsewhere(str(folder / "whole.h5")) is None
    with open_data(folder / "whole.h5") as dataset:
        assert sorted(dataset.read(1).ravel()) == sorted(np.arange(12))


def test_a_group_that_holds_itself_is_no_endless_way(folder: Path) -> None:
    assert "without an end" in (held_elsewhere(str(folder / "circle.h5")) or "")


@pytest.mark.parametrize("ending", [".h5", ".tif"])
def test_such_a_file_is_refused_whatever_it_is_called_unless_it_is_trusted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = (folder / "outside.h5").rename(folder / f"outside{ending}")
    with pytest.raises(UnreadableDataError) as error:
        check_opening(path)
    assert "in another file" in error.value.found
    monkeypatch.setenv(TRUST_VARIABLE, "on")
    check_opening(path)


def test_a_folder_tells_which_files_were_not_opened(folder: Path) -> None:
    inventory = take_inventory(folder)
    assert {Path(str(item.path)).name for item in inventory.rasters} == {"whole.h5"}
    assert {name for name, _ in inventory.unreadable} == {"outside.h5", "link.h5", "virtual.h5", "circle.h5"}
