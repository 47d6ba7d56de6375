"""What runs taught: a failure that a person or a language model mended becomes a rule of the project it was mended in.

A :class:`Case` is one such repair, with what is known of the artifact that was guilty. Cases of one cause with one
remedy are generalised into a rule in the language of the authored ones, as specific as they are (``generalise``), which
is admitted only if it makes the same repair of the failure that it was learned from (``replay``). Learned rules are
files of one project (``shelf``), checked like authored ones whenever they are read.

What a run is and where its trace is kept is not of this room: it is handed traces, as values.
"""

from knowflow.memory.case import Case, case_of
from knowflow.memory.learning import Learner, Lesson
from knowflow.memory.shelf import Learned, Shelf

__all__ = ["Case", "Learned", "Learner", "Lesson", "Shelf", "case_of"]
