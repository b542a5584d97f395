#include "app/fields/field_declarations.h"

namespace isolume::fields {

std::vector<commands::Declaration> field_declarations(const std::string& prefix,
                                                      const std::string& length_unit, double reach) {
  const auto coordinate = [&](const char* name) {
    return commands::number(name, "Coordinate of the point.").unit(length_unit).range(-reach, reach);
  };
  return {{.name = prefix + ".probe",
           .title = "Probe value",
           .help = "Reports the field's value at a point, as the pointer does where it rests on a surface or "
                   "a slice.",
           .arguments = {coordinate("x"), coordinate("y"), coordinate("z")},
           .keywords = "number read",
           .result = "value (null outside the box), unit."},
          {.name = prefix + ".line",
           .title = "Values along a line",
           .help = "Plots the field between two points in the Values panel.",
           .arguments = {coordinate("x"), coordinate("y"), coordinate("z"), coordinate("to-x"),
                         coordinate("to-y"), coordinate("to-z")},
           .keywords = "profile chart"}};
}

}  // namespace isolume::fields
