// What lets light through is drawn in slices of depth, from far to near. Each pixel has its own: the depths of the
// surfaces there are known, the nearest first, and slices meet halfway between two of them. A fragment is in one slice
// whatever its depth is, so that the edges of triangles, which have samples beside the middle of a pixel, are never
// lost nor drawn twice. The page and the renderer without a screen have this same text.
uniform highp sampler2D dvBefore, dvHere, dvAfter;   // depths of three surfaces that follow each other
uniform int dvSlice;                                 // which of them are there: 1, 2 and 4; 0: everything is drawn
const highp float DV_SAME = 3e-7;                    // surfaces closer than that are one

bool dvOutside()
{
  if (dvSlice == 0) return false;
  ivec2 at = ivec2(gl_FragCoord.xy);
  highp float z = gl_FragCoord.z, before = texelFetch(dvBefore, at, 0).r, here = texelFetch(dvHere, at, 0).r, after = texelFetch(dvAfter, at, 0).r;
  bool hasBefore = (dvSlice & 1) != 0, hasHere = (dvSlice & 2) != 0, hasAfter = (dvSlice & 4) != 0;
  highp float low = !hasBefore ? -1.0 : hasHere ? 0.5 * (before + here) : before + DV_SAME;
  highp float high = !hasHere ? 2.0 : hasAfter ? 0.5 * (here + after) : here + DV_SAME;
  return z <= low || z > high;
}
