#include "app/labs/anatomy/batch_parts.h"

#include <ostream>

namespace isolume::labs::anatomy {

isolume::anatomy::Image read(batch::Context& context, const std::string& file) {
  isolume::anatomy::Image image = isolume::anatomy::read_image(file, context.progress);
  batch::report(context, file, image.remarks);
  return image;
}

void write(batch::Context& context, const grid::Grid& grid, FieldValues values, const std::string& file) {
  batch::report(context, file, isolume::anatomy::write_image(grid, std::move(values), file));
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
