#include "core/electrostatics/potential/average.h"

#include <utility>

#include "core/base/clock.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/memory.h"
#include "core/grid/point_number.h"

namespace isolume::electrostatics {
namespace {

/// Calls add(charges, progress) for each frame; returns the total time of these calls in seconds.
template <class Add>
double for_each_frame(const structures::ChargeFrames& frames, std::span<const std::size_t> chosen,
                      const jobs::Progress& progress, Add add) {
  double seconds = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    progress.check();
    const auto count = static_cast<double>(chosen.size());
    const auto part = progress.part(static_cast<double>(i) / count, static_cast<double>(i + 1) / count);
    const auto charges = frames.at(chosen[i], part.part(0, 0.1));
    const auto start = std::chrono::steady_clock::now();
    add(charges, part.part(0.1, 1));
    seconds += seconds_since(start);
  }
  return seconds;
}

/// The potential of one frame on a grid, and who computed it.
std::pair<grid::ScalarField, std::string> frame_on(const grid::Grid& grid, const structures::Charges& charges,
                                                   const PotentialOptions& options,
                                                   const jobs::Progress& progress) {
  auto found = potential_on(grid, charges, options, progress);
  return {std::move(found.values), found.report.by()};
}

template <class Sums, class Values>
void add_to(Sums& sums, const Values& values) {
  sums.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

}  // namespace

structures::Box box_of(const structures::ChargeFrames& frames, std::span<const std::size_t> chosen,
                       const jobs::Progress& progress) {
  structures::Box box;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    progress.check();
    progress.report(static_cast<double>(i) / static_cast<double>(chosen.size()), "reading frames");
    const auto one = structures::box_of(frames.at(chosen[i]));
    box = i == 0 ? one : structures::Box{box.low.cwiseMin(one.low), box.high.cwiseMax(one.high)};
  }
  return box;
}

Average<grid::ScalarField> average_on(const grid::Grid& grid, const structures::ChargeFrames& frames,
                                      std::span<const std::size_t> chosen, const PotentialOptions& options,
                                      const jobs::Progress& progress) {
  dispatch::require_memory("The mean of the maps",
                           grid::point_number(grid) * (sizeof(double) + 2 * sizeof(float)),
                           "Choose a larger spacing.");
  std::vector<double> sums;
  Average<grid::ScalarField> average;
  average.seconds = for_each_frame(frames, chosen, progress, [&](const auto& charges, const auto& part) {
    auto [field, who] = frame_on(grid, charges, options, part);
    add_to(sums, field.values.host());
    average.who = std::move(who);
    average.values = std::move(field);  // its name and unit
  });
  auto& means = average.values.values.host();
  for (std::size_t i = 0; i < sums.size(); ++i)
    means[i] = static_cast<float>(sums[i] / static_cast<double>(chosen.size()));
  return average;
}

Average<std::vector<double>> average_at(const Places& places, const structures::ChargeFrames& frames,
                                        std::span<const std::size_t> chosen, const PotentialOptions& options,
                                        const jobs::Progress& progress) {
  Average<std::vector<double>> average;
  average.seconds = for_each_frame(frames, chosen, progress, [&](const auto& charges, const auto& part) {
    const auto found = potential_at(places, charges, options, part);
    add_to(average.values, found.values);
    average.who = found.report.by();
  });
  for (double& value : average.values) value /= static_cast<double>(chosen.size());
  return average;
}

}  // namespace isolume::electrostatics
