#version 330 core
// A glossy two-sided surface, lit from the viewer's upper left with some ambient light.
in vec3 eyeNormal;
in vec3 eyePosition;
uniform vec3 colour;    // as light
uniform float opacity;
layout(location = 0) out vec4 light;

void main() {
  vec3 towardsEye = normalize(-eyePosition);
  vec3 n = normalize(eyeNormal);
  if (dot(n, towardsEye) < 0.0) n = -n;
  vec3 lamp = normalize(vec3(-0.4, 0.6, 0.8));
  float diffuse = 0.25 + 0.2 * n.y + 0.9 * max(dot(n, lamp), 0.0);
  float gloss = pow(max(dot(n, normalize(lamp + towardsEye)), 0.0), 48.0);
  light = vec4(colour * diffuse + vec3(0.5 * gloss), opacity);
}
