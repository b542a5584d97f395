#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/molecules/document.h"
#include "core/orbitals/engine_registry.h"
#include "core/parameters/schema.h"

namespace isolume::labs::orbitals {

/// A lab's parameters as a person meets them: in the panel's order, and narrowed to what there is to choose.
/// Values are those of `parts`, which it refers to and does not own.
class PanelParameters final : public parameters::ParameterSet {
 public:
  /// Changes a description for the moment: its range, its choices, its unit.
  using Narrow = std::function<void(parameters::Description&)>;
  PanelParameters(parameters::ParameterSet& parts, Narrow narrow);

  std::vector<parameters::Description> descriptions() const override;
  bool has(std::string_view key) const override { return parts_.has(key); }
  parameters::Value get(std::string_view key) const override { return parts_.get(key); }
  void set(std::string_view key, const parameters::Value& value) override;

 private:
  parameters::ParameterSet& parts_;
  Narrow narrow_;
};

/// Orbital sets and spins to those of the wavefunction, engines to those of this program.
void narrow_to(const molecules::Wavefunction& wavefunction, const isolume::orbitals::EngineRegistry& engines,
               parameters::Description& description);

}  // namespace isolume::labs::orbitals
