#pragma once

#include <string>
#include <vector>

#include "core/commands/declaration.h"

namespace isolume::fields {

/// The commands of a lab's field, which FieldWindow::bind binds: PREFIX.probe and PREFIX.line. `length_unit`: of
/// coordinates, as "angstrom", which lie between -`reach` and `reach`.
std::vector<commands::Declaration> field_declarations(const std::string& prefix,
                                                      const std::string& length_unit, double reach = 1e6);

}  // namespace isolume::fields
