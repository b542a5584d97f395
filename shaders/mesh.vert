#version 330 core
// Triangles, in the scene's unit.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;

out vec3 eyeNormal;
out vec3 eyePosition;

void main() {
  vec4 eye = viewMatrix * vec4(position, 1.0);
  eyePosition = eye.xyz;
  eyeNormal = mat3(viewMatrix) * normal;
  gl_Position = projectionMatrix * eye;
}
