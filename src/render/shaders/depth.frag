// Only depths.
in float vCut;
out vec4 result;

void main()
{
  if (vCut < 0.0) discard;
  result = vec4(1.0);
}
