#pragma once

#include <filesystem>
#include <vector>

#include "core/dicom/frames/frame_attributes.h"
#include "core/dicom/frames/frames.h"

class DcmItem;

namespace isolume::dicom {

/// Many slices in one picture, as tiles of the same size: Siemens' mosaics, and the grids of United Imaging (VFRAME).
struct Mosaic {
  int across = 1, down = 1;          ///< tiles
  std::vector<Frame::Place> places;  ///< of the tiles that are slices: row by row from the top left
};

bool is_mosaic(DcmItem& dataset);
/// Division of a picture of the size of `layout`. The tiles form the smallest square that contains the slices; United
/// Imaging omits empty rows.
///
/// Siemens: the number of slices is NumberOfImagesInMosaic, their direction is the CSA header's SliceNormalVector,
/// their distance Spacing Between Slices. Image Position (Patient) refers to the first pixel of a slice of the whole
/// picture's size about the same centre, and is corrected accordingly (nibabel, "Siemens mosaic format"). United
/// Imaging: the number is that of the items of the private sequence (0065,xx51), each with the Image Position
/// (Patient) of its slice (dcm2niix, nii_dicom.cpp). Decimal commas are read, with a remark. Throws InputError if the file
/// does not state all of this, or in what is not a number.
Mosaic mosaic_of(const std::filesystem::path& file, const FrameAttributes& of, const PixelLayout& layout);

}  // namespace isolume::dicom
