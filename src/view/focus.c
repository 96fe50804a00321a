// What PostProcessManager works with where the scene names no files of its own, and in place of SOFA's
// shaders/depthOfField: what is nearer than focusDistance or farther than focusLength behind it is blurred over a disc
// whose radius, as a part of the picture, is blurIntensity times the depth by which it is out of focus.
#include "view/draw_inside.h"

const char dv_focus_vertex[] = "varying vec2 at;\n"
                               "void main()\n"
                               "{\n"
                               "  at = gl_MultiTexCoord0.xy;\n"
                               "  gl_Position = gl_Vertex;\n"
                               "}\n";

const char dv_focus_fragment[] =
    "uniform sampler2D colorTexture, depthTexture;\n"
    "uniform float blurIntensity, focusDistance, focusLength;\n"
    "uniform int showDepthMap;\n"
    "varying vec2 at;\n"
    "void main()\n"
    "{\n"
    "  float depth = texture2D(depthTexture, at).x;\n"
    "  float off = max(max(focusDistance - depth, depth - focusDistance - focusLength), 0.0);\n"
    "  float reach = off * blurIntensity;\n"
    "  vec3 sum = texture2D(colorTexture, at).rgb;\n"
    "  for (int i = 1; i <= 48; i++) {\n"
    "    float turn = 2.39996 * float(i), away = reach * sqrt(float(i) / 48.0);\n"   // the golden angle fills a disc
    "    sum += texture2D(colorTexture, at + away * vec2(cos(turn), sin(turn))).rgb;\n"
    "  }\n"
    "  gl_FragColor = vec4(showDepthMap > 0 ? vec3(depth) : sum / 49.0, 1.0);\n"
    "}\n";
