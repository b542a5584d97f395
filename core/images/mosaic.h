#pragma once

#include <filesystem>
#include <vector>

#include "core/images/dicom_frames.h"

class DcmItem;

namespace isolume::images {

/// Many slices side by side in one picture, as tiles of the same size: Siemens' mosaics, and the grids of United Imaging
/// (VFRAME).
struct Mosaic {
  int across = 1, down = 1;          ///< tiles
  std::vector<Frame::Place> places;  ///< of the tiles that are slices: row by row from the top left
};

bool is_mosaic(DcmItem& dataset);
/// How a picture of the size of `layout` is taken apart. The tiles are a square of as few as hold the slices; United Imaging leaves
/// out the rows that are empty.
///
/// Siemens: the number of slices is NumberOfImagesInMosaic, the direction in which they follow each other that of the CSA
/// header's SliceNormalVector, the distance Spacing Between Slices. Image Position (Patient) is where the first
/// pixel would be of a slice of the whole picture's size about the same centre, and is corrected for that (nibabel,
/// "Siemens mosaic format"). United Imaging: the number is that of the items of the private sequence (0065,xx51), each
/// with the Image Position (Patient) of its slice (dcm2niix, nii_dicom.cpp). Throws InputError where the file does not
/// tell all of it.
Mosaic mosaic_of(const std::filesystem::path& file, DcmItem& dataset, const PixelLayout& layout);

}  // namespace isolume::images
