#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/jobs/progress.h"
#include "core/regions/grid_flow.h"
#include "core/regions/seeded_image.h"

namespace isolume::regions {

/// Labels of all voxels by a minimum cut: Y. Y. Boykov, M.-P. Jolly, ICCV 2001, 105.
///
/// The energy is the sum of the weights of links between voxels of different labels and, `likelihood` times, -ln of
/// the density of each voxel's value among the seeds of its label. Seeds keep their labels. Two labels: the minimum,
/// and of equal ones that with the fewest voxels of the first label. More labels: voxels that have the same label in
/// every minimum are found first, by a cut for each label (K. Alahari, P. Kohli, P. H. S. Torr, IEEE Trans. Pattern
/// Anal. Mach. Intell. 32, 1846, 2010). The others have expansion moves (Y. Boykov, O. Veksler, R. Zabih, IEEE Trans.
/// Pattern Anal. Mach. Intell. 23, 1222, 2001) until none of any voxels lowers the energy, at most twice the minimum's
/// links. Weights and likelihoods are rounded to 1 / 4096.
class GraphCut {
 public:
  /// Throws ResourceError. The values must stay.
  GraphCut(const grid::Grid& grid, std::span<const float> values, double edge);

  struct Result {
    std::vector<Label> labels;
    double energy = 0;   ///< a link of weight 1 counts 1
    int expansions = 0;  ///< moves of several labels; 0 where cuts find all
  };
  /// For two labels, continues the flow of the last call: a stroke more costs less. Throws as require_seeds; Cancelled.
  Result cut(std::span<const Label> seeds, double likelihood, const jobs::Progress& progress = {});

  double sigma() const { return weights_.sigma(); }

 private:
  using Links = std::array<std::vector<std::uint16_t, UninitialisedAllocator<std::uint16_t>>, 3>;
  class Costs;

  void link();
  void cut_in_two(const Costs& costs, std::array<Label, 2> labels, Result& result,
                  const jobs::Progress& progress);
  void cut_several(const Costs& costs, std::span<const Label> used, Result& result,
                   const jobs::Progress& progress);
  /// Calls visit(voxel, node) for the open voxels, on all threads.
  template <class Visit>
  void for_open(const Visit& visit) const;
  template <class Visit>
  void link_open(std::size_t i, std::size_t node, const Visit& visit);
  void fix(const Costs& costs, std::span<const Label> used, Label label, std::vector<Label>& labels,
           const jobs::Progress& progress);
  bool expand(const Costs& costs, Label label, const std::vector<std::uint8_t>& is_open,
              std::vector<Label>& labels, const jobs::Progress& progress);
  std::int64_t energy(const Costs& costs, std::span<const Label> labels) const;

  grid::Grid grid_;
  std::span<const float> values_;
  LinkWeights weights_;
  Links links_;  ///< to the next voxel along each axis; 0 at the last one
  std::optional<GridFlow> flow_;
  std::vector<std::int32_t> terminals_;  ///< of the flow, for each voxel; empty: it has none yet
  std::vector<std::uint32_t> open_;      ///< voxels whose labels are not fixed, of several labels
};

}  // namespace isolume::regions
