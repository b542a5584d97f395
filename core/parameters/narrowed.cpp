#include "core/parameters/narrowed.h"

#include <algorithm>
#include <utility>

namespace isolume::parameters {

NarrowedParameters::NarrowedParameters(ParameterSet& parts, std::vector<std::string> order, Narrow narrow)
    : parts_(parts), order_(std::move(order)), narrow_(std::move(narrow)) {}

std::vector<Description> NarrowedParameters::descriptions() const {
  auto all = parts_.descriptions();
  for (auto& each : all) narrow_(each);
  const auto place = [this](const Description& each) {
    return std::find(order_.begin(), order_.end(), each.group) - order_.begin();
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return all;
}

Description NarrowedParameters::description(std::string_view key) const {
  Description found = parts_.description(key);
  narrow_(found);
  return found;
}

void NarrowedParameters::set(std::string_view key, const Value& value) {
  parts_.assign(key, validated(description(key), value));
}

}  // namespace isolume::parameters
