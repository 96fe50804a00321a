// A gradient from top to bottom, in the colours of the screen.
in vec2 at;
uniform vec3 above, below;
out vec4 result;
void main()
{
  result = vec4(mix(below, above, at.y), 1.0);
}
