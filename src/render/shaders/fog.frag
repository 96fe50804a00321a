// Volumes that swallow light: where a ray enters and leaves them, not farther than the first solid body. Sums over a ray give
// mu times the way inside (entries count against it), and the colour times that.
in vec3 vPlace;
uniform vec3 eye, towards;   // towards the camera where there is no perspective; 0 where there is
uniform highp sampler2D depths;
uniform mat4 unprojection;   // from the picture into the scene
uniform vec2 pixelSize;
uniform vec4 colour;         // as it is seen, and mu in 1/m
out vec4 result;

float awayOf(vec3 p) { return dot(towards, towards) > 0.0 ? dot(eye - p, towards) : distance(eye, p); }

void main()
{
  vec2 at = gl_FragCoord.xy * pixelSize;
  vec4 solid = unprojection * vec4(2.0 * at - 1.0, 2.0 * texture(depths, at).r - 1.0, 1.0);
  float way = min(awayOf(vPlace), awayOf(solid.xyz / solid.w)) * (gl_FrontFacing ? -colour.a : colour.a);
  result = vec4(colour.rgb * way, way);
}
