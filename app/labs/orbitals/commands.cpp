#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/labs/orbitals/lab.h"
#include "core/base/error.h"
#include "core/base/units.h"

namespace isolume::labs::orbitals {
namespace {

/// One argument, or Error with what was expected.
const std::string& argument(Arguments arguments, std::size_t index, const char* expected) {
  if (index >= arguments.size()) throw Error(fmt::format("Expected {}.", expected));
  return arguments[index];
}

int integer(const std::string& text) {
  parameters::Description description;
  description.key = "number";
  description.kind = parameters::Kind::integer;
  description.low = 1;
  description.high = 1e9;
  return static_cast<int>(std::get<std::int64_t>(parameters::parse(description, text)));
}

}  // namespace

std::string OrbitalsLab::without_orbitals() const {
  return wavefunction() != nullptr ? "" : "Open a file with orbitals first.";
}

std::string OrbitalsLab::without_field() const {
  if (document_ && (document_->wavefunction || !document_->fields.empty())) return "";
  return "Open a file with orbitals or a field first.";
}

void OrbitalsLab::add(std::string name, std::string title, std::string help, std::string arguments,
                      std::string shortcut, std::function<void(Arguments)> action,
                      std::function<std::string()> unavailable, std::function<bool()> checked,
                      std::string keywords, std::function<std::vector<workbench::Offer>()> offers) {
  context_.commands.add({std::move(name), std::move(title), std::move(help), std::move(arguments),
                         std::move(shortcut), std::move(action), std::move(unavailable), std::move(checked),
                         std::move(keywords), std::move(offers)});
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
                      fmt::format("Select orbital: {} ({}{})", labels[i], number, spin),
                      std::isfinite(energy_ev) ? fmt::format("{:.2f} eV", energy_ev) : "",
                      {}});
  }
  return offers;
}

void OrbitalsLab::add_orbital_commands() {
  const auto unavailable = [this] { return without_orbitals(); };
  add(
      "orbital.select", "Select orbital", "Shows an orbital by number or by its place at the frontier.",
      "NUMBER | homo | lumo+1 ... [alpha | beta]", "",
      [this](Arguments arguments) {
        auto spin = field_.spin;
        if (arguments.size() > 1) {
          if (arguments[1] != "alpha" && arguments[1] != "beta") {
            throw Error(
                fmt::format("Expected alpha or beta as spin, found {}.", isolume::quoted(arguments[1])));
          }
          spin = arguments[1] == "beta" ? molecules::Spin::beta : molecules::Spin::alpha;
        }
        select_orbital(argument(arguments, 0, "an orbital: a number, homo, lumo+1"), spin);
      },
      unavailable, nullptr, "mo molecular", [this] { return orbital_offers(); });
  add(
      "orbital.set", "Choose orbital set", "Goes to another orbital set of the file, by its place from 1.",
      "PLACE", "",
      [this](Arguments arguments) {
        const int place = integer(argument(arguments, 0, "a place"));
        const auto& sets = wavefunction()->sets;
        if (place > static_cast<int>(sets.size())) {
          throw Error(fmt::format("There is no orbital set {}; the file has {}.", place, sets.size()));
        }
        play(false);
        set_parameters(tr("Orbital set"),
                       {{"set", std::to_string(place)},
                        {"spin", "alpha"},
                        {"orbital", first_orbital(sets[static_cast<std::size_t>(place - 1)])}});
      },
      unavailable);
  const auto add_simple = [&](const char* name, const char* title, const char* help, const char* shortcut,
                              auto action) {
    add(
        name, title, help, "", shortcut, [this, action](Arguments) { action(*this); }, unavailable);
  };
  add_simple("orbital.next", "Next orbital", "One orbital up.", "Ctrl+Up",
             [](OrbitalsLab& lab) { lab.step_orbital(1); });
  add_simple("orbital.previous", "Previous orbital", "One orbital down.", "Ctrl+Down",
             [](OrbitalsLab& lab) { lab.step_orbital(-1); });
  add_simple("orbital.homo", "Go to the HOMO", "The highest occupied orbital.", "Ctrl+Shift+H",
             [](OrbitalsLab& lab) { lab.select_orbital("homo", lab.field_.spin); });
  add_simple("orbital.lumo", "Go to the LUMO", "The lowest unoccupied orbital.", "Ctrl+Shift+L",
             [](OrbitalsLab& lab) { lab.select_orbital("lumo", lab.field_.spin); });
}

void OrbitalsLab::add_field_commands() {
  const auto unavailable = [this] { return without_orbitals(); };
  std::string kinds;
  for (const auto& choice : science::field_schema().at("field").description.choices) {
    kinds += (kinds.empty() ? "" : " | ") + choice.key;
  }
  add(
      "field.show", "Show field", "Shows an orbital, a density or a superposition.", kinds, "",
      [this, kinds](Arguments arguments) {
        play(false);
        set_parameters(tr("Show field"), {{"field", argument(arguments, 0, kinds.c_str())}});
      },
      unavailable);
  add(
      "field.choose", "Choose field of the file",
      "Shows one of the fields of a cube file, by its place from 1.", "PLACE", "",
      [this](Arguments arguments) { choose_file_field(integer(argument(arguments, 0, "a place")) - 1); },
      [this] { return document_ && !document_->wavefunction ? without_field() : "Open a cube file first."; });
  add(
      "animation.play", "Play superposition", "Lets time run in a superposition of orbitals.", "", "",
      [this](Arguments) { play(true); }, unavailable, [this] { return playback_.playing(); },
      "animate movie time");
  // The key is taken from whatever has the keyboard only while something moves.
  add(
      "animation.stop", "Stop the superposition", "Stops the animation; Esc does it, too.", "", "Space",
      [this](Arguments) { play(false); },
      [this]() -> std::string { return playback_.playing() ? "" : "Nothing is playing."; }, nullptr, "pause");
}

void OrbitalsLab::add_view_commands() {
  const auto unavailable = [this] { return without_field(); };
  add(
      "isovalue.enclose", "Enclose a fraction",
      "Chooses the isovalue that encloses this fraction of the density.", "FRACTION", "",
      [this](Arguments arguments) {
        context_.commands.run("parameter.set",
                              std::vector<std::string>{"enclosed", argument(arguments, 0, "0 to 1")});
      },
      unavailable, nullptr, "isovalue threshold contour level");
  add(
      "slice.toggle", "Slice plane", "Shows or hides the slice plane with its contour lines.", "",
      "Ctrl+Shift+X",
      [this](Arguments) {
        context_.commands.run("parameter.set",
                              std::vector<std::string>{"slice", view_.slice ? "false" : "true"});
      },
      unavailable, [this] { return view_.slice; }, "cut section");
  add(
      "slice.move", "Move slice", "Moves the slice plane along its axis.", "FRACTION of the box", "",
      [this](Arguments arguments) {
        context_.commands.run("parameter.set",
                              std::vector<std::string>{"slice-position", argument(arguments, 0, "0 to 1")});
      },
      unavailable);
}

void OrbitalsLab::add_measure_commands() {
  add(
      "measure.atoms", "Measure atoms",
      "One atom's name, the distance of two, the angle of three, the dihedral of four; by their numbers.",
      "NUMBER [NUMBER [NUMBER [NUMBER]]]", "",
      [this](Arguments arguments) {
        std::vector<int> atoms;
        for (const auto& each : arguments) atoms.push_back(integer(each) - 1);
        measure(std::move(atoms));
      },
      [this] { return document_ ? "" : "Open a file first."; });
  add(
      "measure.clear", "End measuring",
      "Takes the marks of measured atoms away. Esc in the view does the same.", "", "",
      [this](Arguments) { measure({}); }, [this] { return measured_.empty() ? "Nothing is measured." : ""; });
}

void OrbitalsLab::add_frame_commands() {
  const auto unavailable = [this]() -> std::string {
    return document_ && !document_->frames.empty() ? "" : "Open a file with several geometries first.";
  };
  add(
      "frame.next", "Next frame", "The next geometry of the file.", "", "",
      [this](Arguments) { choose_frame(frame_ + 1); }, unavailable);
  add(
      "frame.previous", "Previous frame", "The geometry before.", "", "",
      [this](Arguments) { choose_frame(frame_ - 1); }, unavailable);
}

}  // namespace isolume::labs::orbitals
