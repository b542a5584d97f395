#pragma once

#include <vector>

#include "core/parameters/schema.h"

namespace isolume::parameters {

/// Of all that the schemas describe, in their order.
template <class... Structs>
std::vector<Description> descriptions_of(const Schema<Structs>&... schemas) {
  std::vector<Description> all;
  const auto add = [&](const auto& schema) {
    for (const auto& each : schema.fields()) all.push_back(each.description);
  };
  (add(schemas), ...);
  return all;
}

}  // namespace isolume::parameters
