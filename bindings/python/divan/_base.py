"""Messages, exceptions, and what numpy adds where it is installed."""

import warnings

try:
    import numpy
except ImportError:
    numpy = None

from . import _divan

LEVELS = ("info", "note", "warning", "error")
STATUS = {0: "ok", 2: "usage", 3: "unknown component", 4: "input", 5: "diverged"}


class Message:
    """What the library has to say: level, file, line, path of the component, text, advice."""

    __slots__ = ("level", "file", "line", "path", "text", "advice", "status")

    def __init__(self, level, file, line, path, text, advice, status):
        self.level = LEVELS[level]
        self.file, self.line, self.path = file, line, path
        self.text, self.advice, self.status = text, advice, status

    def __str__(self):
        place = f"{self.file}:{self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        where = f"{self.path}: " if self.path else ""
        return f"{place}{where}{self.text}" + (f"\n    {self.advice}" if self.advice else "")

    def __repr__(self):
        return f"<{self.level}: {self}>"


class Error(Exception):
    """What went wrong, with all messages that belong to it."""

    def __init__(self, what, status=4, messages=()):
        self.what, self.status = what, status
        self.messages = [m for m in messages if isinstance(m, Message)]
        self.reason = STATUS.get(status, "error")
        super().__init__(what, status, messages)

    def __str__(self):
        errors = [str(m) for m in self.messages if m.level == "error"]
        return "\n".join([self.what + (":" if errors else "")] + errors)

    @property
    def file(self):
        return next((m.file for m in self.messages if m.level == "error"), None)

    @property
    def line(self):
        return next((m.line for m in self.messages if m.level == "error"), None)


class SceneError(Error):
    """A scene, a component or a step that does not work."""


class DivergedError(SceneError):
    """A state is no longer finite. The scene is back at the last good step."""


class UnknownComponentError(SceneError):
    """There is no component of this name."""


def _make_error(what, status, messages):
    kind = {3: UnknownComponentError, 5: DivergedError}.get(status, SceneError)
    return kind(what, status, messages)


class SceneWarning(UserWarning):
    """Something of a scene that is legal and most likely not meant."""

    def __init__(self, text, message=None):
        super().__init__(text)
        self.message = message


class Writing:
    """``with field.writable() as x``: x is the numbers themselves; the component is told at the end."""

    __slots__ = ("field", "view", "array")

    def __init__(self, field):
        self.field = field

    def __enter__(self):
        self.view = self.field.begin_write()
        self.array = self.view if numpy is None else numpy.asarray(self.view)
        return self.array

    def __exit__(self, kind, value, trace):
        if numpy is not None:
            self.array.flags.writeable = False
        self.field.end_write(self.view)
        self.array = self.view = None
        return False


_wrap = None if numpy is None else numpy.asarray
