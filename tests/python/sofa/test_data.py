"""Data: values, arrays, links between them, fields that scripts add."""
import unittest

import where  # noqa: F401
import Sofa
import Sofa.Core
import Sofa.Simulation

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipIf(numpy is None, "numpy is not installed")
POINTS = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0]]


def a_state(**fields):
    root = Sofa.Core.Node("root")
    return root.addObject("MechanicalObject", name="dofs", **fields)


class Types(unittest.TestCase):
    def test_classes(self):
        state = a_state()
        state.addData("text", type="string", value="hello")
        state.addData("rows", type="vector<Vec3d>", value=[[0, 1, 2], [3, 4, 5]])
        state.addData("texts", type="vector<string>", value=["a", "b"])
        self.assertEqual(str(type(state.position)), "<class 'Sofa.Core.DataContainer'>")
        self.assertEqual(str(type(state.text)), "<class 'Sofa.Core.DataString'>")
        self.assertEqual(str(type(state.rows)), "<class 'Sofa.Core.DataContainer'>")
        self.assertEqual(str(type(state.texts)), "<class 'Sofa.Core.DataVectorString'>")
        self.assertEqual(str(type(state.bbox)), "<class 'Sofa.Types.BoundingBox'>")
        root = state.getContext()
        self.assertIs(type(root.dt), Sofa.Core.Data)
        self.assertIs(type(root.gravity), Sofa.Core.DataContainer)
        self.assertIs(type(root.name), Sofa.Core.DataString)

    def test_names_of_types(self):
        state = a_state(position=POINTS)
        self.assertEqual(state.position.typeName(), "vector<Vec3d>")
        self.assertEqual(state.position.getValueTypeString(), "vector<Vec3d>")
        self.assertEqual(state.showColor.typeName(), "RGBAColor")
        self.assertEqual(state.getContext().gravity.typeName(), "Vec3d")
        self.assertEqual(state.getContext().dt.typeName(), "double")
        self.assertEqual(state.getTemplateName(), "Vec3d")

    def test_dictionary(self):
        data = a_state(position=POINTS).__data__
        self.assertIsInstance(data, Sofa.Core.DataDict)
        self.assertTrue("name" in data and "position" in data and "nonsense" not in data)
        self.assertFalse(hasattr(data, "nonsense"))
        self.assertEqual(data["position"].getName(), "position")
        self.assertEqual(len(list(data.keys())), len(data))
        self.assertTrue(all(n == d.getName() for n, d in data.items()))


class Values(unittest.TestCase):
    def test_reading(self):
        state = a_state(position=POINTS)
        self.assertEqual(len(state.position.value), 4)
        self.assertEqual(list(state.position.value[1]), [1.0, 1.0, 1.0])
        self.assertEqual(state.position.toList(), POINTS)
        self.assertEqual(list(state.position[2]), [2.0, 2.0, 2.0])
        self.assertEqual(len(state.position), 4)
        self.assertEqual((state.position.shape, state.position.size, state.position.ndim), ((4, 3), 12, 2))
        self.assertEqual(a_state(position=[0.0, 1.0, 2.0] * 100).position.shape, (100, 3))
        self.assertEqual([list(p) for p in state.position], POINTS)

    def test_writing(self):
        state = a_state(position=POINTS)
        state.position = [[1, 1, 1], [2, 2, 2]]
        self.assertEqual(state.position.toList(), [[1, 1, 1], [2, 2, 2]])
        state.position.value = POINTS
        self.assertEqual(state.position.toList(), POINTS)
        state.position = a_state(position=[[7, 8, 9]]).position
        self.assertEqual(state.position.toList(), [[7, 8, 9]])
        state.position[0] = [4, 5, 6]
        self.assertEqual(state.position.toList(), [[4, 5, 6]])

    def test_from_text(self):
        root = Sofa.Core.Node("root")
        root.gravity.value = "4.0 5.0 6.0"
        self.assertEqual(list(root.gravity.value), [4.0, 5.0, 6.0])
        root.gravity = [1, 2, 3]
        self.assertEqual(list(root.gravity.value), [1, 2, 3])

    def test_wrong_values(self):
        state = a_state(position=POINTS)
        with self.assertRaises(Exception):
            state.position = "not numbers at all"
        self.assertEqual(state.position.toList(), POINTS)
        with self.assertRaises(AttributeError):
            state.position.nonsense = 3

    def test_texts(self):
        state = a_state()
        state.addData("text", type="string", value="hello")
        self.assertEqual(len(state.text), 5)
        self.assertEqual(state.text[1], "e")
        self.assertEqual(str(state.text), "hello")
        self.assertTrue("ell" in state.text)
        state.text = ""
        self.assertFalse(state.text)
        state.addData("texts", type="vector<string>", value=["a", "b"])
        self.assertEqual(repr(state.texts), repr(["a", "b"]))
        self.assertEqual(state.texts[1], "b")

    def test_as_text(self):
        state = a_state(position=[[0, 1, 0]])
        self.assertEqual(state.position.getValueString(), "0 1 0")
        root = Sofa.Core.Node("root")
        data = root.addData("number", type="float", value=1.0)
        self.assertTrue(data.read("3.0"))
        self.assertEqual(data.value, 3.0)
        self.assertFalse(data.read("three"))
        self.assertEqual(data.value, 3.0)

    def test_box(self):
        root = Sofa.Core.Node("root")
        root.bbox = [[-1, -2, -3], [1, 2, 3]]
        self.assertEqual(root.bbox.getMin(), [-1, -2, -3])
        self.assertEqual(root.bbox.getMax(), [1, 2, 3])
        root.bbox.setMax([5, 6, 7])
        self.assertEqual(root.bbox.getMax(), [5, 6, 7])
        self.assertEqual(root.bbox.getCenter(), [2, 2, 2])

    def test_in_place(self):
        state = a_state(position=POINTS)
        with state.position.writeable() as rows:
            rows[1] = [7, 8, 9]
        self.assertEqual(list(state.position[1]), [7, 8, 9])

    @needs_numpy
    def test_arrays(self):
        state = a_state(position=POINTS)
        for count, kind in ((500, numpy.float64), (1000, numpy.float32), (3, numpy.float64)):
            rows = numpy.random.default_rng(1).random((count, 3)).astype(kind)
            state.position.value = rows
            numpy.testing.assert_array_equal(state.position.array(), rows)
        with self.assertRaises(IndexError):
            state.position = numpy.zeros((4, 100))
        with self.assertRaises(ValueError):
            state.position.value[0, 0] = 1
        self.assertRaises(AttributeError, getattr, state.position.value, "nonsense")

    @needs_numpy
    def test_arithmetic(self):
        state, rows = a_state(position=POINTS), numpy.array(POINTS)
        numpy.testing.assert_array_equal(state.position * 2.0, rows * 2)
        numpy.testing.assert_array_equal(state.position + 2.0, rows + 2)
        numpy.testing.assert_array_equal(state.position - state.position, rows * 0)
        numpy.testing.assert_array_equal(state.position.value * 2.0, rows * 2)
        numpy.testing.assert_array_equal(state.position.array(), rows)
        position = state.position
        position += 1
        numpy.testing.assert_array_equal(state.position.array(), rows + 1)
        position *= 3
        numpy.testing.assert_array_equal(state.position.array(), (rows + 1) * 3)
        position -= rows
        numpy.testing.assert_array_equal(state.position.array(), (rows + 1) * 3 - rows)

    @needs_numpy
    def test_slices(self):
        state = a_state(position=POINTS)
        state.position[1:3] = 9.0
        self.assertEqual(state.position.toList(), [POINTS[0], [9, 9, 9], [9, 9, 9], POINTS[3]])
        state.position[0, 1] = 5.0
        self.assertEqual(list(state.position[0]), [0, 5, 0])
        self.assertEqual(state.position[1, 2], 9)
        state.position.apply(lambda i, j, x: i + 10 * j)
        self.assertEqual(list(state.position[2]), [2, 12, 22])

    @needs_numpy
    def test_writeable_ends(self):
        state, rows = a_state(position=POINTS), numpy.array(POINTS)
        with state.position.writeableArray() as numbers:
            numbers *= 2.0
            self.assertEqual(numbers[2, 2], 4.0)
        numpy.testing.assert_array_equal(state.position.array(), rows * 2)
        with self.assertRaises(ValueError):
            numbers[0, 0] = 1.0
        with state.position.writeableArray() as numbers:
            numbers *= 2.0
        numpy.testing.assert_array_equal(state.position.array(), rows * 4)

    @needs_numpy
    def test_views_of_a_type(self):
        from Sofa.PyTypes import RGBAColor, Vec3
        state = a_state(translation=[1, 0, 0])
        with state.showColor.writeableArray(RGBAColor) as colour:
            colour[0] = 0.25
        self.assertEqual(colour.r(), 0.25)
        self.assertEqual(state.showColor.value[0], 0.25)
        with self.assertRaises(ValueError):
            colour[0] = 1.0
        self.assertEqual(Vec3(state.translation).tolist(), [1, 0, 0])
        self.assertEqual(Vec3(state.translation.array()).tolist(), [1, 0, 0])
        self.assertRaises(AttributeError, Vec3, state.showColor)
        self.assertEqual(Vec3() + Vec3([1, 2, 3]), Vec3([1, 2, 3]))
        self.assertRaises(ValueError, RGBAColor, [1, 2, 3])
        self.assertRaises(TypeError, RGBAColor, [1, 2, "three", 4])


class Added(unittest.TestCase):
    def test_by_type(self):
        root = Sofa.Core.Node("root")
        state = root.addObject("MechanicalObject", name="dofs")
        for owner in (root, state):
            data = owner.addData(name="answer", value=42, type="int", help="the answer", group="Answers")
            self.assertEqual(owner.answer.value, 42)
            self.assertEqual(data, owner.answer)
            self.assertEqual((data.getHelp(), data.getGroup(), data.typeName()), ("the answer", "Answers", "int"))
            self.assertTrue(data.isSet() and data.isPersistent())
        self.assertRaises(TypeError, root.addData, name="x", value=1, type="nonsense")
        for wrong in ("", ".", "/", "../"):
            self.assertRaises(TypeError, root.addData, name="x", value=wrong)

    def test_lists(self):
        root = Sofa.Core.Node("root")
        root.addData("rows", type="vector<Vec3d>", value=[[1, 2, 3], [4, 5, 6]])
        root.addData("whole", type="vector<int>", value=[1, 2, 3])
        root.addData("some", type="vector<double>", value=[1.5])
        root.addData("none", type="vector<Vec3d>", default=[[]])
        self.assertEqual((root.rows.shape, root.whole.shape, root.some.shape), ((2, 3), (3,), (1,)))
        self.assertEqual(root.whole.toList(), [1, 2, 3])
        self.assertEqual((len(root.none), root.none.isSet()), (0, False))
        self.assertEqual(root.rows.typeName(), "vector<Vec3d>")
        self.assertEqual(root.whole.typeName(), "vector<int>")

    def test_following(self):
        root = Sofa.Core.Node("root")
        one = root.addObject("MechanicalObject", name="one")
        one.addData("d", value="hello", type="string")
        inner = root.addChild("inner").addObject("MechanicalObject", name="two")
        for i, path in enumerate(("@/one.d", "@../one.d")):
            inner.addData("d%d" % i, value=path)
            self.assertEqual(inner.findData("d%d" % i).value, "hello")
        one.addData("e", value="@one.d")
        one.addData("f", value="@./one.d")
        self.assertEqual(one.e.getParent(), one.d)
        one.d = "changed"
        self.assertEqual((one.e.value, one.f.value, inner.d0.value), ("changed",) * 3)
        copy = inner.addData(one.d)
        self.assertEqual((copy.getName(), copy.value, copy.getParent()), ("d", "changed", one.d))

    def test_links_that_lead_nowhere(self):
        state = a_state()
        for path in ("@no/where.value", "@no/where", "@/no", "@", "@.", "@/", "@./", "@../"):
            self.assertRaises(ValueError, state.addData, name="d", value=path)

    def test_parents(self):
        root = Sofa.Core.Node("root")
        child = root.addData("child", type="double", value=1.0)
        parent = root.addData("parent", type="double", value=2.0)
        self.assertFalse(child.hasParent())
        child.setParent(parent)
        self.assertTrue(child.hasParent())
        self.assertEqual(child.getParent().getName(), "parent")
        self.assertEqual(child.value, 2.0)
        parent.read("3.0")
        self.assertTrue(child.isDirty())
        self.assertFalse(parent.isDirty())
        child.updateIfDirty()
        self.assertFalse(child.isDirty())
        self.assertEqual(child.value, 3.0)
        parent.value = 4.0
        self.assertTrue(child.hasChanged())
        self.assertFalse(child.hasChanged())
        child.setParent(None)
        self.assertIsNone(child.getParent())

    def test_what_is_known_of_a_data(self):
        root = Sofa.Core.Node("root")
        data = root.addData("number", type="float", value=1.0)
        self.assertEqual(data.getLinkPath(), "@/.number")
        self.assertIs(data.getOwner(), root)
        self.assertFalse(data.isRequired())
        data.setReadOnly(True)
        self.assertTrue(data.isReadOnly())
        self.assertRaises(AttributeError, data._assign, 2.0)
        data.setPersistent(False)
        self.assertFalse(data.isPersistent())
        before = data.getCounter()
        data.setReadOnly(False)
        data.value = 5.0
        self.assertGreater(data.getCounter(), before)
        data.setName("other")
        self.assertEqual(data.getName(), "other")

    def test_set_many(self):
        state = a_state()
        state.setDataValues(showObject=True, showObjectScale=3.0)
        self.assertTrue(state.showObject.value)
        self.assertRaises(AttributeError, state.setDataValues, nonsense=1)

    def test_links_over_loose_components(self):
        class Holder(Sofa.Core.Controller):
            def __init__(self, *args, **fields):
                Sofa.Core.Controller.__init__(self, *args, **fields)
                self.addData(name="v", value=fields.get("v"), type="int")

        root = Sofa.Core.Node("root")
        first = root.addObject(Holder(name="first", v=40))
        second = root.addObject(Holder(name="second", v=first.v))
        self.assertEqual(second.v.getParent(), first.v)
        first.v = 41
        self.assertEqual(second.v.value, 41)



@needs_numpy
class OneNumberEach(unittest.TestCase):
    """States of Vec1: rows of one number, as of any other template."""

    def test_shape(self):
        root = Sofa.Core.Node("root")
        state = root.addObject("MechanicalObject", name="state", template="Vec1d", position=[[1], [2], [3]])
        self.assertEqual(state.position.shape, (3, 1))
        self.assertEqual(state.position.value.tolist(), [[1], [2], [3]])
        self.assertEqual(state.position.typeName(), "vector<Vec1d>")
        state.position = [[4.0], [5.0], [6.0]]
        state.position[1] = [7.0]
        state.position += 1
        with state.position.writeable() as x:
            x[0][0] = 9
        self.assertEqual(state.position.array().tolist(), [[9], [8], [7]])

    def test_force(self):
        class Pull(Sofa.Core.ForceFieldVec1d):
            def addForce(self, m, force, x, v):
                self.__dict__.setdefault("shapes", set()).add((x.array().shape, force.shape))
                with force.writeable() as f:
                    f -= 10 * x.array()

            def addDForce(self, m, force, dx):
                with force.writeable() as f:
                    f -= 10 * m["kFactor"] * dx.array()
        root = Sofa.Core.Node("root")
        root.gravity = [0, 0, 0]
        root.addObject("EulerImplicitSolver")
        root.addObject("CGLinearSolver", iterations=20, tolerance=1e-12, threshold=1e-30)
        state = root.addObject("MechanicalObject", template="Vec1d", position=[[1.0], [2.0]])
        root.addObject("UniformMass", vertexMass=1.0)
        pull = root.addObject(Pull(name="pull"))
        Sofa.Simulation.init(root)
        Sofa.Simulation.animate(root, 0.01)
        self.assertEqual(pull.shapes, {((2, 1), (2, 1))})
        # backward Euler: (1 + h^2 k) v = -h k x
        for before, after in zip((1.0, 2.0), state.position.value[:, 0]):
            self.assertAlmostEqual(after, before - 0.01 * 0.01 * 10 * before / (1 + 1e-4 * 10), 12)


if __name__ == "__main__":
    unittest.main()
