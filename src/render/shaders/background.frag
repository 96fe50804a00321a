// A gradient from top to bottom, in the colours of the screen, and a picture before it: in the middle, in its own size,
// or made smaller as far as it covers everything.
in vec2 at;
uniform vec3 above, below;
uniform bool pictured;
uniform vec2 wide;   // of the whole, in pixels
uniform sampler2D picture;
out vec4 result;
void main()
{
  vec3 colour = mix(below, above, at.y);
  if (pictured) {
    vec2 size = vec2(textureSize(picture, 0)), shown = size * min(1.0, max(wide.x / size.x, wide.y / size.y));
    vec2 place = 0.5 + (at - 0.5) * wide / shown;
    vec4 c = texture(picture, place);   // linear
    vec3 seen = mix(12.92 * c.rgb, 1.055 * pow(max(c.rgb, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c.rgb));
    bool inside = all(greaterThanEqual(place, vec2(0.0))) && all(lessThanEqual(place, vec2(1.0)));
    colour = mix(colour, seen, inside ? c.a : 0.0);
  }
  result = vec4(colour, 1.0);
}
