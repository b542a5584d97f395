#pragma once

#include <cstddef>

namespace isolume::images {

/// Lengths and offsets in bytes of the fields of a header of NIfTI, in both versions:
/// https://nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h, and nifti2.h of the same place.
struct NiftiLayout {
  std::size_t header_bytes;  ///< the number at offset 0
  std::size_t magic, datatype, bits_per_voxel, dim, pixdim, vox_offset, slope, intercept, units, intent_code,
      intent_name, qform_code, sform_code, quaternion, offset, sform;
};
inline constexpr NiftiLayout nifti_1{.header_bytes = 348,
                                     .magic = 344,
                                     .datatype = 70,
                                     .bits_per_voxel = 72,
                                     .dim = 40,
                                     .pixdim = 76,
                                     .vox_offset = 108,
                                     .slope = 112,
                                     .intercept = 116,
                                     .units = 123,
                                     .intent_code = 68,
                                     .intent_name = 328,
                                     .qform_code = 252,
                                     .sform_code = 254,
                                     .quaternion = 256,
                                     .offset = 268,
                                     .sform = 280};
inline constexpr NiftiLayout nifti_2{.header_bytes = 540,
                                     .magic = 4,
                                     .datatype = 12,
                                     .bits_per_voxel = 14,
                                     .dim = 16,
                                     .pixdim = 104,
                                     .vox_offset = 168,
                                     .slope = 176,
                                     .intercept = 184,
                                     .units = 500,
                                     .intent_code = 504,
                                     .intent_name = 508,
                                     .qform_code = 344,
                                     .sform_code = 348,
                                     .quaternion = 352,
                                     .offset = 376,
                                     .sform = 400};

}  // namespace isolume::images
