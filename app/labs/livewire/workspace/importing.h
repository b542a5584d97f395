#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/dicom/contours/read_contours.h"

namespace isolume::labs::livewire {

class Workspace;

/// Reads a file of contours by a job and adds them as one step of undo; remarks go to the banner. Contours within
/// others are what was given here or answered before; where neither is, they are filled, and a question that does not
/// block offers to cut them out. The answer is kept in the settings.
void start_import(Workspace& workspace, const std::filesystem::path& path,
                  std::optional<dicom::Nested> nested = {});

/// In the status line: how many contours were read from the file.
void show_count(Workspace& workspace, const contours::ContourSet& read, const std::filesystem::path& path);

/// Offers to import structure sets and segmentations that lie beside the image, without blocking.
void offer_import(Workspace& workspace, const std::vector<std::filesystem::path>& files);

}  // namespace isolume::labs::livewire
