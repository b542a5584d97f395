#include <algorithm>

#include <fmt/ostream.h>

#include "core/base/atomic_file.h"
#include "core/base/csv.h"
#include "core/neurons/swc.h"

namespace isolume::neurons {

void write_table(std::span<const Neuron> neurons, grid::LengthUnit unit, const std::filesystem::path& path) {
  const auto name = grid::to_text(unit);
  AtomicFile file(path);
  auto& out = file.stream();
  fmt::print(out, "neuron,first_slice,last_slice,length_{0},mean_width_{0},volume_{0}3,ends\n", name);
  for (std::size_t n = 0; n < neurons.size(); ++n) {
    const Neuron& each = neurons[n];
    std::string ends;
    for (const std::string& end : each.ends) ends += (ends.empty() ? "" : "; ") + end;
    const bool is_empty = each.sections.empty();
    fmt::print(out, "{},{},{},{:.7g},{:.7g},{:.7g},{}\n", n + 1,
               is_empty ? 0 : each.sections.front().slice + 1, is_empty ? 0 : each.sections.back().slice + 1,
               each.length, each.mean_width, each.volume, csv_cell(ends));
  }
  file.commit();
}

}  // namespace isolume::neurons
