// A reader of structures, charges or trajectories may refuse with an Error; whatever else happens is a fault. What comes
// out are charges that can be summed.
#include <string_view>

#include "core/base/error.h"
#include "core/structures/charge_frames.h"
#include "core/structures/topology.h"
#include "core/structures/trajectory.h"
#include "tests/fuzz/fuzzed_file.h"

namespace {

void read(const std::filesystem::path& file, std::string_view ending) {
  using namespace isolume::structures;
  if (ending == ".top") {
    read_topology(file);
  } else if (ending == ".dcd" || ending == ".xtc") {
    const auto trajectory = open_trajectory(file);
    for (std::size_t frame = 0; frame < trajectory->frame_count(); ++frame) trajectory->read(frame);
  } else {
    ChargedFileOptions options;
    options.prepare.equalise_unknown = true;
    if (ending == ".gro")
      options.topology =
          isolume::fuzz::write_file("one.itp", "[ moleculetype ]\nNA 1\n[ atoms ]\n1 NA 1 NA NA 1 1\n");
    const auto frames = open_charge_frames(file, options, {});
    for (std::size_t frame = 0; frame < frames->size(); ++frame) check(frames->at(frame));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = isolume::fuzz::write_file(ISOLUME_FUZZED_NAME, isolume::fuzz::text_of(data, size));
  try {
    read(file, file.extension().string());
  } catch (const isolume::Error&) {
  }
  return 0;
}
