// Isosurfaces as wide lines, which VTK draws by a geometry shader: what the vertex shader says is handed on.
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
