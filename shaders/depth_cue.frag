// What is lit fades into the background with its distance from the eye, so that one sees what lies behind what.
//@ after VTK::TCoord::Impl
  float depthCuePlace = clamp((-vertexVCVSOutput.z - depthCueFrom) / max(depthCueOver, 1e-20), 0.0, 1.0);
  gl_FragData[0].rgb = mix(gl_FragData[0].rgb, depthCueColour, depthCueAmount * depthCuePlace);
