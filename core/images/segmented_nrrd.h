#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// Segments with names and colours, in the form of 3D Slicer's .seg.nrrd: label maps on one grid, several of them if
/// segments overlap.
struct SegmentedNrrd {
  struct Segment {
    std::string name;
    std::string colour;  ///< "#e69f00"; empty if there is none
    int value = 1, layer = 0;
  };
  std::vector<Segment> segments;
  std::vector<Volume> layers;
  Remarks remarks;
};

/// Nothing for an NRRD file without segments. Throws as read_image.
std::optional<SegmentedNrrd> read_segmented_nrrd(const std::filesystem::path& path,
                                                 const jobs::Progress& progress = {});
/// The layers must all be uint8 or all uint16, on one grid. The file appears as a whole or not at all.
void write_segmented_nrrd(const SegmentedNrrd& segmentation, const std::filesystem::path& path);

}  // namespace isolume::images
