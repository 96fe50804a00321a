// OpenGL ES 3 without a screen: the libraries are opened when a picture is asked for, nothing is linked, and a machine
// without them is told so. Constants and types are those of the Khronos registry, as far as they are used.
#ifndef DV_RENDER_GL_H
#define DV_RENDER_GL_H

#include "base/base.h"

typedef unsigned int GLenum, GLuint, GLbitfield;
typedef int GLint, GLsizei;
typedef float GLfloat;
typedef unsigned char GLboolean, GLubyte;
typedef char GLchar;
typedef intptr_t GLintptr, GLsizeiptr;

enum {
  GL_POINTS = 0,
  GL_LINES = 1,
  GL_TRIANGLES = 4,
  GL_LEQUAL = 0x0203,
  GL_GREATER = 0x0204,
  GL_ONE = 1,
  GL_SRC_ALPHA = 0x0302,
  GL_ONE_MINUS_SRC_ALPHA = 0x0303,
  GL_FRONT = 0x0404,
  GL_BACK = 0x0405,
  GL_CULL_FACE = 0x0B44,
  GL_DEPTH_TEST = 0x0B71,
  GL_SCISSOR_TEST = 0x0C11,
  GL_BLEND = 0x0BE2,
  GL_POLYGON_OFFSET_FILL = 0x8037,
  GL_TEXTURE_2D = 0x0DE1,
  GL_TEXTURE_CUBE_MAP = 0x8513,
  GL_TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515,   // the other five follow
  GL_UNSIGNED_BYTE = 0x1401,
  GL_UNSIGNED_INT = 0x1405,
  GL_FLOAT = 0x1406,
  GL_HALF_FLOAT = 0x140B,
  GL_RGBA = 0x1908,
  GL_RED = 0x1903,
  GL_VENDOR = 0x1F00,
  GL_RENDERER = 0x1F01,
  GL_VERSION = 0x1F02,
  GL_NEAREST = 0x2600,
  GL_LINEAR = 0x2601,
  GL_LINEAR_MIPMAP_LINEAR = 0x2703,
  GL_TEXTURE_MAG_FILTER = 0x2800,
  GL_TEXTURE_MIN_FILTER = 0x2801,
  GL_TEXTURE_WRAP_S = 0x2802,
  GL_TEXTURE_WRAP_T = 0x2803,
  GL_REPEAT = 0x2901,
  GL_CLAMP_TO_EDGE = 0x812F,
  GL_RGBA8 = 0x8058,
  GL_R8 = 0x8229,
  GL_RGBA32F = 0x8814,
  GL_SRGB8_ALPHA8 = 0x8C43,
  GL_DEPTH_COMPONENT32F = 0x8CAC,
  GL_DEPTH_COMPONENT = 0x1902,
  GL_DEPTH_COMPONENT24 = 0x81A6,
  GL_TEXTURE_COMPARE_MODE = 0x884C,
  GL_TEXTURE_COMPARE_FUNC = 0x884D,
  GL_COMPARE_REF_TO_TEXTURE = 0x884E,
  GL_TEXTURE0 = 0x84C0,
  GL_ARRAY_BUFFER = 0x8892,
  GL_ELEMENT_ARRAY_BUFFER = 0x8893,
  GL_DYNAMIC_DRAW = 0x88E8,
  GL_FRAGMENT_SHADER = 0x8B30,
  GL_VERTEX_SHADER = 0x8B31,
  GL_GEOMETRY_SHADER = 0x8DD9,
  GL_COMPILE_STATUS = 0x8B81,
  GL_LINK_STATUS = 0x8B82,
  GL_ACTIVE_UNIFORMS = 0x8B86,
  GL_READ_FRAMEBUFFER = 0x8CA8,
  GL_DRAW_FRAMEBUFFER = 0x8CA9,
  GL_FRAMEBUFFER = 0x8D40,
  GL_RENDERBUFFER = 0x8D41,
  GL_COLOR_ATTACHMENT0 = 0x8CE0,
  GL_DEPTH_ATTACHMENT = 0x8D00,
  GL_FRAMEBUFFER_COMPLETE = 0x8CD5,
  GL_MAX_TEXTURE_SIZE = 0x0D33,
  GL_MAX_SAMPLES = 0x8D57,
  GL_DEPTH_BUFFER_BIT = 0x0100,
  GL_COLOR_BUFFER_BIT = 0x4000,
  GL_ANY_SAMPLES_PASSED = 0x8C2F,
  GL_QUERY_RESULT = 0x8866,
  GL_NO_ERROR = 0,
};

// every function that is used, once
#define DV_GL_FUNCTIONS(X)                                                                               \
  X(void, ActiveTexture, (GLenum))                                                                       \
  X(void, AttachShader, (GLuint, GLuint))                                                                \
  X(void, BeginQuery, (GLenum, GLuint))                                                                  \
  X(void, BindBuffer, (GLenum, GLuint))                                                                  \
  X(void, BindFramebuffer, (GLenum, GLuint))                                                             \
  X(void, BindRenderbuffer, (GLenum, GLuint))                                                            \
  X(void, BindTexture, (GLenum, GLuint))                                                                 \
  X(void, BindVertexArray, (GLuint))                                                                     \
  X(void, BlendFunc, (GLenum, GLenum))                                                                   \
  X(void, BlendFuncSeparate, (GLenum, GLenum, GLenum, GLenum))                                           \
  X(void, BlitFramebuffer, (GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLbitfield, GLenum)) \
  X(void, BufferData, (GLenum, GLsizeiptr, const void *, GLenum))                                        \
  X(GLenum, CheckFramebufferStatus, (GLenum))                                                            \
  X(void, Clear, (GLbitfield))                                                                           \
  X(void, ClearColor, (GLfloat, GLfloat, GLfloat, GLfloat))                                              \
  X(void, ColorMask, (GLboolean, GLboolean, GLboolean, GLboolean))                                       \
  X(void, CompileShader, (GLuint))                                                                       \
  X(GLuint, CreateProgram, (void))                                                                       \
  X(GLuint, CreateShader, (GLenum))                                                                      \
  X(void, CullFace, (GLenum))                                                                            \
  X(void, DeleteBuffers, (GLsizei, const GLuint *))                                                      \
  X(void, DeleteFramebuffers, (GLsizei, const GLuint *))                                                 \
  X(void, DeleteProgram, (GLuint))                                                                       \
  X(void, DeleteQueries, (GLsizei, const GLuint *))                                                      \
  X(void, DeleteRenderbuffers, (GLsizei, const GLuint *))                                                \
  X(void, DeleteShader, (GLuint))                                                                        \
  X(void, DeleteTextures, (GLsizei, const GLuint *))                                                     \
  X(void, DeleteVertexArrays, (GLsizei, const GLuint *))                                                 \
  X(void, DepthFunc, (GLenum))                                                                           \
  X(void, DepthMask, (GLboolean))                                                                        \
  X(void, Disable, (GLenum))                                                                             \
  X(void, DisableVertexAttribArray, (GLuint))                                                            \
  X(void, DrawArrays, (GLenum, GLint, GLsizei))                                                          \
  X(void, DrawElementsInstanced, (GLenum, GLsizei, GLenum, const void *, GLsizei))                       \
  X(void, Enable, (GLenum))                                                                              \
  X(void, EnableVertexAttribArray, (GLuint))                                                             \
  X(void, EndQuery, (GLenum))                                                                            \
  X(void, Finish, (void))                                                                                \
  X(void, FramebufferRenderbuffer, (GLenum, GLenum, GLenum, GLuint))                                     \
  X(void, FramebufferTexture2D, (GLenum, GLenum, GLenum, GLuint, GLint))                                 \
  X(void, GenBuffers, (GLsizei, GLuint *))                                                               \
  X(void, GenFramebuffers, (GLsizei, GLuint *))                                                          \
  X(void, GenQueries, (GLsizei, GLuint *))                                                               \
  X(void, GenRenderbuffers, (GLsizei, GLuint *))                                                         \
  X(void, GenTextures, (GLsizei, GLuint *))                                                              \
  X(void, GenVertexArrays, (GLsizei, GLuint *))                                                          \
  X(void, GenerateMipmap, (GLenum))                                                                      \
  X(void, GetActiveUniform, (GLuint, GLuint, GLsizei, GLsizei *, GLint *, GLenum *, GLchar *))           \
  X(GLint, GetAttribLocation, (GLuint, const GLchar *))                                                  \
  X(GLenum, GetError, (void))                                                                            \
  X(void, GetIntegerv, (GLenum, GLint *))                                                                \
  X(void, GetProgramInfoLog, (GLuint, GLsizei, GLsizei *, GLchar *))                                     \
  X(void, GetProgramiv, (GLuint, GLenum, GLint *))                                                       \
  X(void, GetQueryObjectuiv, (GLuint, GLenum, GLuint *))                                                 \
  X(void, GetShaderInfoLog, (GLuint, GLsizei, GLsizei *, GLchar *))                                      \
  X(void, GetShaderiv, (GLuint, GLenum, GLint *))                                                        \
  X(const GLubyte *, GetString, (GLenum))                                                                \
  X(GLint, GetUniformLocation, (GLuint, const GLchar *))                                                 \
  X(void, LinkProgram, (GLuint))                                                                         \
  X(void, PolygonOffset, (GLfloat, GLfloat))                                                             \
  X(void, ReadPixels, (GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *))                          \
  X(void, RenderbufferStorageMultisample, (GLenum, GLsizei, GLenum, GLsizei, GLsizei))                   \
  X(void, Scissor, (GLint, GLint, GLsizei, GLsizei))                                                     \
  X(void, ShaderSource, (GLuint, GLsizei, const GLchar *const *, const GLint *))                         \
  X(void, TexImage2D, (GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void *))     \
  X(void, TexParameteri, (GLenum, GLenum, GLint))                                                        \
  X(void, Uniform1f, (GLint, GLfloat))                                                                   \
  X(void, Uniform1fv, (GLint, GLsizei, const GLfloat *))                                                 \
  X(void, Uniform1i, (GLint, GLint))                                                                     \
  X(void, Uniform2f, (GLint, GLfloat, GLfloat))                                                          \
  X(void, Uniform2fv, (GLint, GLsizei, const GLfloat *))                                                 \
  X(void, Uniform3fv, (GLint, GLsizei, const GLfloat *))                                                 \
  X(void, Uniform4fv, (GLint, GLsizei, const GLfloat *))                                                 \
  X(void, Uniform1iv, (GLint, GLsizei, const GLint *))                                                   \
  X(void, Uniform2iv, (GLint, GLsizei, const GLint *))                                                   \
  X(void, Uniform3iv, (GLint, GLsizei, const GLint *))                                                   \
  X(void, Uniform4iv, (GLint, GLsizei, const GLint *))                                                   \
  X(void, Uniform1uiv, (GLint, GLsizei, const GLuint *))                                                 \
  X(void, Uniform2uiv, (GLint, GLsizei, const GLuint *))                                                 \
  X(void, Uniform3uiv, (GLint, GLsizei, const GLuint *))                                                 \
  X(void, Uniform4uiv, (GLint, GLsizei, const GLuint *))                                                 \
  X(void, UniformMatrix2fv, (GLint, GLsizei, GLboolean, const GLfloat *))                                \
  X(void, UniformMatrix3fv, (GLint, GLsizei, GLboolean, const GLfloat *))                                \
  X(void, UniformMatrix2x3fv, (GLint, GLsizei, GLboolean, const GLfloat *))                              \
  X(void, UniformMatrix2x4fv, (GLint, GLsizei, GLboolean, const GLfloat *))                              \
  X(void, UniformMatrix3x2fv, (GLint, GLsizei, GLboolean, const GLfloat *))                              \
  X(void, UniformMatrix3x4fv, (GLint, GLsizei, GLboolean, const GLfloat *))                              \
  X(void, UniformMatrix4x2fv, (GLint, GLsizei, GLboolean, const GLfloat *))                              \
  X(void, UniformMatrix4x3fv, (GLint, GLsizei, GLboolean, const GLfloat *))                              \
  X(void, UniformMatrix4fv, (GLint, GLsizei, GLboolean, const GLfloat *))                                \
  X(void, UseProgram, (GLuint))                                                                          \
  X(void, VertexAttrib4fv, (GLuint, const GLfloat *))                                                    \
  X(void, VertexAttribDivisor, (GLuint, GLuint))                                                         \
  X(void, VertexAttribPointer, (GLuint, GLint, GLenum, GLboolean, GLsizei, const void *))                \
  X(void, Viewport, (GLint, GLint, GLsizei, GLsizei))

typedef struct dvGl {
#define DV_GL_MEMBER(type, name, arguments) type(*name) arguments;
  DV_GL_FUNCTIONS(DV_GL_MEMBER)
#undef DV_GL_MEMBER
  void *library, *display, *context;
  unsigned (*make_current)(void *, void *, void *, void *);
  unsigned (*destroy_context)(void *, void *);
  GLint most_samples, largest;
  const char *renderer;   // what draws
} dvGl;

// Opens the libraries and makes a context of this thread. NULL where that cannot be done: `why` (200 bytes) tells the
// cause. The environment variable DIVAN_RENDERER=plain says that it cannot.
dvGl *dv_gl_open(char *why);
void dv_gl_close(dvGl **gl);
// The context is one thread's at a time: whoever draws takes it and gives it back.
bool dv_gl_take(dvGl *gl);
void dv_gl_leave(dvGl *gl);

// A program of two texts (the head with version and precision is put before each). 0 where it does not compile; the log
// of the compiler is in `why` (cut to `room` bytes).
GLuint dv_gl_program(const dvGl *gl, const char *const vertex[], const char *const fragment[], char *why, size_t room);

// A texture to draw into, without filters of distance.
GLuint dv_gl_texture(const dvGl *gl, GLenum format, int width, int height, bool smooth);
// A picture to draw on: textures of colour and depth, either 0.
GLuint dv_gl_target(const dvGl *gl, GLuint colour, GLuint depth);

#endif
