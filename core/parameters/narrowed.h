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
  /// Temporarily changes a description: its range and its choices to a part of them, its unit, its texts.
  using Narrow = std::function<void(Description&)>;
  /// Groups that `order` does not name come last.
  NarrowedParameters(ParameterSet& parts, std::vector<std::string> order, Narrow narrow);

  std::vector<Description> descriptions() const override;
  Description description(std::string_view key) const override;
  bool has(std::string_view key) const override { return parts_.has(key); }
  Value get(std::string_view key) const override { return parts_.get(key); }
  void set(std::string_view key, const Value& value) override;
  void assign(std::string_view key, const Value& value) override { parts_.assign(key, value); }

 private:
  ParameterSet& parts_;
  std::vector<std::string> order_;
  Narrow narrow_;
};

}  // namespace isolume::parameters
