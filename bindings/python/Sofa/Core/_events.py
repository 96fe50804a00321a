"""Events: from what divan sends to the dictionaries of SofaPython3."""

# kinds of divan -> SOFA's names; those that are not here only get the ending
_NAMES = {"KeyPressed": "KeypressedEvent", "KeyReleased": "KeyreleasedEvent", "SimulationInit": "SimulationInitDoneEvent"}

# All methods that a Controller is asked for.
HANDLERS = ("onAnimateBeginEvent", "onAnimateEndEvent", "onBuildConstraintSystemEndEvent", "onCollisionBeginEvent",
            "onCollisionEndEvent", "onIntegrateBeginEvent", "onIntegrateEndEvent", "onKeypressedEvent",
            "onKeyreleasedEvent", "onMouseEvent", "onPauseEvent", "onPythonScriptEvent",
            "onSimulationInitDoneEvent", "onSolveConstraintSystemEndEvent", "onEvent")


def name(kind):
    if kind.endswith("Event"):
        return kind
    return _NAMES.get(kind, kind + "Event")


def dictionary(kind, data):
    """The argument of on...Event."""
    event = {"type": name(kind), "isHandled": False}
    if kind == "Mouse":
        first = {"move": 0, "left": 1, "right": 3, "middle": 5, "wheel": 7}[data["button"]]
        released = data["button"] in ("left", "right", "middle") and data["released"]
        event.update(State=first + bool(released), mouseX=data["x"], mouseY=data["y"], wheelDelta=data["wheel"])
        return event
    event.update(data or {})
    event.pop("code", None)
    key = event.get("key")
    if isinstance(key, int):
        event["key"] = chr(key)
    return event


_methods = {}   # kind -> name of its method


def handle(component, kind, data):
    """Calls on<Name>Event of a component that listens, else its onEvent. Methods of the class or of the instance count, Data
    are not asked: most events concern nobody."""
    method = _methods.get(kind)
    if method is None:
        method = _methods[kind] = "on" + name(kind)
    function = _callable(component, method) or _callable(component, "onEvent")
    if function is not None and component._listens():
        function(dictionary(kind, data))


def _callable(component, method):
    function = component.__dict__.get(method) or getattr(type(component), method, None)
    return getattr(component, method) if callable(function) else None


def send(node, kind, data):
    """Sends an event to the Python components of a node and of all nodes below it."""
    for component in list(node.objects):
        if getattr(component, "_takes_events", False):
            handle(component, kind, data)
    for child in list(node.children):
        send(child, kind, data)
