// What of a ray gets through: exp(-mu way), Beer and Lambert's law.
in vec2 at;
uniform highp sampler2D ways;
uniform float mu;   // 1/m
out vec4 result;
void main() { result = vec4(vec3(exp(-mu * abs(texture(ways, at).r))), 1.0); }
