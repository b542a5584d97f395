#include "app/labs/electrostatics/picture/other_map.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "app/labs/electrostatics/picture/method_text.h"
#include "core/base/language.h"

namespace isolume::labs::electrostatics {
namespace {

/// Ours is computed at no more points than these because a map has as many.
constexpr std::size_t most_points_of_its_own = std::size_t{256} * 256 * 256;
/// Surfaces reach so far beyond the atoms, in angstrom: the radii of atoms and of a probe.
constexpr double reach_of_surfaces = 4;

/// Of a grid along x, y and z.
bool holds(const grid::Grid& grid, const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
  const auto& n = grid.dimensions;
  const Eigen::Array3d last(n[0] - 1, n[1] - 1, n[2] - 1);
  const Eigen::Array3d first_index = grid.index_at(low), last_index = grid.index_at(high);
  return (first_index >= 0).all() && (last_index <= last).all();
}

class OtherMapSource final : public fields::FieldSource {
 public:
  OtherMapSource(std::shared_ptr<const fields::FieldSource> ours, std::shared_ptr<const OtherMap> other,
                 const OtherMapChoices& choices, const science::PotentialOptions& how, const MapGrid& where)
      : ours_(std::move(ours)), other_(std::move(other)), choices_(choices), how_(how), where_(where) {}

  std::string name() const override {
    const auto& form = is_difference() ? localised("electrostatics", "Difference to %1")
                                       : localised("electrostatics", "Map %1");
    return filled(form, {other_->path.filename().string()});
  }
  const void* subject() const override { return ours_->subject(); }
  std::string key() const override {
    return fmt::format("{}|map {} {} {}", ours_->key(), other_->number, static_cast<int>(choices_.unit),
                       static_cast<int>(choices_.shown));
  }
  std::string series() const override { return ours_->series(); }
  double points_within(double seconds) const override { return ours_->points_within(seconds); }

  grid::Grid grid() const override {
    const auto own = ours_->grid();
    const auto& its = other_->map.field.grid;
    if (!its.axis_aligned() || its.point_count() > most_points_of_its_own) return own;
    // What ours has around the atoms is the margin.
    const auto& n = own.dimensions;
    const double angstrom = grid::shown_per_unit(own.unit);
    const Eigen::Vector3d kept =
        Eigen::Vector3d::Constant(std::max(0.0, where_.margin_angstrom - reach_of_surfaces));
    const Eigen::Vector3d low = own.origin * angstrom + kept,
                          high = own.position(n[0] - 1, n[1] - 1, n[2] - 1) * angstrom - kept;
    return holds(its, low, high) ? its : own;
  }

  fields::MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override {
    const auto start = std::chrono::steady_clock::now();
    if (!is_difference()) {
      auto made = made_map(other_map_on(grid, *other_, choices_, how_, progress), name(), {}, start);
      made.method = spacing_text(grid);
      return made;
    }
    auto made = ours_->compute(grid, progress.part(0, 0.9));
    auto field = science::difference_of(
        *made.field, other_map_on(made.field->grid, *other_, choices_, how_, progress.part(0.9, 1)));
    auto difference = made_map(std::move(field), name(), made.maker, start);
    difference.method = filled(localised("electrostatics", "%1 minus the map"), {made.method});
    return difference;
  }

 private:
  bool is_difference() const { return choices_.shown == MapShown::difference; }

  const std::shared_ptr<const fields::FieldSource> ours_;
  const std::shared_ptr<const OtherMap> other_;
  const OtherMapChoices choices_;
  const science::PotentialOptions how_;
  const MapGrid where_;
};

}  // namespace

std::shared_ptr<const OtherMap> read_other_map(const std::filesystem::path& path,
                                               const jobs::Progress& progress) {
  static std::atomic<int> count = 0;
  return std::make_shared<const OtherMap>(OtherMap{path, science::read_map(path, progress), ++count});
}

science::PotentialUnit unit_of(const OtherMap& other, const OtherMapChoices& choices) {
  if (choices.unit == MapUnit::stated) return other.map.unit;
  return static_cast<science::PotentialUnit>(static_cast<int>(choices.unit) - 1);
}

grid::ScalarField other_map_on(const grid::Grid& grid, const OtherMap& other, const OtherMapChoices& choices,
                               const science::PotentialOptions& how, const jobs::Progress& progress) {
  return science::in_unit(science::resampled(other.map.field, grid, progress), unit_of(other, choices),
                          how.unit, how.temperature_kelvin);
}

std::shared_ptr<const fields::FieldSource> other_map_source(std::shared_ptr<const fields::FieldSource> ours,
                                                            std::shared_ptr<const OtherMap> other,
                                                            const OtherMapChoices& choices,
                                                            const science::PotentialOptions& how,
                                                            const MapGrid& where) {
  return std::make_shared<const OtherMapSource>(std::move(ours), std::move(other), choices, how, where);
}

science::MapComparison compared_with(const OtherMap& other, const OtherMapChoices& choices,
                                     const science::PotentialOptions& how,
                                     const grid::ScalarField& difference, const jobs::Progress& progress) {
  return science::compare(difference, other_map_on(difference.grid, other, choices, how, progress));
}

}  // namespace isolume::labs::electrostatics
