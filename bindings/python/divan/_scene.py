"""Scenes with what is easier said in Python."""

import atexit
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

from . import _divan


def _png(pixels, width, height):
    rows = b"".join(b"\0" + pixels[3 * width * y:3 * width * (y + 1)] for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b""))


class Viewer(_divan.ViewerBase or object):
    """A page of the browser that shows a scene as it runs here: address, close(), wait().

    The page follows what the program does, and may touch, pause and step the scene itself when the program is idle; then
    the program waits for the end of such a step. A page cannot load files or exchange the scene."""

    def __new__(cls, scene, browser=True, port=0):
        if _divan.ViewerBase is None:
            raise RuntimeError("divan was built without its viewer (-DDIVAN_VIEWER=OFF)")
        title = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] not in ("", "-c", "-") else "scene"
        directories = [os.path.abspath(d) for d in scene.directories]
        self = super().__new__(cls, scene, title, directories, port)
        self._way = self._thread = None
        return self

    def __init__(self, scene, browser=True, port=0):
        self._thread = threading.Thread(target=self.serve, name="divan viewer", daemon=True)
        self._thread.start()
        _open_viewers.add(self)
        if browser:
            self._show()

    def _show(self):
        """Opens the browser by way of a file that only this user can read: the address is a secret."""
        program = shutil.which("xdg-open") if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") else None
        if program is None or self.address is None:
            return
        if self._way is None:
            self._way = tempfile.NamedTemporaryFile("w", prefix="divan-", suffix=".html")
            self._way.write('<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Divan</title>'
                            '<script>location.replace("%s")</script>\n' % self.address)
            self._way.flush()
        subprocess.Popen([program, self._way.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def close(self):
        """Ends it; the scene goes on. From a callback of a step it ends when the step does."""
        _open_viewers.discard(self)
        if self.stop():
            self._thread.join()
        if self._way is not None:
            self._way.close()
            self._way = None

    def wait(self):
        """Waits until it is closed; Ctrl-C closes it."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.2)
        except KeyboardInterrupt:
            self.close()

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.close()

    def __repr__(self):
        return f"<Viewer at {self.address}>" if self.address else "<Viewer, closed>"


_open_viewers = set()


@atexit.register
def _close_viewers():   # before the interpreter goes
    for viewer in list(_open_viewers):
        viewer.close()


class Scene(_divan.SceneBase):
    __doc__ = _divan.SceneBase.__doc__

    def __repr__(self):
        if self.closed:
            return "<Scene, closed>"
        return f"<Scene at {self.time:g} s, {self.steps} steps>"

    def picture(self, path=None, width=640, height=480, view_from=None, zoom=1.0):
        """What the scene looks like now, as bytes of a PNG file, which is also written to `path` when it is given.

        It stands upright as gravity pulls, and fits; `view_from` is the direction towards the eye."""
        view = None if view_from is None else tuple(view_from)
        data = _png(_divan._picture(self, width, height, view, zoom), width, height)
        if path is not None:
            with open(path, "wb") as out:
                out.write(data)
        return data

    def _repr_png_(self):   # in a notebook a scene shows itself
        return self.picture() if not self.closed and self.initialised else None

    def view(self, browser=True, port=0):
        """Opens the browser on this scene, which goes on here; returns the viewer (address, close, wait)."""
        shown = next((v for v in _open_viewers if v.scene is self), None)
        if shown is not None:
            if browser:
                shown._show()
            return shown
        if not self.initialised:
            self.init()
        return Viewer(self, browser, port)

    def close(self):
        """Frees the scene, and its viewer; handles raise ReferenceError from then on."""
        for viewer in [v for v in _open_viewers if v.scene is self]:
            viewer.close()
        super().close()
