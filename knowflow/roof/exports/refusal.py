"""What cannot be said in the words of another system."""

from __future__ import annotations

from knowflow.ground.errors import KnowFlowError


class NotExpressibleError(KnowFlowError):
    """Something of a run or a plan has no counterpart in the format that it is to be exported to."""

    code = "not_expressible"


def cannot(form: str, where: str, found: str, hint: str | None = None) -> NotExpressibleError:
    """The refusal of a form, with the node (or input, or output) it is about."""
    expected = f"what {form} has a counterpart for"
    return NotExpressibleError(
        f"this cannot be expressed in {form}", where=where, expected=expected, found=found, hint=hint
    )
