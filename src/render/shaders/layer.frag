// The depth of the next surface behind those that are known. The text of layers.glsl stands above.
in float vCut;

void main()
{
  if (vCut < 0.0) discard;
  if (dvSlice != 0 && gl_FragCoord.z <= texelFetch(dvBefore, ivec2(gl_FragCoord.xy), 0).r + DV_SAME) discard;
  gl_FragDepth = gl_FragCoord.z;
}
