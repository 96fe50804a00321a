"""Where files are found."""
import os as _os


class FileRepository:
    """A list of directories in which files are looked for."""

    def __init__(self, envVar="SOFA_DATA_PATH", relativePath=None, fileKeyMaps=None):
        self._paths = []
        for path in _os.environ.get(envVar, "").split(self.entrySeparator()) if envVar else []:
            if path:
                self.addLastPath(path)
        if relativePath:
            self.addLastPath(relativePath)
        self.direct_access_protocol_prefix = ""

    @staticmethod
    def entrySeparator():
        return _os.pathsep

    @staticmethod
    def relativeToPath(path, refPath, doLowerCaseOnWin32=True):
        return path[len(refPath):].lstrip("/") if path.startswith(refPath) else path

    @staticmethod
    def _entries(path):
        return [p.rstrip("/") or "/" for p in path.split(_os.pathsep) if p]

    def addFirstPath(self, path):
        self._paths[:0] = self._entries(path)
        self._changed()

    def addLastPath(self, path):
        self._paths.extend(self._entries(path))
        self._changed()

    def removePath(self, path):
        gone = self._entries(path)
        self._paths[:] = [p for p in self._paths if p not in gone]
        self._changed()

    def clear(self):
        self._paths.clear()
        self._changed()

    def _changed(self):
        pass

    def getPaths(self):
        return list(self._paths)

    def getFirstPath(self):
        return self._paths[0] if self._paths else ""

    def getPathsJoined(self):
        return _os.pathsep.join(self._paths)

    def _find(self, filename, basedir=""):
        if _os.path.isabs(filename):
            return filename if _os.path.exists(filename) else None
        for place in ([basedir] if basedir else []) + self._paths:
            found = _os.path.join(place, filename)
            if _os.path.exists(found):
                return found
        return None

    def findFile(self, filename, basedir=""):
        return self._find(filename, basedir or "") is not None

    def getFile(self, filename, basedir=""):
        """The file with its directory; the name as it was when it is not found."""
        return self._find(filename, basedir or "") or filename

    def findFileFromFile(self, filename, basefile=""):
        return self.findFile(filename, _os.path.dirname(basefile))

    def print(self):
        print(self.getPathsJoined())


class _DataRepository(FileRepository):
    """The directories in which Divan looks for meshes and scenes."""

    def _changed(self):
        from ..Core import _node
        _node.set_data(self.getPaths())


DataRepository = _DataRepository("SOFA_DATA_PATH")
PluginRepository = FileRepository("DIVAN_PLUGIN_PATH")
GUIDataRepository = FileRepository("")
