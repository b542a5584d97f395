#include "core/neurons/swc.h"

#include <fmt/ostream.h>

#include "core/base/atomic_file.h"

namespace isolume::neurons {

void write_swc(std::span<const Neuron> neurons, grid::LengthUnit unit, const std::filesystem::path& path) {
  const bool is_metric = unit == grid::LengthUnit::millimetre;
  const double scale = is_metric ? 1000 : 1;  // micrometres are the unit of SWC
  AtomicFile file(path);
  auto& out = file.stream();
  fmt::print(out, "# Centre lines of neurons, written by Isolume\n# unit: {}\n",
             is_metric ? "micrometre" : grid::to_text(unit));
  out << "# axes: those of the image; of a patient: left, posterior, superior (LPS)\n"
         "# number type x y z radius parent (type 2: axon)\n";
  std::size_t number = 0;
  for (std::size_t n = 0; n < neurons.size(); ++n) {
    fmt::print(out, "# neuron {}\n", n + 1);
    bool is_first = true;
    for (const Section& each : neurons[n].sections) {
      ++number;
      const Eigen::Vector3d at = scale * each.centre;
      fmt::print(out, "{} 2 {:.9g} {:.9g} {:.9g} {:.9g} {}\n", number, at.x(), at.y(), at.z(),
                 scale * each.radius, is_first ? -1 : static_cast<long>(number) - 1);
      is_first = false;
    }
  }
  file.commit();
}

}  // namespace isolume::neurons
