// Depths of the picture as they are between other distances: 0 at the nearest, 1 at the farthest and beyond.
in vec2 at;
uniform highp sampler2D depths;
uniform mat4 unprojection;
uniform vec2 between;
out vec4 result;

void main()
{
  float depth = texture(depths, at).x;
  vec4 eye = unprojection * vec4(2.0 * at - 1.0, 2.0 * depth - 1.0, 1.0);
  float z = max(-eye.z / eye.w, between.x);
  float d = (1.0 / between.x - 1.0 / z) / (1.0 / between.x - 1.0 / between.y);
  result = vec4(vec3(depth < 1.0 ? clamp(d, 0.0, 1.0) : 1.0), 1.0);
}
