// A picture of a scene, as the command draws it (render/picture.h). See picture.h.
//
// The camera looks at the middle of the scene from a direction, upright as gravity pulls; with a zoom of 1 the box
// around the scene just fits.
#include "picture.h"

#include "render/picture.h"

static PyObject *pixels_of(Scene *s, dvScene *scene, const dvCameraWish *wish, int width, int height)
{
  PyObject *bytes = NULL;
  if (!context_enter(s->context)) return NULL;
  dvPainter *painter = NULL;
  const unsigned char *rgb = NULL;
  Py_BEGIN_ALLOW_THREADS painter = dv_painter_create(width, height, NULL);
  rgb = dv_painter_draw(painter, scene, &(dvStageOptions){.camera = wish, .still = true});
  Py_END_ALLOW_THREADS context_leave(s->context);
  if (rgb) bytes = PyBytes_FromStringAndSize((const char *)rgb, (Py_ssize_t)3 * width * height);
  else PyErr_NoMemory();
  dv_painter_destroy(&painter);
  return bytes;
}

// _picture(scene, width, height, (x, y, z) or None, zoom): red, green and blue of each pixel as bytes
PyObject *picture_draw(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *self, *view;
  int width, height;
  dvCameraWish wish = {.turned = true, .azimuth = dv_usual_camera.azimuth, .elevation = dv_usual_camera.elevation};
  double *from = wish.position;
  if (!PyArg_ParseTuple(args, "O!iiOd", (PyTypeObject *)type_scene, &self, &width, &height, &view, &wish.zoom))
    return NULL;
  wish.directed = view != Py_None;
  if (wish.directed &&
      (!PyTuple_Check(view) || PyTuple_Size(view) != 3 || !PyArg_ParseTuple(view, "ddd", &from[0], &from[1], &from[2])))
    return PyErr_Format(PyExc_TypeError, "view_from is a direction of three numbers, (x, y, z), or None");
  Scene *s = (Scene *)self;
  dvScene *scene = scene_use(s);
  if (!scene) return NULL;
  if (!scene->initialised)
    return PyErr_Format(PyExc_RuntimeError, "the scene is not initialised: call scene.init() first");
  bool nowhere = wish.directed && !(from[0] * from[0] + from[1] * from[1] + from[2] * from[2] > 0);
  enum { LARGEST = 4096 };
  if (width < 1 || height < 1 || width > LARGEST || height > LARGEST || nowhere || !(wish.zoom > 0))
    return PyErr_Format(PyExc_ValueError, "a picture has 1 to %d pixels each way, and is seen from somewhere", LARGEST);
  return pixels_of(s, scene, wish.directed || wish.zoom != 1 ? &wish : NULL, width, height);
}
