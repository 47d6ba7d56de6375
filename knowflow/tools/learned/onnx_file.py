"""ONNX files of the few operators that pixel classifiers need, and the card that such a file carries in itself.

ONNX is data, not code: reading one cannot execute anything. The format is Protocol Buffers; the messages and field
numbers are those of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import UnreadableDataError

CARD = "knowflow_card"
_IR_VERSION = 8
_OPSETS = {"": 17, "ai.onnx.ml": 3}
_FLOAT = 1  # TensorProto.FLOAT
_DELIMITED, _VARINT, _FIXED32, _FIXED64 = 2, 0, 5, 1
# AttributeProto: type number, field number
_ATTRIBUTES = {"float": (1, 2), "int": (2, 3), "string": (3, 4), "floats": (6, 7), "ints": (7, 8), "strings": (8, 9)}

Node = tuple[str, Sequence[str], Sequence[str], Mapping[str, Any], str]


def write_model(
    path: Path,
    nodes: Sequence[Node],
    weights: Mapping[str, NDArray[np.float32]],
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
    metadata: Mapping[str, str],
) -> None:
    """Write a graph over rows: every input and output is float32 (rows, n), with n by name.

    A node is (operator, inputs, outputs, attributes, domain).
    """
    graph = b"".join(_field(1, _node(*node)) for node in nodes)
    graph += _field(2, b"pixel_classifier")
    graph += b"".join(_field(5, _tensor(name, values)) for name, values in weights.items())
    graph += b"".join(_field(11, _value_info(name, width)) for name, width in inputs.items())
    graph += b"".join(_field(12, _value_info(name, width)) for name, width in outputs.items())
    model = _number(1, _IR_VERSION) + _field(2, b"knowflow") + _field(7, graph)
    for domain, version in _OPSETS.items():
        model += _field(8, _field(1, domain.encode()) + _number(2, version))
    for key, text in metadata.items():
        model += _field(14, _field(1, key.encode()) + _field(2, text.encode()))
    path.write_bytes(model)


def metadata_of(path: Path) -> dict[str, str]:
    """The metadata of an ONNX file.

    Raises:
        UnreadableDataError: it is not one.
    """
    try:
        found = {}
        for number, value in _fields(path.read_bytes()):
            if number == 14 and isinstance(value, memoryview):
                entry = {key: bytes(text) for key, text in _fields(value) if isinstance(text, memoryview)}
                found[entry.get(1, b"").decode()] = entry.get(2, b"").decode()
    except (ValueError, IndexError, struct.error) as error:
        raise UnreadableDataError(
            "the file is not an ONNX model", where=str(path), expected="Protocol Buffers", found=str(error)
        ) from error
    return found


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers are sent as 64 bits of two's complement
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value)


def _field(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _DELIMITED) + _varint(len(content)) + content


def _node(
    operator: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Any], domain: str
) -> bytes:
    parts = [_field(1, name.encode()) for name in inputs] + [_field(2, name.encode()) for name in outputs]
    parts += [_field(3, f"{operator}_{outputs[0]}".encode()), _field(4, operator.encode())]
    parts += [_field(5, _attribute(name, value)) for name, value in attributes.items()]
    return b"".join([*parts, _field(7, domain.encode())])


def _attribute(name: str, value: Any) -> bytes:
    kind = _kind(value)
    type_number, field = _ATTRIBUTES[kind]
    match kind:
        case "float":
            content = _varint(field << 3 | _FIXED32) + struct.pack("<f", value)
        case "int":
            content = _number(field, value)
        case "string":
            content = _field(field, value.encode())
        case "floats":
            content = _field(field, np.asarray(value, dtype="<f4").tobytes())  # packed
        case "ints":
            content = _field(field, b"".join(_varint(int(item)) for item in value))
        case _:
            content = b"".join(_field(field, item.encode()) for item in value)
    return _field(1, name.encode()) + content + _number(20, type_number)


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "floats" if value.dtype.kind == "f" else "ints"
    if isinstance(value, (list, tuple)):
        return "strings"
    return {int: "int", float: "float", str: "string"}[type(value)]


def _tensor(name: str, values: NDArray[np.float32]) -> bytes:
    dims = b"".join(_number(1, size) for size in values.shape)
    return dims + _number(2, _FLOAT) + _field(8, name.encode()) + _field(9, values.astype("<f4").tobytes())


def _value_info(name: str, width: int) -> bytes:
    rows = _field(1, _field(2, b"rows"))
    columns = _field(1, _number(1, width))
    tensor = _number(1, _FLOAT) + _field(2, rows + columns)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))


def _fields(content: bytes | memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Field numbers and values of one message, in order."""
    view = memoryview(content)
    place = 0
    while place < len(view):
        tag, place = _read_varint(view, place)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, place = _read_varint(view, place)
            yield number, value
            continue
        length = {_FIXED32: 4, _FIXED64: 8}.get(wire)
        if wire == _DELIMITED:
            length, place = _read_varint(view, place)
        if number == 0 or length is None or place + length > len(view):
            raise ValueError(f"no message at byte {place}")
        yield number, view[place : place + length]
        place += length


def _read_varint(view: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = view[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if not byte & 0x80:
            return value, place
        if shift > 63:
            raise ValueError(f"no number at byte {place}")
