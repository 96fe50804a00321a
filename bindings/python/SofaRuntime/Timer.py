"""Times of named stretches of a script, in milliseconds."""
import time as _time

_enabled, _intervals, _records, _open = {}, {}, {}, []


def clear():
    _enabled.clear()
    _records.clear()
    _open.clear()


def isEnabled(id):
    return _enabled.get(id, False)


def setEnabled(name, enabled):
    _enabled[name] = bool(enabled)


def getInterval(id):
    return _intervals.get(id, 100)


def setInterval(id, interval):
    _intervals[id] = int(interval)


def setOutputType(id, newOutputType):
    """Records are read with getRecords; nothing is printed."""


def _now():
    return 1000.0 * _time.perf_counter()


def begin(id):
    if isEnabled(id):
        _records[id] = {}
        _open.append((id, _records[id], _now()))
        _records[id]["start_time"] = 0.0


def stepBegin(id):
    if not _open:
        return
    parent, start = _open[-1][1], _open[0][2]
    record = {"start_time": _now() - start}
    known = parent.get(id)
    if known is None:
        parent[id] = record
    elif isinstance(known, list):
        known.append(record)
    else:
        parent[id] = [known, record]
    _open.append((id, record, _now()))


def stepEnd(id):
    if len(_open) > 1 and _open[-1][0] == id:
        _close(_open.pop()[1], _open[0][2])


def _close(record, start):
    record["end_time"] = _now() - start
    record["total_time"] = record["end_time"] - record["start_time"]


def end(id):
    if _open and _open[0][0] == id:
        _close(_open[0][1], _open[0][2])
        _open.clear()


def getRecords(id):
    """What was measured since begin(id): a dictionary with start_time, end_time, total_time and the steps inside."""
    return _records.get(id, {})
