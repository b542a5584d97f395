#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/labs/orbitals/description.h"
#include "app/labs/orbitals/lab.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/base/shown_number.h"
#include "core/base/units.h"

namespace isolume::labs::orbitals {
std::string OrbitalsLab::without_orbitals() const {
  return wavefunction() != nullptr ? std::string()
                                   : workbench::said(QObject::tr("Open a file with orbitals first."));
}

std::string OrbitalsLab::without_field() const {
  if (document_ && (document_->wavefunction || !document_->fields.empty())) return "";
  return workbench::said(QObject::tr("Open a file with orbitals or a field first."));
}

std::string OrbitalsLab::without_density() const {
  if (const auto why = without_field(); !why.empty() || of_density()) return why;
  return workbench::said(
      QObject::tr("Show an orbital or a density first: this field has no density to enclose."));
}

/// The orbitals that people name, those around the frontier: "Select orbital: HOMO-1 (20)".
std::vector<workbench::Offer> OrbitalsLab::orbital_offers() const {
  constexpr int steps_from_frontier = 50;
  std::vector<workbench::Offer> offers;
  const auto& set = orbital_set();
  const auto labels = molecules::frontier_labels(set);
  std::array<int, 2> numbers{};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto& orbital = set.orbitals[i];
    const int number = ++numbers[orbital.spin == molecules::Spin::alpha ? 0 : 1];
    const auto sign = labels[i].find_first_of("+-");
    if (sign != std::string::npos && std::stoi(labels[i].substr(sign + 1)) > steps_from_frontier) continue;
    const std::string spin = set.unrestricted() ? " " + spin_text(orbital.spin) : "";
    const double energy_ev = orbital.energy_hartree * units::ev_per_hartree;
    offers.push_back({std::to_string(number) + spin,
                      workbench::said(QObject::tr("Select orbital: %1 (%2%3)"), labels[i], number, spin),
                      std::isfinite(energy_ev) ? typeset(fmt::format("{:.2f}", energy_ev)) + " eV" : "",
                      {}});
  }
  return offers;
}

void OrbitalsLab::add_orbital_commands() {
  auto& registry = context_.commands;
  const auto unavailable = [this] { return without_orbitals(); };
  registry.bind("orbitals.select",
                [this](const Arguments& arguments) {
                  auto spin = field_.spin;
                  if (arguments.has("spin"))
                    spin = arguments.text("spin") == "beta" ? molecules::Spin::beta : molecules::Spin::alpha;
                  select_orbital(arguments.text("orbital"), spin);
                  return nlohmann::json{{"number", std::stoi(orbital_arguments(chosen_orbital()).front())},
                                        {"spin", spin_text(field_.spin)}};
                },
                unavailable, {.offers = [this] { return orbital_offers(); }});
  registry.bind(
      "orbitals.choose-set",
      [this](const Arguments& arguments) {
        const int place = arguments.integer("place");
        const auto& sets = wavefunction()->sets;
        if (place > static_cast<int>(sets.size())) {
          throw Error(workbench::said(QObject::tr("There is no orbital set %1; the file has %2."), place,
                                      sets.size()));
        }
        playback_.pause();
        set_parameters(tr("Orbital set"),
                       {{"set", std::to_string(place)},
                        {"spin", "alpha"},
                        {"orbital", first_orbital(sets[static_cast<std::size_t>(place - 1)])}});
      },
      unavailable);
  const auto add = [&](const char* name, const char* shortcut, auto action) {
    registry.bind(name, [this, action](const Arguments&) { action(*this); }, unavailable,
                  {.shortcut = shortcut});
  };
  add("orbitals.next", "Ctrl+Up", [](OrbitalsLab& lab) { lab.step_orbital(1); });
  add("orbitals.previous", "Ctrl+Down", [](OrbitalsLab& lab) { lab.step_orbital(-1); });
  add("orbitals.homo", "Ctrl+Shift+H", [](OrbitalsLab& lab) { lab.select_orbital("homo", lab.field_.spin); });
  add("orbitals.lumo", "Ctrl+Shift+L", [](OrbitalsLab& lab) { lab.select_orbital("lumo", lab.field_.spin); });
}

void OrbitalsLab::add_field_commands() {
  auto& registry = context_.commands;
  const auto unavailable = [this] { return without_orbitals(); };
  registry.bind(
      "orbitals.field.show",
      [this](const Arguments& arguments) {
        playback_.pause();
        set_parameters(tr("Show field"), {{"field", arguments.text("field")}});
      },
      unavailable);
  registry.bind(
      "orbitals.field.choose",
      [this](const Arguments& arguments) { choose_file_field(arguments.integer("place") - 1); },
      [this] {
        return document_ && !document_->wavefunction
                   ? without_field()
                   : workbench::said(QObject::tr("Open a cube file first."));
      });
  window_.bind("orbitals.field", [this] { return without_field(); });
}

void OrbitalsLab::add_view_commands() {
  auto& registry = context_.commands;
  const auto unavailable = [this] { return without_field(); };
  registry.bind(
      "orbitals.isovalue.enclose",
      [this](const Arguments& arguments) {
        const std::string fraction = parameters::to_text(arguments.number("fraction"));
        context_.set_parameters(tr("Enclose fraction of density"),
                                {{"isovalue-mode", "enclosed"}, {"enclosed", fraction}});
      },
      [this] { return without_density(); });
  registry.bind(
      "orbitals.surface.colour-by",
      [this](const Arguments& arguments) {
        std::vector<std::pair<std::string, std::string>> values;
        const std::string orbital =
            arguments.has("orbital") ? arguments.text("orbital") : view_.colour_orbital;
        if (arguments.text("field") == "orbital")
          molecules::find_orbital(orbital_set(), orbital, field_.spin);
        if (arguments.has("orbital")) values.emplace_back("colour-orbital", arguments.text("orbital"));
        values.emplace_back("colour-by", arguments.text("field"));
        set_parameters(tr("Colour surface"), std::move(values));
      },
      [this] { return without_orbitals(); });
  registry.bind("orbitals.volume.toggle",
                [this](const Arguments&) {
                  set_parameters(tr("Volume"), {{"volume", view_.volume ? "false" : "true"}});
                },
                unavailable, {.shortcut = "Ctrl+Shift+V", .checked = [this] { return view_.volume; }});
  registry.bind("orbitals.slice.toggle",
                [this](const Arguments&) {
                  context_.set_parameters(tr("Slice plane"), {{"slice", view_.slice ? "false" : "true"}});
                },
                unavailable, {.shortcut = "Ctrl+Shift+X", .checked = [this] { return view_.slice; }});
  registry.bind(
      "orbitals.slice.move",
      [this](const Arguments& arguments) {
        context_.set_parameters(tr("Move slice"),
                                {{"slice-position", parameters::to_text(arguments.number("fraction"))}});
      },
      unavailable);
}

void OrbitalsLab::add_frame_commands() {
  auto& registry = context_.commands;
  const auto unavailable = [this] {
    return document_ && !document_->frames.empty()
               ? std::string()
               : workbench::said(QObject::tr("Open a file with several geometries first."));
  };
  registry.bind(
      "orbitals.frame.next", [this](const Arguments&) { choose_frame(frame_ + 1); }, unavailable);
  registry.bind(
      "orbitals.frame.previous", [this](const Arguments&) { choose_frame(frame_ - 1); }, unavailable);
}

}  // namespace isolume::labs::orbitals
