#include "app/labs/anatomy/batch_parts.h"

#include <ostream>

#include <fmt/format.h>

#include "core/base/counted.h"

namespace isolume::labs::anatomy {

using isolume::anatomy::DeformationModel;

isolume::anatomy::Image read(batch::Context& context, const std::string& file) {
  isolume::anatomy::Image image = isolume::anatomy::read_image(file, context.progress);
  batch::report(context, file, image.remarks);
  return image;
}

void write(batch::Context& context, const grid::Grid& grid, FieldValues values, const std::string& file) {
  batch::report(context, file, isolume::anatomy::write_image(grid, std::move(values), file));
}

isolume::anatomy::Spacing spacing_of(const grid::Grid& grid) {
  return {grid.spacing(0), grid.spacing(1), grid.spacing(2)};
}

void report_folding(batch::Context& context, std::size_t folded, DeformationModel model) {
  if (folded == 0) return;
  const char* remedy = model == DeformationModel::b_spline ? "raise --bending or --control-spacing"
                                                           : "raise --smoothness or lower --largest-step";
  Remarks remarks;
  remarks.add(RemarkKind::warning, fmt::format("The map folds in {}: {}.", counted(folded, "voxel"), remedy),
              folded);
  batch::report(context, remarks);
}

void print(batch::Context& context, bool is_json, nlohmann::ordered_json json, const std::string& line) {
  if (!is_json) return void(context.out << line << '\n');
  json["remarks"] = isolume::json_of(context.remarks);
  batch::print(context.out, json);
}

void check_outputs(batch::Context& context, std::vector<std::string> outputs,
                   const std::vector<std::string>& inputs) {
  std::erase(outputs, "");
  batch::check_outputs(context, outputs, inputs);
}

}  // namespace isolume::labs::anatomy
