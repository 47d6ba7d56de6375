"""Single flat calls: what is wrong with one before it is made, and what it should have been."""

from knowflow.reason.calls.call import Call, KnownFiles, Result, listed_in, unwrapped
from knowflow.reason.calls.check import check_call
from knowflow.reason.calls.proposals import Proposal, proposals, written

__all__ = [
    "Call",
    "KnownFiles",
    "Proposal",
    "Result",
    "check_call",
    "listed_in",
    "proposals",
    "unwrapped",
    "written",
]
