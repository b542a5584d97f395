// Depth cue: lit objects fade into the background with distance, which shows their order in depth.
//@ after VTK::TCoord::Impl
  float depthCuePlace = clamp((-vertexVCVSOutput.z - depthCueFrom) / max(depthCueOver, 1e-20), 0.0, 1.0);
  gl_FragData[0].rgb = mix(gl_FragData[0].rgb, depthCueColour, depthCueAmount * depthCuePlace);
