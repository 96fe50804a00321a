"""The viewer: it opens in the browser."""
from . import _absent

_absent_names = {"BaseGui": "the viewer is a page of the browser"}


class GUIManager:
    """What scripts of SofaPython3 call to see a scene. MainLoop runs the viewer until it is closed or Ctrl-C."""

    _root = None
    _page = None
    _size = (640, 480)

    @staticmethod
    def ListSupportedGUI(separator=None):
        return ["browser"] if separator is None else "browser"

    @staticmethod
    def GetValidGUIName():
        return "browser"

    @staticmethod
    def Init(program_name="", gui_name=""):
        """Any name will do: there is one viewer."""
        return 0

    @staticmethod
    def createGUI(node, filename=""):
        GUIManager._root = node
        return 0

    @staticmethod
    def SetScene(root, filename=None, temporaryFile=False):
        GUIManager._root = root

    @staticmethod
    def SetDimension(width, height):
        """Size of the pictures of SaveScreenshot; the page has that of its window."""
        GUIManager._size = (int(width), int(height))

    @staticmethod
    def SetFullScreen():
        """The browser does that."""

    @staticmethod
    def SetBackgroundImage(image):
        """The page has a background of its own."""

    @staticmethod
    def GetGUI():
        return GUIManager

    @staticmethod
    def MainLoop(node, filename=""):
        """Shows the scene as it stands, with all that runs in it, until Ctrl-C or closeGUI."""
        from . import Simulation
        page = GUIManager._page = Simulation._ready(node).view()
        print("the viewer is at %s; Ctrl-C ends it" % page.address)
        page.wait()
        GUIManager._page = None
        return 0

    @staticmethod
    def closeGUI():
        GUIManager._root = None
        if GUIManager._page is not None:
            GUIManager._page.close()

    @staticmethod
    def SaveScreenshot(filename):
        """Writes a picture (PNG) of the scene as it is now."""
        if GUIManager._root is None:
            raise RuntimeError("SaveScreenshot: createGUI has not been called")
        GUIManager._root._handle.scene.picture(filename, *GUIManager._size)


__getattr__ = _absent.module("Sofa.Gui", _absent_names)
