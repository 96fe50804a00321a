"""Plugins, directories and timers of the running program."""
import os as _os

from divan import _divan

import Sofa
from Sofa import _absent
from Sofa.Core import ObjectFactory as _ObjectFactory
from Sofa.Core import _node
from Sofa.Helper.System import DataRepository, PluginRepository
from . import Timer

_absent_names = {"Input": "", "unload_plugin": "a plugin stays until the program ends"}


class PluginManager:
    """Plugins that scripts have asked for."""

    loadedPlugins = ["SofaPython3"]


def importPlugin(name):
    """Makes the components of a plugin known. Those of SOFA's own modules, whose names begin so, are there already."""
    if name in PluginManager.loadedPlugins:
        return True
    if not name.startswith("Sofa") and not _divan._load_plugin(_node.context(), name):
        Sofa.Helper.msg_error("SofaRuntime", "the plugin %s was not found (DIVAN_PLUGIN_PATH)" % name)
        return False
    PluginManager.loadedPlugins.append(name)
    return True


def importPlugins(names):
    return all([importPlugin(n) for n in names])


def load_plugins_from_ini_file(path):
    """Each line of the file names a plugin, maybe with a version behind."""
    with open(path) as lines:
        importPlugins([line.split()[0] for line in lines if line.strip() and not line.startswith("#")])


def auto_load_plugins():
    """Plugins that plugin_list.conf in a directory of plugins names."""
    for directory in PluginRepository.getPaths():
        for name in ("plugin_list.conf", "plugin_list.conf.default"):
            path = _os.path.join(directory, name)
            if _os.path.exists(path):
                load_plugins_from_ini_file(path)
                return


autoload = auto_load_plugins


def init():
    """Messages go to the console."""
    Sofa.Helper.MessageDispatcher.clearHandlers()


def getCategories(name):
    """What a component is: ["ForceField"], ["Loader"], ..."""
    return _ObjectFactory.getComponent(name).categories if _ObjectFactory.hasComponent(name) else []


unloadModules = Sofa.unloadModules
formatStackForSofa = Sofa.formatStackForSofa
getStackForSofa = Sofa.getStackForSofa
getPythonCallingPoint = Sofa.getPythonCallingPoint
getPythonCallingPointAsString = Sofa.getPythonCallingPointAsString
sendMessageFromException = Sofa.sendMessageFromException
getSofaFormattedStringFromException = Sofa.getSofaFormattedStringFromException

__getattr__ = _absent.module("SofaRuntime", _absent_names)
