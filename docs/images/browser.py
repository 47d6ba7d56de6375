"""A headless Chromium driven through a pipe, for the pictures of the documentation and the measures of reports.

Needs a Chromium or Chrome that is on the path, and nothing else: the DevTools protocol is spoken over two file
descriptors, so no port is opened and no package is installed.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


class BrowserError(RuntimeError):
    """There is no browser, or it did not do what it was told."""


class Browser:
    """One page of a browser; ``with Browser() as page: page.open(path)``."""

    def __init__(self) -> None:
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if found is None:
            raise BrowserError("no browser: expected chromium or google-chrome on the path, found none; install one")
        self._profile = tempfile.TemporaryDirectory(prefix="knowflow-browser-", ignore_cleanup_errors=True)
        told, self._out = os.pipe()
        self._in, answers = os.pipe()
        shell = f'exec "$0" "$@" 3<&{told} 4>&{answers}'  # the two descriptors that the browser reads and writes
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", shell, found, *_FLAGS, f"--user-data-dir={self._profile.name}"],
            pass_fds=(told, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(told)
        os.close(answers)
        self._number, self._rest = 0, b""
        target = self._told("Target.createTarget", url="about:blank")["targetId"]
        self._session: str | None = self._told("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.tell("Page.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = None
        try:
            self._told("Browser.close")
            self._process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def open(self, page: Path, width: int, height: int) -> None:
        """Show a file in a window of so many CSS pixels, and wait until it is there."""
        self.size(width, height)
        self.tell("Page.navigate", url=page.resolve().as_uri())
        self._until("Page.loadEventFired")

    def size(self, width: int, height: int) -> None:
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript, in the page; of a promise what it becomes."""
        found = self.tell("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise BrowserError(str(found["exceptionDetails"].get("exception", {}).get("description")))
        return found["result"].get("value")

    def picture(self, target: Path, height: int | None = None) -> None:
        """Write what the window shows as a PNG; ``height`` cuts it, or shows more of the page."""
        width, tall = self.run("[innerWidth, innerHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": height or tall, "scale": 1}
        shot = self.tell("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        target.write_bytes(base64.b64decode(shot["data"]))

    def printed(self) -> bytes:
        """The page on A4 paper, as a PDF."""
        options = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True, "preferCSSPageSize": True}
        return base64.b64decode(self.tell("Page.printToPDF", **options)["data"])

    def tell(self, method: str, **given: Any) -> dict[str, Any]:
        return self._told(method, **given)

    def _told(self, method: str, **given: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": given}
        if getattr(self, "_session", None) is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error'].get('message')}")
                return dict(answer["result"])

    def _until(self, event: str) -> None:
        while self._next().get("method") != event:
            pass

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._in, 1 << 20)
            if not part:
                raise BrowserError("the browser ended")
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(line))
