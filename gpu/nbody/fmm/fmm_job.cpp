#include "gpu/nbody/fmm/fmm_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/shown_number.h"
#include "core/multipoles/softening_index.h"
#include "core/nbody/forces/fast_multipole.h"
#include "gpu/nbody/fmm/fmm_kernels.h"
#include "gpu/runtime/memory/constant_memory.h"
#include "gpu/runtime/memory/upload_vector.h"

namespace isolume::gpu {
namespace {

namespace fmm = fmm_kernels;
using multipoles::Harmonics;
using multipoles::InteractionLists;
using multipoles::Paged;
using multipoles::PointCell;
using multipoles::PointTree;
using multipoles::SumSetup;
using CellRange = tbb::blocked_range<std::size_t>;

static_assert(fmm::softening_terms == multipoles::softening_terms);
static_assert(fmm::alone == InteractionLists::alone);

constexpr double operations_a_near_pair = 20;
/// Multiply-adds of M2L; see fmm_kernels.h.
double operations_of_far(int order) {
  return 2.0 * order * order * (2 * order + 20);
}
constexpr double operations_of_softened = 2300;

/// Harmonics::far is in blocks of rows, which are joined here.
void take_far(const Harmonics& harmonics, fmm::Tables& tables) {
  const float* from = harmonics.far<float>().data();
  float* of_order = tables.far;
  constexpr int order = fmm::highest_order;
  for (int m = 0; m <= order; ++m) {
    const int rows = order + 1 - m;
    for (int first = 0; first < rows;) {
      const int together = multipoles::rows_together(rows - first, multipoles::far_rows);
      for (int column = 0; column < rows; ++column, from += together)
        std::copy_n(from, together, of_order + column * rows + first);
      first += together;
    }
    of_order += rows * rows;
  }
}

/// The same for all jobs.
const fmm::Tables& fmm_tables() {
  static const fmm::Tables tables = [] {
    const Harmonics harmonics(fmm::highest_order);
    const auto narrow = [](double value) { return static_cast<float>(value); };
    fmm::Tables made;
    std::ranges::copy(harmonics.exchange<float>(), made.exchange);
    take_far(harmonics, made);
    std::ranges::transform(harmonics.norms(), made.norms, narrow);
    std::ranges::transform(harmonics.recursion(), made.recursion, narrow);
    return made;
  }();
  return tables;
}

fmm::SofteningTables softening_tables() {
  const multipoles::SofteningIndex& index = multipoles::softening_index();
  fmm::SofteningTables made = {};
  for (std::size_t i = 0; i < fmm::softening_terms; ++i) {
    made.axis[i] = index.axis[i];
    made.lower[i] = index.lower[i];
    made.second_lower[i] = index.second_lower[i];
    made.power[i] = static_cast<std::uint8_t>(index.powers[i][index.axis[i]]);
    made.partners[i] = index.partners[i];
    std::ranges::copy(index.sum[i], made.sum[i]);
  }
  return made;
}

Paged<fmm::Cell> cells_of(const SumSetup& setup) {
  const auto& from = setup.tree.cells;
  Paged<fmm::Cell> cells(from.size());
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    const PointCell& cell = from[i];
    if (i == 0) cells[i].parent = cells[i].level = 0;
    cells[i] = {.x = cell.centre.x(),
                .y = cell.centre.y(),
                .z = cell.centre.z(),
                .charge = setup.moments->charge[i],
                .unit = static_cast<float>(std::max(cell.radius, fmm::least_unit)),
                .begin = cell.begin,
                .end = cell.end,
                .parent = cells[i].parent,
                .level = cells[i].level,
                .one_position = cell.radius == 0 ? 1u : 0u};
    if (cell.leaf) continue;
    for (std::uint32_t part = i + 1; part < cell.next; part = from[part].next) {
      cells[part].parent = i;
      cells[part].level = cells[i].level + 1;
    }
  }
  return cells;
}

Paged<nbody_kernels::WalkBody> bodies_of(const PointTree& tree) {
  Paged<nbody_kernels::WalkBody> bodies(tree.original.size());
  handover::parallel_for(CellRange(0, bodies.size(), 1 << 12), [&](const CellRange& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i)
      bodies[i] = {tree.x[i], tree.y[i], tree.z[i], tree.charge[i]};
  });
  return bodies;
}

/// See Tree::softening_moments.
Paged<float> softening_moments_of(const SumSetup& setup) {
  constexpr std::size_t terms = fmm::softening_terms;
  const auto& index = multipoles::softening_index();
  Paged<float> moments(setup.softening_moments.size());
  handover::parallel_for(CellRange(0, moments.size() / terms, 1 << 7), [&](const CellRange& part) {
    for (std::size_t cell = part.begin(); cell != part.end(); ++cell) {
      const double unit = std::max(setup.tree.cells[cell].radius, fmm::least_unit);
      for (std::size_t i = 0; i < terms; ++i) {
        const auto& powers = index.powers[i];
        const int degree = powers[0] + powers[1] + powers[2];
        moments[cell * terms + i] =
            static_cast<float>(setup.softening_moments[cell * terms + i] / std::pow(unit, degree));
      }
    }
  });
  return moments;
}

std::uint64_t pairs_of(const PointTree& tree, const InteractionLists::Lists& near) {
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < tree.cells.size(); ++i) {
    std::uint64_t sources = 0;
    for (std::uint64_t j = near.starts[i]; j < near.starts[i + 1]; ++j) {
      const PointCell& leaf = tree.cells[near.cells[j]];
      sources += leaf.radius == 0 ? 1 : leaf.count();
    }
    pairs += sources * tree.cells[i].count();
  }
  return pairs;
}

struct ListOnDevice {
  ListOnDevice(const InteractionLists::Lists& lists, const Stream& stream, const WaitLimits& limits)
      : starts(upload_vector<std::uint64_t>(lists.starts, stream, limits)),
        cells(upload_vector<std::uint32_t>(lists.cells, stream, limits)) {}

  fmm::List data() const { return {starts.device_data(), cells.device_data()}; }

  DeviceBuffer<std::uint64_t> starts;
  DeviceBuffer<std::uint32_t> cells;
};
std::size_t bytes_of(const InteractionLists::Lists& lists) {
  return std::span(lists.starts).size_bytes() + std::span(lists.cells).size_bytes();
}

}  // namespace

std::string why_not_by_fmm(const nbody::ForceOptions& options) {
  const multipoles::SumOptions sums = nbody::sum_options(options);
  const double least = multipoles::least_error_in_single_precision(sums);
  if (sums.error == 0 || sums.error >= least) return {};
  return fmt::format("GPUs keep errors of the fast multipole method from {}{}, and {:.2g} is needed",
                     shown_setting(least), sums.softening > 0 ? " with softening" : "", sums.error);
}

std::unique_ptr<const SumSetup> fmm_setup(const nbody::Bodies& bodies, const nbody::ForceOptions& options,
                                          const jobs::Progress& progress) {
  if (const std::string why = why_not_by_fmm(options); !why.empty())
    throw Error(why + ". Choose the engine \"cpu\".");
  const multipoles::SumOptions sums = nbody::sum_options(options);
  auto setup =
      std::make_unique<const SumSetup>(nullptr, multipoles::Points{bodies.x, bodies.y, bodies.z, bodies.mass},
                                       sums, fmm::highest_order, progress);
  if (!setup->near_field.in_single_precision) {
    throw Error(
        "On GPUs the fast multipole method is in single precision, which does not resolve the closest "
        "of these bodies. Choose the engine \"cpu\".");
  }
  return setup;
}

/// Data shared by all devices.
struct FmmJob::Layout {
  Layout(const SumSetup& of, const jobs::Progress& progress)
      : setup(of),
        lists(multipoles::interaction_lists(of.tree, *of.moments, of.opening, progress)),
        cells(cells_of(of)),
        bodies(bodies_of(of.tree)),
        relative(multipoles::single_points_of(of.tree)),
        by_level(cells.size()),
        pairs(pairs_of(of.tree, lists.near)) {
    if (!lists.softened.cells.empty()) softening_moments = softening_moments_of(of);
    std::iota(by_level.begin(), by_level.end(), 0u);
    std::ranges::stable_sort(by_level, {}, [&](std::uint32_t cell) { return cells[cell].level; });
    for (auto level = by_level.cbegin() + 1; level != by_level.cend();) {
      const auto next = std::find_if(level, by_level.cend(), [&, of_level = cells[*level].level](auto cell) {
        return cells[cell].level != of_level;
      });
      levels.emplace_back(level, next);
      level = next;
    }
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      if (of.tree.cells[i].leaf) leaves.push_back(i);
    }
  }

  bool is_softened() const { return !softening_moments.empty(); }
  std::uint32_t numbers_a_cell() const {
    return 2 * fmm::terms_of(setup.order) + (is_softened() ? fmm::softening_terms : 0);
  }

  fmm::Slab slab_of(Slab bodies_of_slab) const;
  /// The part of `sorted` cells, which do not overlap, that have bodies of the slab.
  std::span<const std::uint32_t> cells_in(std::span<const std::uint32_t> sorted, const fmm::Slab& slab) const;

  const SumSetup& setup;
  InteractionLists lists;
  Paged<fmm::Cell> cells;
  Paged<nbody_kernels::WalkBody> bodies;
  Paged<multipoles::NearSource<float>> relative;  ///< Tree::relative
  Paged<float> softening_moments;                 ///< none if no softening series acts
  std::vector<std::uint32_t> by_level, leaves;
  std::vector<std::span<const std::uint32_t>> levels;  ///< of by_level, without the root's
  std::uint64_t pairs;
};

fmm::Slab FmmJob::Layout::slab_of(Slab of) const {
  const auto first = static_cast<std::uint32_t>(of.first), count = static_cast<std::uint32_t>(of.count);
  const auto cell_from = [&](std::uint32_t body) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(cells, body, {}, &fmm::Cell::begin) -
                                      cells.begin());
  };
  fmm::Slab slab{first, count, cell_from(first), 0, 0, 0};
  slab.cells = cell_from(first + count) - slab.first_cell;
  const auto& all = setup.tree.cells;
  for (std::uint32_t cell = 0; cell < slab.first_cell;) {
    if (all[cell].end <= first) {
      cell = all[cell].next;
      continue;
    }
    ++slab.ancestors;
    slab.last_ancestor = cell++;
  }
  return slab;
}

std::span<const std::uint32_t> FmmJob::Layout::cells_in(std::span<const std::uint32_t> sorted,
                                                        const fmm::Slab& slab) const {
  const auto begin =
      std::ranges::upper_bound(sorted, slab.first, {}, [&](std::uint32_t cell) { return cells[cell].end; });
  const auto end = std::ranges::lower_bound(begin, sorted.end(), slab.first + slab.count, {},
                                            [&](std::uint32_t cell) { return cells[cell].begin; });
  return {begin, end};
}

class FmmJob::OnDevice final : public DeviceJob {
 public:
  OnDevice(std::shared_ptr<const Layout> layout, const Stream& stream, const WaitLimits& limits)
      : layout_(std::move(layout)),
        cells_(upload_vector<fmm::Cell>(layout_->cells, stream, limits)),
        bodies_(upload_vector<nbody_kernels::WalkBody>(layout_->bodies, stream, limits)),
        relative_(upload_vector<float4>(layout_->relative, stream, limits)),
        moments_(upload_vector<float>(layout_->setup.moments->singles, stream, limits)),
        softening_moments_(upload_vector<float>(layout_->softening_moments, stream, limits)),
        far_(layout_->lists.far, stream, limits),
        softened_(layout_->lists.softened, stream, limits),
        near_(layout_->lists.near, stream, limits),
        by_level_(upload_vector<std::uint32_t>(layout_->by_level, stream, limits)),
        leaves_(upload_vector<std::uint32_t>(layout_->leaves, stream, limits)),
        tables_(upload_vector<fmm::Tables>(std::span(&fmm_tables(), 1), stream, limits)),
        softening_tables_(
            upload_vector<fmm::SofteningTables>(std::array{softening_tables()}, stream, limits)) {}

  void launch(Slab of, float* out, std::size_t field_stride, const Stream& stream) override {
    const fmm::Slab slab = layout_->slab_of(of);
    const std::uint32_t stride = layout_->numbers_a_cell();
    const DeviceBuffer<float> values(stream, std::size_t{slab.all_cells()} * stride);
    const fmm::Fields fields{values.device_data(), stride};
    const fmm::Tree tree = this->tree();
    static const std::uint64_t content = new_constant_contents(1);
    with_constant_memory(
        content, stream, [&] { fmm::copy_to_constant_memory(tables_.device_data(), stream); },
        [&] {
          fmm::add_far_cells(tree, slab, fields, stream);
          for_each_level(slab, [&](const std::uint32_t* cells, std::uint32_t count) {
            fmm::add_parents(tree, slab, cells, count, fields, stream);
          });
        });
    if (layout_->is_softened()) {
      fmm::add_softened_cells(tree, slab, fields, stream);
      for_each_level(slab, [&](const std::uint32_t* cells, std::uint32_t count) {
        fmm::add_softened_parents(tree, slab, cells, count, fields, stream);
      });
    }
    const auto leaves = layout_->cells_in(layout_->leaves, slab);
    fmm::sum_leaves(tree, slab, leaves_.device_data() + (leaves.data() - layout_->leaves.data()),
                    static_cast<std::uint32_t>(leaves.size()), fields, out, field_stride, stream);
  }

 private:
  fmm::Tree tree() const {
    const double softening = layout_->setup.opening.softening;
    return {.cells = cells_.device_data(),
            .far = far_.data(),
            .softened = softened_.data(),
            .near = near_.data(),
            .moments = moments_.device_data(),
            .softening_moments = softening_moments_.device_data(),
            .bodies = bodies_.device_data(),
            .relative = relative_.device_data(),
            .tables = tables_.device_data(),
            .softening_tables = layout_->is_softened() ? softening_tables_.device_data() : nullptr,
            .order = layout_->setup.order,
            .terms = fmm::terms_of(layout_->setup.order),
            .softening = softening,
            .softening_squared = static_cast<float>(softening * softening),
            .close = layout_->setup.near_field.close};
  }
  /// Calls act(cells, count) for the slab's cells of each level below the root's, on the device.
  template <class Act>
  void for_each_level(const fmm::Slab& slab, const Act& act) const {
    const std::span<const std::uint32_t> all = layout_->by_level;
    for (const std::span level : layout_->levels) {
      const auto cells = layout_->cells_in(level, slab);
      if (!cells.empty())
        act(by_level_.device_data() + (cells.data() - all.data()), static_cast<std::uint32_t>(cells.size()));
    }
  }

  std::shared_ptr<const Layout> layout_;
  DeviceBuffer<fmm::Cell> cells_;
  DeviceBuffer<nbody_kernels::WalkBody> bodies_;
  DeviceBuffer<float4> relative_;
  DeviceBuffer<float> moments_, softening_moments_;
  ListOnDevice far_, softened_, near_;
  DeviceBuffer<std::uint32_t> by_level_, leaves_;
  DeviceBuffer<fmm::Tables> tables_;
  DeviceBuffer<fmm::SofteningTables> softening_tables_;
};

FmmJob::FmmJob(const SumSetup& setup, const jobs::Progress& progress)
    : layout_(std::make_shared<const Layout>(setup, progress)) {}
FmmJob::~FmmJob() = default;

std::string FmmJob::remark() const {
  return fmt::format("the CPU made the tree and the lists of cells, expansions of order {}",
                     layout_->setup.order);
}
int FmmJob::items() const {
  return static_cast<int>(layout_->bodies.size());
}
std::string FmmJob::subject() const {
  return fmt::format("The sum over {} bodies", layout_->bodies.size());
}

std::size_t FmmJob::device_bytes() const {
  const Layout& of = *layout_;
  // Ancestors of the slabs in progress have local expansions, too.
  const std::size_t ancestors = 4 * of.levels.size() * of.numbers_a_cell() * sizeof(float);
  return std::span(of.cells).size_bytes() + std::span(of.bodies).size_bytes() +
         std::span(of.relative).size_bytes() + std::span(of.setup.moments->singles).size_bytes() +
         std::span(of.softening_moments).size_bytes() + bytes_of(of.lists.far) + bytes_of(of.lists.softened) +
         bytes_of(of.lists.near) + std::span(of.by_level).size_bytes() + std::span(of.leaves).size_bytes() +
         sizeof(fmm::Tables) + sizeof(fmm::SofteningTables) + ancestors;
}
std::size_t FmmJob::bytes_an_item() const {
  const std::size_t bytes = layout_->cells.size() * layout_->numbers_a_cell() * sizeof(float);
  return 4 * sizeof(float) + 1 + bytes / layout_->bodies.size();
}
double FmmJob::operations() const {
  const Layout& of = *layout_;
  return operations_a_near_pair * static_cast<double>(of.pairs) +
         operations_of_far(of.setup.order) * static_cast<double>(of.lists.far.cells.size()) +
         operations_of_softened * static_cast<double>(of.lists.softened.cells.size());
}

std::unique_ptr<DeviceJob> FmmJob::prepare(const Stream& stream, const WaitLimits& limits) const {
  return std::make_unique<OnDevice>(layout_, stream, limits);
}

std::uint64_t FmmJob::body_pairs() const {
  return layout_->pairs;
}
std::uint64_t FmmJob::cell_pairs() const {
  return layout_->lists.cell_pairs;
}

}  // namespace isolume::gpu
