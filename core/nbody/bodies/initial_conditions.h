#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/nbody/bodies/bodies.h"
#include "core/nbody/bodies/cosmology.h"
#include "core/nbody/bodies/softening.h"
#include "core/nbody/bodies/units.h"

namespace isolume::nbody {

/// Steps for few bodies with close encounters: Hermite integrator with individual steps (TimeSteps::block).
struct FewBodySteps {
  double dt = 0;        ///< longest step
  double accuracy = 0;  ///< RunOptions::accuracy
};

/// That of the run that a file records.
struct RecordedSoftening {
  double length = 0;
  std::optional<SofteningKind> kind = std::nullopt;  ///< nothing: not recorded
};

/// The starting point of a simulation: a scene, or the content of a file.
struct InitialConditions {
  Bodies bodies;                                  ///< velocities may be missing: then all are at rest
  std::vector<std::uint64_t> id = {};             ///< of each body; empty: 1, 2, 3 ...
  std::vector<std::uint8_t> origin = {};          ///< of each body, an index into `origins`; empty: 0
  std::vector<std::string> origins = {"bodies"};  ///< what bodies belong to: "disc", "second galaxy"
  std::vector<double> radius = {};                ///< of each body as a sphere; empty: not known
  double time = 0;       ///< in a comoving box the natural logarithm of the scale factor: 0 today
  double time_step = 0;  ///< recommended; 0: not known
  double softening = 0;  ///< recommended, also by a file; may be 0 on purpose
  std::optional<RecordedSoftening> recorded_softening = std::nullopt;  ///< nothing: not recorded
  std::optional<FewBodySteps> few_body_steps =
      std::nullopt;                               ///< nothing: leapfrog with global steps is suitable
  std::optional<ComovingBox> box = std::nullopt;  ///< the box and its units, if any; nothing: isolated bodies
  std::optional<Units> units = std::nullopt;      ///< of isolated bodies; nothing: only that G = 1 is known
  bool has_unused_units = false;  ///< the file states units that could not be used, with a remark
  Remarks remarks = {};           ///< what was changed or assumed on reading the file
  std::vector<std::filesystem::path> files = {};  ///< all that were read
};

/// Number of the first body that is added to them.
std::uint64_t first_added_id(const InitialConditions& start);

/// Adds a remark that of these `moments` of a file, where no one was chosen, the last one was read; none where there is
/// one.
void remark_on_last_moment(std::size_t moments, InitialConditions& read);

/// Throws Error as check(Bodies) and check(ComovingBox) do, and where ids or origins do not match the number of
/// bodies.
void check(const InitialConditions& start);

}  // namespace isolume::nbody
