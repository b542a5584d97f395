#include "tests/app/labs/toy/toy_field.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/clock.h"

namespace isolume::labs::toy {
namespace {

class ToySource final : public fields::FieldSource {
 public:
  explicit ToySource(const ToyParameters& toy) : toy_(toy) {}

  std::string name() const override { return "Two pulses"; }
  const void* subject() const override { return &toy_schema(); }  // there is but one
  std::string key() const override { return fmt::format("{}|{}", series(), toy_.time_s); }
  std::string series() const override {
    return fmt::format("{}|{}|{}", toy_.distance_mm, toy_.width_mm, toy_.spacing_mm);
  }
  grid::Grid grid() const override {
    const Eigen::Vector3d corner = Eigen::Vector3d::Constant(half_box_mm);
    return grid::cover_box(-corner, corner, toy_.spacing_mm, grid::LengthUnit::millimetre);
  }
  bool takes_lines() const override { return true; }
  fields::MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override;

 private:
  const ToyParameters toy_;
};

fields::MadeField ToySource::compute(const grid::Grid& grid, const jobs::Progress& progress) const {
  const auto start = std::chrono::steady_clock::now();
  auto field = std::make_shared<grid::ScalarField>();
  field->grid = grid;
  field->name = name();
  field->unit = "mV";
  field->values.resize(grid.point_count());
  auto value = field->values.begin();
  const auto& n = grid.dimensions;
  for (int k = 0; k < n[2]; ++k) {
    progress.check();
    progress.report(static_cast<double>(k) / n[2], "planes");
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) *value++ = static_cast<float>(toy_value(toy_, grid.position(i, j, k)));
    }
  }
  return {.field = std::move(field),
          .maker = "CPU, 1 thread",
          .milliseconds = milliseconds_since(start),
          .both_signs = true,
          .amplitude = true,
          .second = nullptr};
}

}  // namespace

const parameters::Schema<ToyParameters>& toy_schema() {
  using P = ToyParameters;
  using parameters::field;
  static const parameters::Schema<P> schema({
      field("distance", &P::distance_mm, "Distance")
          .unit("mm")
          .range(0.5, 12)
          .group("Pulses")
          .help("Between the centres of the two pulses."),
      field("width", &P::width_mm, "Width")
          .unit("mm")
          .range(0.2, 4)
          .group("Pulses")
          .help("The standard deviation of each pulse."),
      field("time", &P::time_s, "Time")
          .unit("s")
          .range(0, period_s)
          .group("Pulses")
          .help("Since the pulses lay on the x axis; they are there again after 4 s."),
      field("spacing", &P::spacing_mm, "Grid spacing")
          .unit("mm")
          .range(0.1, 2)
          .logarithmic()
          .group("Grid")
          .help("Between the points where the field is computed."),
  });
  return schema;
}

double toy_value(const ToyParameters& toy, const Eigen::Vector3d& place_mm) {
  const double angle = 2 * std::numbers::pi * toy.time_s / period_s;
  const Eigen::Vector3d centre = toy.distance_mm / 2 * Eigen::Vector3d(std::cos(angle), std::sin(angle), 0);
  const double scale = -0.5 / (toy.width_mm * toy.width_mm);
  return std::exp(scale * (place_mm - centre).squaredNorm()) -
         std::exp(scale * (place_mm + centre).squaredNorm());
}

std::shared_ptr<const fields::FieldSource> toy_source(const ToyParameters& toy) {
  return std::make_shared<const ToySource>(toy);
}

}  // namespace isolume::labs::toy
