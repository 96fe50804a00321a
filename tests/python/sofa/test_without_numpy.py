"""The other tests of this directory as they run where numpy is not installed."""
import sys
import unittest

sys.modules["numpy"] = sys.modules["scipy"] = None   # importing them fails

import test_accessors  # noqa: E402
import test_components  # noqa: E402
import test_data  # noqa: E402
import test_helper  # noqa: E402
import test_node  # noqa: E402


def load_tests(loader, tests, pattern):
    for module in (test_node, test_data, test_components, test_accessors, test_helper):
        tests.addTests(loader.loadTestsFromModule(module))
    return tests


class Numpy(unittest.TestCase):
    def test_it_is_not_there(self):
        import Sofa
        from Sofa.Core import _data
        self.assertIsNone(_data.numpy)
        state = Sofa.Core.Node("root").addObject("MechanicalObject", position=[[1, 2, 3]])
        with self.assertRaisesRegex(TypeError, "numpy"):
            state.position + 1
        self.assertEqual(list(state.position.value[0]), [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
