"""Nodes: building graphs, finding things in them, taking them apart."""
import gc
import unittest
import warnings

import where  # noqa: F401
import Sofa
import Sofa.Core
import Sofa.Simulation


class Listener(Sofa.Core.Controller):
    def __init__(self, *args, **fields):
        Sofa.Core.Controller.__init__(self, *args, **fields)
        self.heard = []

    def onPythonScriptEvent(self, event):
        self.heard.append(event)


def a_graph():
    root = Sofa.Core.Node("root")
    arm = root.addChild("arm")
    hand = arm.addChild("hand")
    state = hand.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0], [1, 0, 0]])
    return root, arm, hand, state


class Building(unittest.TestCase):
    def test_names(self):
        self.assertEqual(Sofa.Core.Node("root").name.value, "root")
        self.assertEqual(Sofa.Core.Node().name.value, "unnamed")
        node = Sofa.Core.Node("a")
        node.name = "b"
        self.assertEqual(node.getName(), "b")
        node.name.value = "c"
        self.assertEqual(node.getName(), "c")

    def test_attributes_lead_down(self):
        root, arm, hand, state = a_graph()
        self.assertIs(root.arm.hand.dofs, state)
        self.assertIs(root.arm, arm)
        self.assertFalse(hasattr(root, "leg"))
        self.assertRaises(AttributeError, getattr, root, "leg")

    def test_items_are_paths(self):
        root, arm, hand, state = a_graph()
        self.assertIs(root["arm.hand"], hand)
        self.assertIs(root["arm.hand.dofs"], state)
        self.assertEqual(root["arm.hand.dofs.name"], state.name)
        self.assertEqual(root["name"], root.name)
        self.assertEqual(root[".name"], root.name)
        self.assertEqual(state["name"], state.name)
        self.assertIs(state[""], state)
        self.assertIs(state["."], state)
        self.assertRaises(ValueError, root.__getitem__, "")
        self.assertRaises(ValueError, root.__getitem__, "arm.foot")

    def test_unknown_component_and_field(self):
        root = Sofa.Core.Node("root")
        self.assertRaises(ValueError, root.addObject, "NoSuchComponent")
        self.assertRaises(TypeError, root.addObject, [1.0, 0.0, 0.0])
        self.assertRaises(TypeError, root.addObject, "MechanicalObject", nonsense=[1, 2])
        self.assertEqual(len(root.objects), 0)

    def test_rows_may_be_split(self):
        root = Sofa.Core.Node("root")
        root.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0], [2, 0, 0]])
        roi = root.addObject("BoxROI", box=[[-1, -1, -1], [1, 1, 1]])   # corners, as scenes of SoftRobots have them
        self.assertEqual([float(v) for row in roi.box.value for v in row], [-1, -1, -1, 1, 1, 1])
        Sofa.Simulation.init(root)
        self.assertEqual(list(roi.indices.value), [0])
        with self.assertRaises(ValueError):
            root.addObject("BoxROI", name="odd", box=[[-1, -1, -1], [1, 1]])

    def test_protected_names(self):
        root = Sofa.Core.Node("root")
        self.assertRaises(ValueError, root.addChild, "parents")
        self.assertRaises(ValueError, root.addObject, "MechanicalObject", name="children")
        self.assertRaises(ValueError, root.addData, name="links", type="int", value=1)

    def test_old_spellings(self):
        root = Sofa.Core.Node("root")

        class Hears(Sofa.Helper.MessageHandler):
            kinds = []

            def process(self, message):
                self.kinds.append(message["type"])

        with Hears() as hears:
            child = root.createChild("a")
            state = child.createObject("MechanicalObject", name="dofs")
        self.assertEqual(hears.kinds, ["Deprecated", "Deprecated"])
        self.assertIs(root.a.dofs, state)

    def test_fields_of_a_child(self):
        child = Sofa.Core.Node("root").addChild("a", gravity=[0, 0, -1], activated=False)
        self.assertEqual(list(child.gravity.value), [0, 0, -1])
        self.assertFalse(child.isActive())

    def test_add(self):
        root = Sofa.Core.Node("root")
        self.assertEqual(root.add("MechanicalObject", name="m").getName(), "m")
        node = root.add(Sofa.Core.Node("n"))
        self.assertIs(root.n, node)

        def Body(parent, name):
            body = parent.addChild(name)
            body.addObject("MechanicalObject", name="dofs")
            return body

        self.assertIs(root.add(Body, name="body"), root.body)

    def test_links_by_object_and_by_data(self):
        root = Sofa.Core.Node("root")
        mesh = root.addObject("MeshTopology", name="mesh", position=[[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        state = root.addObject("MechanicalObject", name="dofs", position=mesh.position)
        self.assertEqual(state.position.getParent(), mesh.position)
        other = root.addObject("MechanicalObject", name="more", position=mesh.position.getLinkPath())
        Sofa.Simulation.init(root)
        self.assertEqual(len(state.position), 3)
        self.assertEqual(len(other.position), 3)


class Walking(unittest.TestCase):
    def test_children(self):
        root = Sofa.Core.Node("root")
        a, b = root.addChild(Sofa.Core.Node("a")), root.addChild("b")
        self.assertEqual(len(root.children), 2)
        self.assertEqual([c.getName() for c in root.children], ["a", "b"])
        self.assertIs(root.children[0], a)
        self.assertIs(root.children.at(1), b)
        self.assertIs(root.children["b"], b)
        self.assertTrue("a" in root.children)
        self.assertFalse("c" in root.children)
        self.assertRaises(IndexError, root.children.__getitem__, 2)
        root.children.remove_at(0)
        self.assertEqual([c.getName() for c in root.children], ["b"])
        self.assertIsNone(root.getChild("a"))

    def test_objects(self):
        root = Sofa.Core.Node("root")
        first = root.addObject("MechanicalObject", name="one")
        root.addObject("MechanicalObject", name="two")
        self.assertEqual(len(root.objects), 2)
        self.assertTrue("one" in root.objects and "three" not in root.objects)
        self.assertTrue(root.hasObject("one"))
        self.assertIs(root.getObject("one"), first)
        root.objects.remove_at(1)
        self.assertFalse(root.hasObject("two"))
        root.removeObject(first)
        self.assertEqual(len(root.objects), 0)
        self.assertFalse(hasattr(root, "one"))

    def test_several_parents(self):
        root = Sofa.Core.Node("root")
        a, b = root.addChild("a"), root.addChild("b")
        shared = a.addChild("shared")
        b.addChild(shared)
        self.assertEqual([p.getName() for p in shared.parents], ["a", "b"])
        self.assertIs(a.shared, b.shared)
        a.removeChild(shared)
        self.assertEqual([p.getName() for p in shared.parents], ["b"])

    def test_paths(self):
        root, arm, hand, state = a_graph()
        self.assertEqual(hand.getPathName(), "/arm/hand")
        self.assertEqual(hand.getLinkPath(), "@/arm/hand")
        self.assertEqual(hand.getAsACreateObjectParameter(), "@/arm/hand")
        self.assertEqual(state.getPathName(), "/arm/hand/dofs")
        self.assertEqual(state.linkpath, "@/arm/hand/dofs")
        self.assertIs(state.linkpath.target(), state)
        self.assertEqual(arm.getRootPath(), "../")
        self.assertEqual(hand.getRootPath(), "../../")
        self.assertIs(hand.getRoot(), root)
        self.assertIs(state.getContext(), hand)
        self.assertEqual(root.getClassName(), "Node")

    def test_what_stands_in_a_node(self):
        root = Sofa.Core.Node("root")
        state = root.addObject("MechanicalObject", name="dofs")
        mass = root.addObject("UniformMass", vertexMass=0.1)
        force = root.addObject("ConstantForceField", forces=[0, 1, 0], indices=[0])
        solver = root.addObject("EulerImplicitSolver")
        mapped = root.addObject("MechanicalObject", name="more")
        mapping = root.addObject("IdentityMapping", input="@/dofs", output="@/more")
        self.assertIs(root.getMechanicalState(), state)
        self.assertIs(root.getMass(), mass)
        self.assertIs(root.getForceField(0), force)
        self.assertIsNone(root.getForceField(5))
        self.assertIs(root.getMechanicalMapping(), mapping)
        self.assertTrue(root.hasODESolver())
        self.assertIsNotNone(solver)
        self.assertIsNotNone(mapped)


class Moving(unittest.TestCase):
    def test_loose_nodes_join(self):
        loose = Sofa.Core.Node("loose")
        inside = loose.addChild("inside")
        state = inside.addObject("MechanicalObject", name="dofs", position=[[1, 2, 3]])
        root = Sofa.Core.Node("root")
        self.assertIs(root.addChild(loose), loose)
        self.assertIs(root.loose.inside.dofs, state)
        self.assertEqual(state.getPathName(), "/loose/inside/dofs")
        self.assertEqual(state.position.toList(), [[1, 2, 3]])
        self.assertIs(inside.getRoot(), root)

    def test_from_one_graph_to_another(self):
        one, two = Sofa.Core.Node("one"), Sofa.Core.Node("two")
        child = one.addChild(Sofa.Core.Node("limb"))
        two.moveChild(child, one)
        self.assertEqual((len(one.children), len(two.children)), (0, 1))
        self.assertIs(two.limb, child)
        self.assertFalse(hasattr(one, "limb"))
        self.assertRaises(ValueError, two.moveChild, "child", one)

    def test_removed_nodes_live_on(self):
        root, arm, hand, state = a_graph()
        self.assertIs(root.removeChild("arm"), arm)
        del root
        gc.collect()
        self.assertEqual(state.getPathName(), "/hand/dofs")
        self.assertEqual(state.position.toList(), [[0, 0, 0], [1, 0, 0]])
        other = Sofa.Core.Node("other")
        other.addChild(arm)
        self.assertIs(other.arm.hand.dofs, state)
        self.assertRaises(IndexError, other.removeChild, "leg")

    def test_detach(self):
        root, arm, hand, state = a_graph()
        hand.detachFromGraph()
        self.assertEqual(len(arm.children), 0)
        self.assertEqual(len(hand.parents), 0)

    def test_components_move(self):
        root = Sofa.Core.Node("root")
        a, b = root.addChild("a"), root.addChild("b")
        state = a.addObject("MechanicalObject", name="dofs")
        a.removeObject(state)
        b.addObject(state)
        self.assertIs(b.dofs, state)
        self.assertEqual(state.getPathName(), "/b/dofs")

    def test_links_do_not_outlive_what_they_lead_to(self):
        root = Sofa.Core.Node("root")
        source = root.addChild("source")
        mesh = source.addObject("MeshTopology", name="mesh", position=[[0, 0, 0], [1, 0, 0]])
        state = root.addObject("MechanicalObject", name="dofs", position=mesh.position)
        root.removeChild(source)
        del source, mesh
        gc.collect()
        state.position.value
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            Sofa.Simulation.init(root)
        self.assertIn("leads to no component", str(told[0].message))

    def test_no_circles(self):
        root, arm, hand, state = a_graph()
        self.assertRaises(ValueError, hand.addChild, arm)
        self.assertRaises(ValueError, root.addChild, root)

    def test_after_initialisation(self):
        root = Sofa.Core.Node("root")
        body = root.addChild("body")
        body.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0]])
        Sofa.Simulation.init(root)
        root.removeChild(body)
        self.assertEqual(len(root.children), 0)
        self.assertRaises(ReferenceError, body.getName)
        more = root.addChild("more")
        more.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0]])
        more.init()
        Sofa.Simulation.animate(root, 0.01)
        self.assertTrue(root.isInitialized())


class Events(unittest.TestCase):
    def test_send(self):
        root = Sofa.Core.Node("root")
        listener = root.addChild("child").addObject(Listener(name="listener"))
        root.sendEvent({"answer": 42}, "question")
        event = listener.heard[0]
        self.assertEqual(event["type"], "PythonScriptEvent")
        self.assertEqual(event["event_name"], "question")
        self.assertEqual(event["userData"], {"answer": 42})
        self.assertIs(event["sender"], root)
        listener.listening = False
        root.sendEvent(None, "silence")
        self.assertEqual(len(listener.heard), 1)


class Links(unittest.TestCase):
    def test_of_nodes(self):
        root = Sofa.Core.Node("root")
        root.addObject("MechanicalObject", name="dofs")
        link = root.findLink("mechanicalState")
        self.assertEqual(link.getName(), "mechanicalState")
        self.assertFalse(link.isMultiLink())
        self.assertTrue(link.isReadOnly())
        self.assertIs(link.getLinkedBase(), root.dofs)
        children = root.findLink("child")
        self.assertEqual(children.getSize(), 0)
        root.addChild("a")
        root.addChild("b")
        self.assertTrue(children.isMultiLink())
        self.assertEqual(children.getSize(), 2)
        self.assertEqual(children.getValueString(), "@/a @/b")
        self.assertEqual(children.getValueTypeString(), "Node")
        self.assertEqual(children.getLinkedPath(1), "@/b")
        self.assertIs(children.getOwnerBase(), root)
        link.setName("other")
        self.assertEqual(link.getName(), "other")
        link.setPersistent(True)
        self.assertTrue(link.isPersistent() and not link.isReadOnly())

    def test_of_components(self):
        root = Sofa.Core.Node("root")
        one = root.addObject("MechanicalObject", name="one")
        two = root.addObject("MechanicalObject", name="two")
        mapping = root.addObject("IdentityMapping", input="@/one", output=two)
        self.assertIs(mapping.findLink("input").getLinkedBase(0), one)
        self.assertIs(mapping.findLink("output").getLinkedBase(0), two)
        self.assertIs(mapping.output.getOwnerBase(), mapping)
        self.assertTrue("input" in [link.getName() for link in mapping.getLinks()])

    def test_added(self):
        root = Sofa.Core.Node("root")
        state = root.addObject("MechanicalObject", name="dofs")
        link = root.addLink("favourite", state, "what it likes")
        self.assertIs(root.favourite.getLinkedBase(), state)
        self.assertEqual(link.getHelp(), "what it likes")
        self.assertRaises(ValueError, root.addLink, "nothing", "@/nowhere")


if __name__ == "__main__":
    unittest.main()
