#include "core/structures/trajectory.h"

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/molecules/line_reader.h"

namespace isolume::structures {

const FileFormats& trajectory_formats() {
  static const FileFormats formats{"Trajectories",
                                   {{.title = "CHARMM or NAMD trajectory",
                                     .suffixes = {".dcd"},
                                     .mime_type = "chemical/x-dcd",
                                     .is_text = false},
                                    {.title = "GROMACS trajectory",
                                     .suffixes = {".xtc"},
                                     .mime_type = "chemical/x-xtc",
                                     .is_text = false}}};
  return formats;
}

std::unique_ptr<Trajectory> open_trajectory(const std::filesystem::path& path,
                                            const jobs::Progress& progress) {
  const auto ending = lower_case(path.extension().string());
  if (ending == ".dcd") return open_dcd(path);
  if (ending == ".xtc") return open_xtc(path, progress);
  throw InputError(path, 0, "the name is not that of a trajectory format",
                   "Give a file that ends with .dcd or .xtc.");
}

}  // namespace isolume::structures
