#pragma once

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/labs/electrostatics/batch/structure_input.h"
#include "app/labs/electrostatics/batch/wavefunction_input.h"
#include "core/electrostatics/maps/map_file.h"
#include "core/electrostatics/sums/kept_parts.h"
#include "core/electrostatics/sums/map_parts.h"
#include "core/electrostatics/sums/options.h"
#include "core/grid/grid.h"

namespace isolume::batch {

/// Of `isolume-batch electrostatics potential`.
struct PotentialArguments {
  std::string file, output, points, plane, on_surface, like, trajectory, frames;
  double above = 0;  ///< the surface, angstrom
  bool average = false;
  double spacing = 0.5, margin = 10;
  std::optional<double> memory_gb;  ///< 1e9 bytes
  StructureOptions structure;
  WavefunctionOptions wavefunction;
  bool json = false, resume = false;
  electrostatics::PotentialOptions how;
  parameters::StructParameters<electrostatics::PotentialOptions> set{electrostatics::potential_schema(), how};
  const CLI::App* command = nullptr;
};

/// `box`: around the atoms, in angstrom.
grid::Grid grid_of(Context& context, const PotentialArguments& options, const structures::Box& box);

/// How many bytes a map may take before it is computed and written in parts.
std::size_t bytes_for_map(const PotentialArguments& options);
/// Whether a map that takes so many is larger than that, and can be computed and written in parts; where --memory asks for what
/// cannot be, what computes or writes in parts says so.
bool comes_in_parts(const PotentialArguments& options, std::size_t bytes);
/// To stderr, before a map for this output is computed, where it takes much.
void tell_memory(Context& context, const std::string& output, std::size_t points, std::size_t bytes);

/// Files that the potential is computed from.
std::vector<std::string> inputs_of(const PotentialArguments& options);

/// Writes a map part after part, after telling how many there are. Finished parts are kept until the map is there, and
/// `--resume` continues behind them.
class PartsWriter {
 public:
  PartsWriter(Context& context, const PotentialArguments& options, const grid::Grid& grid,
              const electrostatics::Parts& parts, const molecules::Molecule& molecule = {});
  /// What computes the parts. Throws CancelledInPart, or Error, that says what is kept where it is ended early.
  template <class Compute>
  auto during(const Compute& compute) {
    try {
      return compute();
    } catch (const Cancelled&) {
      if (kept_.parts().empty()) throw;
      throw CancelledInPart(what_is_kept());
    } catch (const Error& error) {
      if (kept_.parts().empty()) throw;
      throw Error(fmt::format("{} {}", error.what(), what_is_kept()));
    }
  }
  electrostatics::KeptParts* kept() { return &kept_; }
  void put(const grid::ScalarField& planes, const jobs::Progress& progress);
  void commit();
  double seconds() const { return seconds_; }  ///< of `put`

 private:
  std::string what_is_kept() const;

  electrostatics::KeptParts kept_;
  electrostatics::MapWriter writer_;
  int all_planes_;
  double seconds_ = 0;
};

/// Of the wavefunction in options.file. Throws UsageError for words that say something about charges or a medium.
void quantum_potential(Context& context, const PotentialArguments& options);

}  // namespace isolume::batch
