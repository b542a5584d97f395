#pragma once

#include <filesystem>
#include <optional>

#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::dicom {

/// What a closed contour within another one of the same region of interest is. PS3.3 C.8.8.6.3 wants holes joined
/// to their outline by a keyhole, or CLOSEDPLANAR_XOR; many programs write plain contours for both.
enum class Nested { filled, holes };

struct ReadContours {
  contours::ContourSet set;
  Remarks remarks;
  int nested = 0;  ///< how many contours mean one or the other by `Nested`
};

/// An RT structure set. Contours are put on the nearest slice of the image, along whichever axis they are parallel
/// to, where their plane is within half the distance to the next slice (in gaps of a series: half the usual
/// distance); others are counted in a remark. Labels have the ROIs' numbers where these can be labels' values.
/// Keyholes are taken apart into an outline and its holes. Where nobody has chosen what nested contours are, they are
/// filled. Throws InputError.
ReadContours read_rtstruct(const std::filesystem::path& path, const images::Document& image,
                           std::optional<Nested> nested = {}, const jobs::Progress& progress = {});

/// A segmentation: binary, fractional (above one half) or label map, its pixels compressed or not. Each segment
/// becomes a label with the outlines of its pixels, whatever other segments cover. Frames off the image's slices by
/// more than half the spacing are counted in a remark. Throws InputError, also where the pixel grid is not the
/// image's.
ReadContours read_segmentation(const std::filesystem::path& path, const images::Document& image,
                               const jobs::Progress& progress = {});

/// Whether the file is DICOM, and its SOP class is RT Structure Set or one of the segmentations.
enum class DicomKind { none, image, rtstruct, segmentation };
DicomKind kind_of(const std::filesystem::path& file);

}  // namespace isolume::dicom
