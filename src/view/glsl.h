// Programs of scenes: GLSL as scene files have it (1.10 to 4.60 of the desktop, or ES) becomes GLSL ES 3.00, which
// WebGL 2 and the renderer without a screen compile alike; with geometry shaders 3.20.
//
// Every line stays on its line, so that the log of a compiler names the line of the file. What ES does not have any
// more comes back under names that begin with dv_ (below); numbers that the desktop converts by itself (`float x = 1;`,
// `2 * normal`) are converted in the text. What is not understood stays as it is: the compiler has the last word.
//
//   gl_Vertex, gl_Normal, gl_MultiTexCoord0   dv_place (vec3), dv_normal (vec3), dv_at (vec2): attributes
//   gl_ModelViewMatrix, gl_ProjectionMatrix   dv_ModelView, dv_Projection; gl_NormalMatrix dv_NormalMatrix: uniforms
//   gl_LightSource[8], gl_FrontMaterial, ...  dv_LightSource[8], dv_Material, dv_LightModel: uniforms, members as they
//   were gl_FragColor                              dv_FragColor
#ifndef DV_VIEW_GLSL_H
#define DV_VIEW_GLSL_H

#include "base/array.h"
#include "base/text.h"

typedef enum dvGlslStage { DV_GLSL_VERTEX, DV_GLSL_FRAGMENT, DV_GLSL_GEOMETRY } dvGlslStage;

enum { DV_GLSL_LONGEST = 1 << 18, DV_GLSL_COORDINATES = 8 };

typedef struct dvGlslShared {   // what goes from one stage to the next without having been declared
  int coordinates;              // of gl_TexCoord
  bool front, back, fog;        // gl_FrontColor, gl_BackColor, gl_FogFragCoord
} dvGlslShared;

typedef struct dvGlsl {
  dvGlslStage stage;
  dvGlslShared shared;        // of all stages of the program: see dv_glsl_scan
  const char *defines;        // lines that come first; may be NULL
  const char *const *given;   // uniforms that somebody sets: what they begin with in the text does not count
  size_t given_count;
  int corners, strip, most;   // geometry: corners it takes (1, 2, 3), of what it gives (1 points, 2 lines, 3), how many
} dvGlsl;

// Adds what a text uses of the things that stages share.
void dv_glsl_scan(const char *text, size_t length, dvGlslShared *shared);
// The text for ES, without the line of the version; the caller frees it. NULL after `why` (100 bytes): too long.
char *dv_glsl_translate(const char *text, size_t length, const dvGlsl *how, char *why);

#endif
