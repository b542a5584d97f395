#pragma once

#include <filesystem>
#include <optional>

#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::dicom {

/// Interpretation of a closed contour inside another one of the same region of interest. PS3.3 C.8.8.6.3 wants holes
/// joined to their outline by a keyhole, or CLOSEDPLANAR_XOR; many programs write plain contours for both.
enum class Nested { filled, holes };

struct ReadContours {
  contours::ContourSet set;
  Remarks remarks;
  int nested = 0;  ///< number of contours whose interpretation depends on `Nested`
};

/// Reads an RT structure set. Contours are put on the nearest slice of the image, along the axis to whose slices they
/// are parallel, if their plane is within half the distance to the next slice (in gaps of a series: half the usual
/// distance); others are counted in a remark. Labels have the ROIs' numbers if these are valid label values. Keyholes
/// are separated into an outline and its holes. Nested contours are filled by default, but combined by exclusive or
/// where one of the region's contours on the slice has the type CLOSEDPLANAR_XOR. Throws InputError.
ReadContours read_rtstruct(const std::filesystem::path& path, const images::Document& image,
                           std::optional<Nested> nested = {}, const jobs::Progress& progress = {});

/// Reads a segmentation: binary, fractional (above one half) or label map, with compressed or uncompressed pixels.
/// Each segment becomes a label with the outlines of its pixels, whatever other segments cover. Frames may run along the
/// image's axes in any order and direction, and cover other parts than its slices: their pixels are put where they lie.
/// Frames more than half the spacing away from the image's slices are counted in a remark, as are pixels beyond the
/// slices' edges; frames that are thicker than the image's slices by their Spacing Between Slices are put on all slices
/// that they cover. Throws InputError, also if the pixel grid is not the image's.
ReadContours read_segmentation(const std::filesystem::path& path, const images::Document& image,
                               const jobs::Progress& progress = {});

/// Whether the file is DICOM, and its SOP class is RT Structure Set or one of the segmentations.
enum class DicomKind { none, image, rtstruct, segmentation };
DicomKind kind_of(const std::filesystem::path& file);

}  // namespace isolume::dicom
