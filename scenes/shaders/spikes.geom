#version 120
#extension GL_EXT_geometry_shader4 : enable
// Every triangle grows a spike; only pictures without the page have it.
uniform float length;
varying in vec3 inner[];
varying out vec3 outer;

void corner(vec4 place, vec3 colour)
{
  outer = colour;
  gl_Position = gl_ProjectionMatrix * place;
  EmitVertex();
}

void main()
{
  vec4 a = gl_PositionIn[0], b = gl_PositionIn[1], c = gl_PositionIn[2];
  vec3 n = normalize(cross(b.xyz - a.xyz, c.xyz - a.xyz));
  vec4 tip = (a + b + c) / 3 + vec4(n * length, 0);
  for (int i = 0; i < gl_VerticesIn; i++) {
    vec4 from = gl_PositionIn[i], to = gl_PositionIn[i == 2 ? 0 : i + 1];
    vec3 side = normalize(cross(to.xyz - from.xyz, tip.xyz - from.xyz));
    vec3 colour = inner[i] * (0.35 + 0.65 * abs(side.z));
    corner(from, colour);
    corner(to, colour);
    corner(tip, colour * 1.2);
    EndPrimitive();
  }
}
