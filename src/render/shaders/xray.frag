// Where rays enter and leave bodies: sums over a ray give the way inside them (entries count against it).
in vec3 vPlace;
in float vCut;
in vec2 vCoordinates;        // of a contrast agent: how much, between the smallest and the largest
uniform vec3 eye, towards;   // towards the camera where there is no perspective; 0 where there is
uniform float base;          // subtracted, so that numbers stay small
uniform vec3 contrast;       // smallest amount, largest less that, what 1 of it counts beside other bodies; 0: a body
out vec4 result;

void main()
{
  if (vCut < 0.0) discard;
  float away = (dot(towards, towards) > 0.0 ? dot(eye - vPlace, towards) : distance(eye, vPlace)) - base;
  if (contrast.z > 0.0) away *= contrast.z * (contrast.x + contrast.y * clamp((vCoordinates.x - 0.002) / 0.996, 0.0, 1.0));
  result = vec4(gl_FrontFacing ? -away : away);
}
