// How far the first drop of a liquid is from the eye, where no solid body stands before it.
in vec3 vPlace;
uniform vec3 eye, towards;   // towards the camera where there is no perspective; 0 where there is
uniform highp sampler2D depths;
uniform mat4 unprojection;   // from the picture into the scene
uniform vec2 pixelSize;
out vec4 result;

float awayOf(vec3 p) { return dot(towards, towards) > 0.0 ? dot(eye - p, towards) : distance(eye, p); }

void main()
{
  vec2 at = gl_FragCoord.xy * pixelSize;
  vec4 solid = unprojection * vec4(2.0 * at - 1.0, 2.0 * texture(depths, at).r - 1.0, 1.0);
  float away = awayOf(vPlace);
  if (away > awayOf(solid.xyz / solid.w)) discard;
  result = vec4(away, 0.0, 0.0, 1.0);
}
