// Isosurfaces: in the colour of the lobe or of a second field's value, lit on both sides, denser at their rims.
//@ after VTK::Normal::Dec
flat in int isSecondLobeVSOutput;
in float secondFieldVSOutput;
in float outsideVSOutput;

vec3 colourOfValue() {
  // Stripes say that the value is not known.
  if (outsideVSOutput > 0.0)
    return vec3(mod(gl_FragCoord.x + gl_FragCoord.y, 10.0 * pixelScale) < 5.0 * pixelScale ? 0.45 : 0.62);
  int last = fieldColours.length() - 1;
  float place =
      float(last) * clamp((secondFieldVSOutput - fieldRange.x) / (fieldRange.y - fieldRange.x), 0.0, 1.0);
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
  // Both sides of a lobe are lit, those of a mesh's far lines too. And a lobe is a thin layer of haze: light that
  // leaves it at a slant has a longer way through it (the exponent), so that rims are denser than the middle and
  // shapes stay readable through each other.
  if (normalVCVSOutput.z < 0.0) normalVCVSOutput = -normalVCVSOutput;
  opacity = 1.0 - pow(1.0 - opacity, 1.0 / max(normalVCVSOutput.z, 0.15));
//@ before VTK::DepthPeeling::Impl
  // Where it is blended as it is drawn: highlights may be brighter than white before their share is taken.
  if (blended != 0) gl_FragData[0].rgb *= gl_FragData[0].a;
