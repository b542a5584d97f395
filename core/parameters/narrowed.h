#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters/schema.h"

namespace isolume::parameters {

/// Parameters as the user sees them: their groups in the panel's order, restricted to the choices that are
/// available at present. Values are those of `parts`, which it refers to and does not own.
class NarrowedParameters final : public ParameterSet {
 public:
  /// Temporarily changes a description: its range, its choices, its unit.
  using Narrow = std::function<void(Description&)>;
  /// Groups that `order` does not name come last.
  NarrowedParameters(ParameterSet& parts, std::vector<std::string> order, Narrow narrow);

  std::vector<Description> descriptions() const override;
  bool has(std::string_view key) const override { return parts_.has(key); }
  Value get(std::string_view key) const override { return parts_.get(key); }
  void set(std::string_view key, const Value& value) override;

 private:
  ParameterSet& parts_;
  std::vector<std::string> order_;
  Narrow narrow_;
};

}  // namespace isolume::parameters
