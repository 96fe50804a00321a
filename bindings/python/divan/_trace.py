"""Where an exception comes from, told in lines of the user's own files: frames inside of these packages are left out."""

import os
import sys
import traceback

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OURS = tuple(os.path.join(_HOME, name) + os.sep for name in ("divan", "Sofa", "SofaRuntime", "SofaTypes"))


def _is_theirs(filename):
    return not filename.startswith(_OURS) and not filename.startswith("<frozen ")


def place(value, trace):
    """File and line of the innermost frame that is the user's; of a SyntaxError where it stands, of a script that
    makes no scene the script."""
    if isinstance(value, SyntaxError) and value.filename:
        return value.filename, value.lineno or 0
    frames = [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(trace)]
    theirs = [f for f in frames if _is_theirs(f[0])]
    if not theirs and isinstance(value, ImportError) and value.path:
        return value.path, 1
    return (theirs or frames or [("", 0)])[-1]


def show(value):
    """Prints it as the interpreter does, without frames of ours."""
    told = traceback.TracebackException.from_exception(value)
    theirs = [f for f in told.stack if _is_theirs(f.filename)]
    if theirs or isinstance(value, SyntaxError) or (isinstance(value, ImportError) and value.path):
        told.stack = traceback.StackSummary.from_list(theirs)
    print("".join(told.format()), end="", file=sys.stderr)
