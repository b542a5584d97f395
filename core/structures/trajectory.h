#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "core/base/file_format.h"
#include "core/base/remarks.h"
#include "core/jobs/progress.h"

namespace isolume::structures {

/// Positions in angstrom at one time, and the cell as in Charges.
struct Frame {
  std::vector<Eigen::Vector3d> places;
  std::optional<Eigen::Matrix3d> cell;
};

/// A trajectory on disk, whose frames are read one by one.
class Trajectory {
 public:
  virtual ~Trajectory() = default;
  virtual std::size_t atom_count() const = 0;
  /// Number of complete frames.
  virtual std::size_t frame_count() const = 0;
  /// Whether the file ends within a further frame.
  virtual bool is_cut() const = 0;
  /// What the file states and does not hold.
  virtual Remarks remarks() const { return {}; }
  /// `frame` counts from 0. Throws InputError.
  virtual Frame read(std::size_t frame) = 0;
};

/// Those of `open_trajectory`.
const FileFormats& trajectory_formats();

/// Opens a trajectory by its name: DCD of CHARMM, NAMD and X-PLOR, with either byte order (.dcd), or GROMACS's XTC
/// (.xtc). The lengths of frames are checked against the file's size. Throws InputError, Cancelled.
std::unique_ptr<Trajectory> open_trajectory(const std::filesystem::path& path,
                                            const jobs::Progress& progress = {});
std::unique_ptr<Trajectory> open_dcd(const std::filesystem::path& path);
std::unique_ptr<Trajectory> open_xtc(const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::structures
