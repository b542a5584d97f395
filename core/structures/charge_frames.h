#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/charged_file.h"
#include "core/structures/trajectory.h"

namespace isolume::structures {

/// Charges in a sequence of frames.
class ChargeFrames {
 public:
  virtual ~ChargeFrames() = default;
  virtual std::size_t size() const = 0;
  /// Whether the file ends within a further frame.
  virtual bool is_cut() const { return false; }
  /// `frame` counts from 0. Throws InputError, Error.
  virtual Charges at(std::size_t frame, const jobs::Progress& progress = {}) const = 0;
};

/// With a trajectory: the charges of a file at the trajectory's positions, with the same number of atoms. Without
/// one: the models of a structure, each prepared separately; the frames of an XYZ or GRO file, the models of a PQR
/// file or the molecules of a mol2 file; or the single frame of any other file. Throws as read_charged_file and
/// open_trajectory; Error where numbers of atoms differ.
std::unique_ptr<ChargeFrames> open_charge_frames(const std::filesystem::path& path,
                                                 const ChargedFileOptions& options,
                                                 const std::filesystem::path& trajectory,
                                                 const jobs::Progress& progress = {});

/// Parses "first:last:step" or "first:last", counted from 1; each may be omitted, as in "::10", and a single number
/// selects that frame. Returns frames from 0. Throws Error naming `file` for invalid ranges, and where no last frame
/// is given for a file that is cut off.
std::vector<std::size_t> chosen_frames(std::string_view text, const ChargeFrames& frames,
                                       const std::filesystem::path& file);

}  // namespace isolume::structures
