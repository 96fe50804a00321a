"""Names that SofaPython3 has and this layer does not. Whoever uses one is told so."""

HINT = "see docs/python.md"


class AbsentError(AttributeError):
    """A name of SofaPython3 that this layer does not have."""


def message(where, name, reason):
    text = "%s.%s is a name of SofaPython3 that Divan does not have (%s)" % (where, name, HINT)
    return "%s: %s" % (text, reason) if reason else text


class Named:
    """Base of classes that list names they lack in `_absent`: {name: reason}."""

    __slots__ = ()
    _absent = {}

    @classmethod
    def _absent_reason(cls, name):
        for c in cls.__mro__:
            reason = c.__dict__.get("_absent", {}).get(name)
            if reason is not None:
                return c, reason
        return None

    def _refuse(self, name):
        """Raises when the name is one of those, or when there is no such attribute at all."""
        found = self._absent_reason(name)
        if found:
            raise AbsentError(message(found[0].__module__ + "." + found[0].__name__, name, found[1]))
        raise AttributeError("'%s' has no attribute '%s'" % (type(self).__name__, name))

    def __getattr__(self, name):
        self._refuse(name)


def module(name, absent):
    """A __getattr__ of a module that lacks some names."""

    def __getattr__(attribute):
        if attribute in absent:
            raise AbsentError(message(name, attribute, absent[attribute]))
        raise AttributeError("module '%s' has no attribute '%s'" % (name, attribute))

    return __getattr__
