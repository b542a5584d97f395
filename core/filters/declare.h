#pragma once

#include <array>
#include <utility>

#include "core/filters/filter.h"
#include "core/parameters/descriptions_of.h"

namespace isolume::filters {

using parameters::field;
using parameters::Schema;

/// Throws Error that names the filter if it cannot compute on such a grid.
void require_suitable(const FilterKind& kind, const grid::Grid& grid);

/// Spacing in mm along each axis.
inline std::array<double, 3> spacing_of(const grid::Grid& grid) {
  return {grid.spacing(0), grid.spacing(1), grid.spacing(2)};
}

/// A length in mm as a whole number of voxels along each axis, rounded, at most as many as the image has; 0 along axes of
/// one voxel. Throws Error that names the parameter if no axis has any.
std::array<int, 3> radius_in_voxels(const grid::Grid& grid, double radius_mm, std::string_view parameter);

/// Adds a remark if a neighbourhood of this radius is longer than the image along an axis, and so was limited to it.
void remark_limits(const grid::Grid& grid, double radius_mm, std::string_view filter, Remarks& remarks);

/// A result with the name, the unit and the grid of the image.
inline Filtered like(const grid::ScalarField& image, FieldValues values) {
  return {.image = {.grid = image.grid, .values = std::move(values), .name = image.name, .unit = image.unit},
          .remarks = {}};
}

template <class Parameters>
using Apply = Filtered (*)(const grid::ScalarField& image, const Parameters& parameters,
                           const jobs::Progress& progress);

template <class Parameters>
class FilterOf final : public Filter {
 public:
  FilterOf(const FilterKind& its_kind, const Schema<Parameters>& schema, Apply<Parameters> function,
           const Parameters& values = {})
      : kind_(its_kind), schema_(schema), apply_(function), values_(values) {}
  FilterOf(const FilterOf&) = delete;
  FilterOf& operator=(const FilterOf&) = delete;

  const FilterKind& kind() const override { return kind_; }
  parameters::ParameterSet& parameters() override { return set_; }
  const parameters::ParameterSet& parameters() const override { return set_; }
  std::unique_ptr<Filter> copy() const override {
    return std::make_unique<FilterOf>(kind_, schema_, apply_, values_);
  }
  Filtered apply(const grid::ScalarField& image, const jobs::Progress& progress) const override {
    require_suitable(kind_, image.grid);
    progress.check();
    return apply_(image, values_, progress);
  }

 private:
  const FilterKind& kind_;
  const Schema<Parameters>& schema_;
  Apply<Parameters> apply_;
  Parameters values_;
  parameters::StructParameters<Parameters> set_{schema_, values_};
};

/// `schema` must outlive the kind.
template <class Parameters>
FilterKind declare(std::string name, std::string title, std::string help, const Schema<Parameters>& schema,
                   Apply<Parameters> apply) {
  return {.name = std::move(name),
          .title = std::move(title),
          .help = std::move(help),
          .parameters = parameters::descriptions_of(schema),
          .make = [&schema, apply](const FilterKind& kind) -> std::unique_ptr<Filter> {
            return std::make_unique<FilterOf<Parameters>>(kind, schema, apply);
          }};
}

// The filters, each in the source of its name; those after the empty line are ITK's.
FilterKind gaussian_filter();
FilterKind median_filter();
FilterKind bilateral_filter();
FilterKind diffusion_filter();
FilterKind total_variation_filter();
FilterKind gradient_filter();
FilterKind threshold_filter();
FilterKind resample_filter();

FilterKind bias_filter();
FilterKind histogram_filter();
FilterKind erosion_filter();
FilterKind dilation_filter();
FilterKind opening_filter();
FilterKind closing_filter();
FilterKind components_filter();
FilterKind watershed_filter();

}  // namespace isolume::filters
