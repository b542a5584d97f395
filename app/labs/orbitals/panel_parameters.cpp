#include "app/labs/orbitals/panel_parameters.h"

#include <algorithm>
#include <array>
#include <utility>

namespace isolume::labs::orbitals {
namespace {

/// From what is changed all the time to what is changed hardly ever.
std::size_t place_in_panel(const std::string& group) {
  static constexpr std::array<std::string_view, 8> order{
      "Field", "Superposition", "Surface", "Slice", "Molecule", "View", "Lattice", "Computation"};
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), group) - order.begin());
}

}  // namespace

PanelParameters::PanelParameters(parameters::ParameterSet& parts, Narrow narrow)
    : parts_(parts), narrow_(std::move(narrow)) {}

std::vector<parameters::Description> PanelParameters::descriptions() const {
  auto all = parts_.descriptions();
  for (auto& each : all) narrow_(each);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return place_in_panel(a.group) < place_in_panel(b.group);
  });
  return all;
}

void PanelParameters::set(std::string_view key, const parameters::Value& value) {
  parts_.set(key, parameters::validated(description(key), value));
}

void narrow_to(const molecules::Wavefunction& wavefunction, const isolume::orbitals::EngineRegistry& engines,
               parameters::Description& description) {
  if (description.key == "set") {
    description.high = static_cast<double>(wavefunction.sets.size());
  } else if (description.key == "spin") {
    const bool any_beta = std::any_of(wavefunction.sets.begin(), wavefunction.sets.end(),
                                      [](const auto& set) { return set.unrestricted(); });
    if (!any_beta) description.choices.resize(1);
  } else if (description.key == "engine") {
    description.kind = parameters::Kind::choice;
    description.choices = {{"auto", "Best"}};
    for (const auto& engine : engines.engines()) {
      description.choices.push_back({std::string(engine->name()), std::string(engine->description())});
    }
  } else if (description.relevant_when.key == "engine") {
    // What only other engines have is left out where there are none.
    const auto missing = [&](const std::string& name) {
      if (name == "auto") return engines.find("auto").kernels().empty();
      return std::ranges::none_of(engines.engines(),
                                  [&](const auto& engine) { return engine->name() == name; });
    };
    std::erase_if(description.relevant_when.values, missing);
  }
}

}  // namespace isolume::labs::orbitals
