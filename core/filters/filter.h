#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/remarks.h"
#include "core/grid/field.h"
#include "core/jobs/progress.h"
#include "core/parameters/schema.h"

namespace isolume::filters {

/// An image that a filter has computed.
struct Filtered {
  grid::ScalarField image;
  Remarks remarks;
  /// What the filter reports of its work: {"radius_voxels": [1, 1, 0]}.
  nlohmann::ordered_json report = nlohmann::ordered_json::object();
};

struct FilterKind;

/// A filter with its parameters. Images have one value in each voxel, all of them finite; a single slice has one voxel along
/// the third axis. Lengths are in mm along the axes of the image, whose spacings may differ. The same image and parameters
/// give the same bits on any number of threads.
class Filter {
 public:
  virtual ~Filter() = default;
  virtual const FilterKind& kind() const = 0;
  virtual parameters::ParameterSet& parameters() = 0;
  virtual const parameters::ParameterSet& parameters() const = 0;
  virtual std::unique_ptr<Filter> copy() const = 0;
  /// Throws Error for a grid whose lengths are not in mm, for axes that are not at right angles where the filter needs such,
  /// and for parameters that do not fit the image; Cancelled.
  virtual Filtered apply(const grid::ScalarField& image, const jobs::Progress& progress = {}) const = 0;
};

/// What all filters of a name have in common.
struct FilterKind {
  std::string name;   ///< as in chains: "total-variation"
  std::string title;  ///< "Total variation"
  std::string help;   ///< one or two sentences
  bool needs_right_angles = true;
  std::vector<parameters::Description> parameters;
  std::function<std::unique_ptr<Filter>(const FilterKind& kind)> make;
};

/// All filters, in the order of menus.
const std::vector<FilterKind>& filter_kinds();
/// Throws Error that names all filters if there is none of this name.
const FilterKind& filter_kind(std::string_view name);
/// A filter with its default parameters. Throws as filter_kind.
std::unique_ptr<Filter> make_filter(std::string_view name);

/// [{"name", "title", "help", "parameters": [{"key", "label", "type", "unit", "range", "choices", "default", "help"}]}]
nlohmann::ordered_json json_of(const std::vector<FilterKind>& kinds);

}  // namespace isolume::filters
