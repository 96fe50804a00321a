// What OglShader draws with where the scene names no files: light in three steps and a dark rim.
#include "view/draw_inside.h"

const char dv_toon_vertex[] = "varying vec3 normal, way;\n"
                              "void main()\n"
                              "{\n"
                              "  vec4 place = gl_ModelViewMatrix * gl_Vertex;\n"
                              "  normal = gl_NormalMatrix * gl_Normal;\n"
                              "  way = -place.xyz;\n"
                              "  gl_FrontColor = gl_Color;\n"
                              "  gl_Position = gl_ProjectionMatrix * place;\n"
                              "}\n";

const char dv_toon_fragment[] =
    "varying vec3 normal, way;\n"
    "void main()\n"
    "{\n"
    "  vec3 v = normalize(way), n = normalize(normal), l = gl_LightSource[0].position.xyz;\n"
    "  if (dot(n, v) < 0.0) n = -n;\n"
    "  l = normalize(gl_LightSource[0].position.w > 0.5 ? l + way : l);\n"
    "  float lit = dot(n, l), rim = dot(n, v);\n"
    "  float step = lit > 0.7 ? 1.0 : lit > 0.25 ? 0.78 : 0.52;\n"
    "  gl_FragColor = vec4(rim < 0.28 ? 0.15 * gl_Color.rgb : step * gl_Color.rgb, gl_Color.a);\n"
    "}\n";
