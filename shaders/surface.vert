// Isosurfaces: lobe of a vertex, and the value of a second field there.
//@ after VTK::Normal::Dec
in float secondField;  // NaN outside the field's box
flat out int isSecondLobeVSOutput;
out float secondFieldVSOutput;
out float outsideVSOutput;
//@ after VTK::Normal::Impl
  isSecondLobeVSOutput = gl_VertexID < verticesOfFirst ? 0 : 1;
  outsideVSOutput = isnan(secondField) ? 1.0 : 0.0;
  secondFieldVSOutput = isnan(secondField) ? 0.0 : secondField;
