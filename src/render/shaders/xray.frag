// Where rays enter and leave bodies: sums over a ray give the way inside them (entries count against it).
in vec3 vPlace;
in float vCut;
uniform vec3 eye, towards;   // towards the camera where there is no perspective; 0 where there is
uniform float base;          // subtracted, so that numbers stay small
out vec4 result;

void main()
{
  if (vCut < 0.0) discard;
  float away = (dot(towards, towards) > 0.0 ? dot(eye - vPlace, towards) : distance(eye, vPlace)) - base;
  result = vec4(gl_FrontFacing ? -away : away);
}
