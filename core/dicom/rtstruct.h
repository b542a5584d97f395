#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/contours/contour.h"
#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::dicom {

/// Writes an RT Structure Set (DICOM PS3.3 A.19.3) with all its mandatory modules: one ROI per label, contours
/// in mm as CLOSED_PLANAR, OPEN_PLANAR or POINT, each referring to its slice's instance and lying where
/// that does, whatever the volume's spacing. A label's subtracting contours are joined to the outline around
/// them by a keyhole (a channel of no width), as PS3.3 C.8.8.6.3 describes; where a label's outlines on a
/// slice cross each other, the outlines of its pixels are written. UIDs of study, frame of reference and
/// images are the source's; if the image is not DICOM, an Error says that an RTSTRUCT needs one. The file
/// appears whole or not at all.
void write_rtstruct(const contours::ContourSet& set, const images::Document& image,
                    const std::filesystem::path& path, const jobs::Progress& progress = {});

struct ReadStructures {
  contours::ContourSet set;
  std::vector<std::string> warnings;  ///< contours off all slices, a different series, ...
};
/// Contours are put on the nearest slice of the image, along whichever axis they are parallel to, where their
/// plane is within half the distance to the next slice (in gaps of a series: half the usual distance); others
/// are counted in a warning. Labels have the ROIs' numbers where these can be labels' values. Keyholes are
/// taken apart into an outline and its holes. Throws InputError.
ReadStructures read_rtstruct(const std::filesystem::path& path, const images::Document& image,
                             const jobs::Progress& progress = {});

/// Whether the file is DICOM, and its SOP class is RT Structure Set or Segmentation.
enum class DicomKind { none, image, rtstruct, segmentation };
DicomKind kind_of(const std::filesystem::path& file);

}  // namespace isolume::dicom
