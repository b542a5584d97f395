// Isosurfaces as wide lines, for which VTK uses a geometry shader: passes on the outputs of the vertex
// shader.
//@ after VTK::Normal::Dec
flat in int isSecondLobeVSOutput[];
in float secondFieldVSOutput[];
in float outsideVSOutput[];
flat out int isSecondLobeGSOutput;
out float secondFieldGSOutput;
out float outsideGSOutput;
//@ after VTK::Normal::Impl
      isSecondLobeGSOutput = isSecondLobeVSOutput[i];
      secondFieldGSOutput = secondFieldVSOutput[i];
      outsideGSOutput = outsideVSOutput[i];
