"""The tools named after published networks: what is registered under the name, or a plain word that nothing is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.earth_agent.files import Raster, whole

Network = Callable[..., Any]
_REGISTERED: dict[str, Network] = {}


class ModelNotRegisteredError(ToolError):
    """A tool is named after a network, and no model is registered under that name."""

    code: ClassVar[str] = "model_not_registered"


def register_network(name: str, network: Network) -> None:
    """Let ``network`` do the work of the tool of that name.

    It is called with the tool's arguments by name, files as artifacts with all their bands; what it returns is the
    tool's result. A network registered before under the name is replaced.
    """
    _REGISTERED[name] = network


def unregister_network(name: str) -> None:
    """Forget the network of that name, where there is one."""
    _REGISTERED.pop(name, None)


def _run(name: str, **arguments: Any) -> Any:
    network = _REGISTERED.get(name)
    if network is None:
        raise ModelNotRegisteredError(
            f"no model is registered under the name {name}",
            expected=f"a model registered as {name}",
            found=", ".join(sorted(_REGISTERED)) or "none",
            hint=f"register one in Python: knowflow.tools.earth_agent.networks.register_network({name!r}, function); "
            "no weights come with KnowFlow",
        )
    return network(**arguments)


def MSCN(input_image_path: Raster) -> list[dict[str, Any]]:  # noqa: N802 (a published name)
    """The classes of a scene: rows of class and confidence, the likeliest first."""
    return list(_run("MSCN", input_image_path=whole(input_image_path)))


def RemoteCLIP(input_image_path: Raster) -> list[dict[str, Any]]:  # noqa: N802
    """The classes of a scene: rows of class and confidence, the likeliest first."""
    return list(_run("RemoteCLIP", input_image_path=whole(input_image_path)))


def Strip_R_CNN(input_image_path: Raster, text_prompt: str) -> list[list[float]]:  # noqa: N802
    """Boxes (x1, y1, x2, y2 in pixels) of the objects that are named."""
    return list(_run("Strip_R_CNN", input_image_path=whole(input_image_path), text_prompt=text_prompt))


def SM3Det(input_image_path: Raster, text_prompt: str) -> list[list[float]]:  # noqa: N802
    """Boxes (x1, y1, x2, y2 in pixels) of the objects that are named."""
    return list(_run("SM3Det", input_image_path=whole(input_image_path), text_prompt=text_prompt))


def RemoteSAM(input_image_path: Raster, text_prompt: str) -> list[float]:  # noqa: N802
    """The box (x1, y1, x2, y2 in pixels) of the object that the text describes."""
    return list(_run("RemoteSAM", input_image_path=whole(input_image_path), text_prompt=text_prompt))


def InstructSAM(input_image_path: Raster, text_prompt: str) -> int:  # noqa: N802
    """How many of the objects that are named there are."""
    return int(_run("InstructSAM", input_image_path=whole(input_image_path), text_prompt=text_prompt))


def SAM2(input_image_path: Raster, bbox: list[Any], output_path: Path) -> None:  # noqa: N802
    """Write a mask of the objects inside boxes (x1, y1, x2, y2 in pixels)."""
    _run("SAM2", input_image_path=whole(input_image_path), bbox=bbox, output_path=Path(output_path))


def ChangeOS(pre_image_path: Raster, post_image_path: Raster, output_path: Path) -> None:  # noqa: N802
    """Write a map of the damage to buildings between two images."""
    _run(
        "ChangeOS",
        pre_image_path=_image(pre_image_path),
        post_image_path=_image(post_image_path),
        output_path=Path(output_path),
    )


def _image(source: Raster) -> Artifact:
    return whole(source)
