// Lines, points, and things of one colour.
in float vCut;
in vec4 vTint;
uniform vec4 colour;   // as it is seen
uniform bool disc;
out vec4 result;

void main()
{
  if (vCut < 0.0 || (disc && distance(gl_PointCoord, vec2(0.5)) > 0.4375)) discard;
  result = colour * vTint;
}
