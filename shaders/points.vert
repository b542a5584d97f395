#version 330 core
// Bodies as discs of light. A disc that would be smaller or larger on the screen than it may be is as bright as if it
// were not: its light is spread over the pixels that it has.
layout(location = 0) in vec3 position;
layout(location = 1) in float mass;
layout(location = 2) in float value;

uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform float pixels;      // that the scene's unit is wide, at a distance of one unit
uniform float meanMass;
uniform float luminosity;  // of a body of mean mass: light times the square of the scene's unit
uniform float radius;      // of such a body, in the scene's unit
uniform float discLight;   // above 0: light in the middle of every disc, whatever its mass and size
uniform vec2 diameters;    // the smallest and largest on the screen, in pixels
uniform vec2 valueRange;   // of the first and the last colour
uniform bool logarithmic;
uniform sampler2D colours; // one row

flat out vec3 light;  // in the disc's middle

const float pi = 3.14159265;

float partOfRange() {
  if (!logarithmic) return (value - valueRange.x) / max(valueRange.y - valueRange.x, 1e-30);
  return log(max(value, 1e-30) / valueRange.x) / max(log(valueRange.y / valueRange.x), 1e-30);
}

void main() {
  gl_Position = projectionMatrix * (viewMatrix * vec4(position, 1.0));
  float unit = pixels / gl_Position.w;
  float part = mass / meanMass;
  gl_PointSize = clamp(2.0 * radius * pow(part, 1.0 / 3.0) * unit, diameters.x, diameters.y);
  // points.frag falls off as (1 - r^2)^2, whose integral over a disc is a third of the disc's area.
  float area = 0.25 * pi * gl_PointSize * gl_PointSize / 3.0;
  float count = float(textureSize(colours, 0).x);
  float place = (clamp(partOfRange(), 0.0, 1.0) * (count - 1.0) + 0.5) / count;
  float bright = discLight > 0.0 ? discLight : luminosity * part * unit * unit / area;
  light = textureLod(colours, vec2(place, 0.5), 0.0).rgb;
  // A sphere is seen on black whatever its colour: dark ones are as light as others, of the same hue.
  if (discLight > 0.0) light /= max(max(light.r, max(light.g, light.b)), 1e-3);
  light *= bright;
}
