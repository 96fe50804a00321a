// See gl.h. EGL's platform "surfaceless" needs neither a screen nor rights on a device; Mesa's software renderer draws
// where there is no graphics processor.
#include "render/gl.h"

#include "base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  EGL_NONE = 0x3038,
  EGL_OPENGL_ES_API = 0x30A0,
  EGL_CONTEXT_MAJOR_VERSION = 0x3098,
  EGL_CONTEXT_MINOR_VERSION = 0x30FB,
  EGL_PLATFORM_SURFACELESS = 0x31DD,
};

typedef void *(*GetProc)(const char *name);

static void *failed(char *why, const char *what)
{
  snprintf(why, 200, "%s", what);
  return NULL;
}

static bool load_functions(dvGl *gl, GetProc find)
{
  bool all = true;
#define LOAD(type, name, arguments)  \
  do {                               \
    void *f = find("gl" #name);      \
    memcpy(&gl->name, &f, sizeof f); \
    all = all && f;                  \
  } while (0);
  DV_GL_FUNCTIONS(LOAD)
#undef LOAD
  return all;
}

static void *symbol(void *library, const char *name, void *out)
{
  void *f = dlsym(library, name);
  memcpy(out, &f, sizeof f);
  return f;
}

static void *open_display(GetProc find, unsigned (*initialise)(void *, int *, int *))
{
  void *(*platform)(unsigned, void *, const int *) = NULL;
  void *f = find("eglGetPlatformDisplayEXT");
  memcpy(&platform, &f, sizeof f);
  if (!platform) return NULL;
  void *display = platform(EGL_PLATFORM_SURFACELESS, NULL, NULL);
  int major, minor;
  return display && initialise(display, &major, &minor) ? display : NULL;
}

static dvGl *begin(dvGl *gl, char *why)
{
  GetProc find = NULL;
  unsigned (*initialise)(void *, int *, int *) = NULL, (*bind)(unsigned) = NULL;
  void *(*create)(void *, void *, void *, const int *) = NULL;
  if (!symbol(gl->library, "eglGetProcAddress", &find) || !symbol(gl->library, "eglInitialize", &initialise) ||
      !symbol(gl->library, "eglBindAPI", &bind) || !symbol(gl->library, "eglCreateContext", &create) ||
      !symbol(gl->library, "eglMakeCurrent", &gl->make_current) ||
      !symbol(gl->library, "eglDestroyContext", &gl->destroy_context))
    return failed(why, "libEGL.so.1 lacks functions of EGL 1.4");
  gl->display = open_display(find, initialise);
  if (!gl->display) return failed(why, "EGL offers no display without a screen (Mesa's does: libegl-mesa0)");
  bind(EGL_OPENGL_ES_API);
  for (int minor = 2; minor >= 0 && !gl->context; minor--) {
    const int wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE};
    gl->context = create(gl->display, NULL, NULL, wanted);
  }
  if (!gl->context) return failed(why, "there is no OpenGL ES 3 (Mesa's drivers: libgl1-mesa-dri)");
  if (!dv_gl_take(gl)) return failed(why, "OpenGL cannot draw without a window here");
  if (!load_functions(gl, find)) return failed(why, "functions of OpenGL ES 3 are missing");
  gl->GetIntegerv(GL_MAX_SAMPLES, &gl->most_samples);
  gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &gl->largest);
  gl->renderer = (const char *)gl->GetString(GL_RENDERER);
  return gl;
}

dvGl *dv_gl_open(char *why)
{
  const char *wish = getenv("DIVAN_RENDERER");
  if (wish && dv_same(wish, "plain")) return failed(why, "DIVAN_RENDERER=plain says not to use it");
  void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);   // stays open: drivers do not like to be unloaded
  if (!library) return failed(why, "libEGL.so.1 is not installed (Debian: libegl1, libgl1-mesa-dri)");
  dvGl *gl = dv_alloc(sizeof *gl);
  gl->library = library;
  if (begin(gl, why)) return gl;
  dv_gl_close(&gl);
  return NULL;
}

void dv_gl_close(dvGl **place)
{
  dvGl *gl = *place;
  *place = NULL;
  if (!gl) return;
  if (gl->context) dv_gl_leave(gl), gl->destroy_context(gl->display, gl->context);
  dv_free(gl);
}

bool dv_gl_take(dvGl *gl) { return gl->make_current(gl->display, NULL, NULL, gl->context); }
void dv_gl_leave(dvGl *gl) { gl->make_current(gl->display, NULL, NULL, NULL); }

// --- programs ------------------------------------------------------------------------------------

static const char head[] = "#version 300 es\n"
                           "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n"
                           "#define DV_TAPS 32\n";

static GLuint compile(const dvGl *gl, GLenum kind, const char *const texts[], char *why, size_t room)
{
  const char *all[8] = {head};
  GLsizei n = 1;
  while (n < 8 && texts[n - 1]) all[n] = texts[n - 1], n++;
  GLuint shader = gl->CreateShader(kind);
  GLint good = 0;
  gl->ShaderSource(shader, n, all, NULL);
  gl->CompileShader(shader);
  gl->GetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good) return shader;
  gl->GetShaderInfoLog(shader, (GLsizei)room, NULL, why);
  gl->DeleteShader(shader);
  return 0;
}

GLuint dv_gl_program(const dvGl *gl, const char *const vertex[], const char *const fragment[], char *why, size_t room)
{
  GLuint a = compile(gl, GL_VERTEX_SHADER, vertex, why, room);
  GLuint b = a ? compile(gl, GL_FRAGMENT_SHADER, fragment, why, room) : 0;
  GLuint program = 0;
  GLint good = 0;
  if (b) {
    program = gl->CreateProgram();
    gl->AttachShader(program, a);
    gl->AttachShader(program, b);
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) gl->GetProgramInfoLog(program, (GLsizei)room, NULL, why), gl->DeleteProgram(program), program = 0;
  }
  if (a) gl->DeleteShader(a);
  if (b) gl->DeleteShader(b);
  return program;
}

// --- pictures to draw on -------------------------------------------------------------------------

GLuint dv_gl_texture(const dvGl *gl, GLenum format, int width, int height, bool smooth)
{
  GLuint texture;
  bool depth = format == GL_DEPTH_COMPONENT24 || format == GL_DEPTH_COMPONENT32F;
  gl->GenTextures(1, &texture);
  gl->BindTexture(GL_TEXTURE_2D, texture);
  gl->TexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, depth ? GL_DEPTH_COMPONENT : GL_RGBA,
                 format == GL_RGBA32F || format == GL_DEPTH_COMPONENT32F ? GL_FLOAT
                 : depth                                                 ? GL_UNSIGNED_INT
                                                                         : GL_UNSIGNED_BYTE,
                 NULL);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, smooth ? GL_LINEAR : GL_NEAREST);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  if (depth && smooth) {   // compared while it is read
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  }
  return texture;
}

GLuint dv_gl_target(const dvGl *gl, GLuint colour, GLuint depth)
{
  GLuint target;
  gl->GenFramebuffers(1, &target);
  gl->BindFramebuffer(GL_FRAMEBUFFER, target);
  if (colour) gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
  if (depth) gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
  return target;
}
