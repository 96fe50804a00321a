// Points of surfaces, lines and points; a body that is there many times has three rows of an affine map for each.
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 coordinates;   // of a texture, or the place in a colour map and 0.5
layout(location = 3) in vec4 row0;
layout(location = 4) in vec4 row1;
layout(location = 5) in vec4 row2;
layout(location = 6) in vec4 tint;
layout(location = 7) in vec4 paint;   // a colour over it, and how much of it
uniform mat4 camera;
uniform float pointSize;
uniform vec2 lift;      // of points, towards the eye
uniform vec3 eye;
uniform vec4 planes[6];
uniform int planeCount;
out vec3 vPlace, vNormal;
out vec2 vCoordinates;
out vec4 vTint, vPaint;
out float vCut;

void main()
{
  vec4 p = vec4(place, 1.0);
  vPlace = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
  // normals go with the cofactors of the map
  vNormal = normal.x * cross(vec3(row0.y, row1.y, row2.y), vec3(row0.z, row1.z, row2.z))
          + normal.y * cross(vec3(row0.z, row1.z, row2.z), vec3(row0.x, row1.x, row2.x))
          + normal.z * cross(vec3(row0.x, row1.x, row2.x), vec3(row0.y, row1.y, row2.y));
  vCoordinates = coordinates;
  vTint = tint;
  vPaint = paint;
  vCut = 1.0;
  for (int i = 0; i < 6; i++)
    if (i < planeCount) vCut = min(vCut, dot(planes[i].xyz, vPlace) - planes[i].w);
  gl_Position = camera * vec4(vPlace, 1.0);
  if (lift.x > 0.0) {
    vec4 lifted = camera * vec4(mix(vPlace, eye, lift.x), 1.0);
    gl_Position.z = lifted.z / lifted.w * gl_Position.w;
  }
  gl_PointSize = pointSize;
}
