// Isosurfaces: coloured by lobe or by a second field, lit on both sides, more opaque at their rims.
//@ after VTK::Normal::Dec
flat in int isSecondLobeVSOutput;
in float secondFieldVSOutput;
in float outsideVSOutput;

vec3 colourOfValue() {
  // Stripes mark unknown values, from half-way between vertices with and without a value on.
  if (outsideVSOutput >= 0.5)
    return vec3(mod(gl_FragCoord.x + gl_FragCoord.y, 10.0 * pixelScale) < 5.0 * pixelScale ? 0.45 : 0.62);
  int last = fieldColours.length() - 1;
  float value = secondFieldVSOutput / (1.0 - outsideVSOutput);  // of the vertices that have one
  float place = float(last) * clamp((value - fieldRange.x) / (fieldRange.y - fieldRange.x), 0.0, 1.0);
  int below = min(int(place), last - 1);
  return mix(fieldColours[below], fieldColours[below + 1], place - float(below));
}
//@ after VTK::Color::Impl
  if (secondFieldShown != 0 || isSecondLobeVSOutput != 0) {
    vec3 colour = secondFieldShown != 0 ? colourOfValue() : secondColour;
    ambientColor = ambientIntensity * colour;
    diffuseColor = diffuseIntensity * colour;
    specularColor = specularIntensity * colour;
  }
//@ before VTK::Light::Impl
  // Both sides of a lobe are lit, also for the lines of a mesh. A lobe is treated as a thin absorbing layer:
  // oblique rays have a longer path through it (the exponent), so rims are more opaque and overlapping shapes
  // remain distinguishable.
  if (normalVCVSOutput.z < 0.0) normalVCVSOutput = -normalVCVSOutput;
  opacity = 1.0 - pow(1.0 - opacity, 1.0 / max(normalVCVSOutput.z, 0.15));
//@ before VTK::DepthPeeling::Impl
  // With direct blending, colours are premultiplied here, as highlights may exceed white before that.
  if (blended != 0) gl_FragData[0].rgb *= gl_FragData[0].a;
