#version 330 core
// What has added up in a pixel, by its logarithm as a colour: the first one for all that is below the range.
uniform sampler2D light;
uniform sampler2D colours;  // one row, as light
uniform vec2 range;
uniform int pixels;         // of the screen that a pixel of light is wide
layout(location = 0) out vec4 colour;

void main() {
  float value = max(texelFetch(light, ivec2(gl_FragCoord.xy) / pixels, 0).r, 1e-30);
  float part = clamp(log(value / range.x) / log(range.y / range.x), 0.0, 1.0);
  float count = float(textureSize(colours, 0).x);
  vec3 linear = textureLod(colours, vec2((part * (count - 1.0) + 0.5) / count, 0.5), 0.0).rgb;
  vec3 bright = 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055;
  colour = vec4(mix(bright, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308))), 1.0);
}
