#include "core/flames/editing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/colour.h"
#include "core/flames/evolve.h"
#include "core/flames/flame_file.h"
#include "core/flames/variations.h"

namespace isolume::flames {
namespace {

using parameters::Choice;
using parameters::Field;
using parameters::Kind;
using parameters::Value;

/// A number that `at` refers to.
template <class At>
Field<Editing> real(std::string key, std::string label, At at) {
  Field<Editing> field;
  field.description.key = std::move(key);
  field.description.label = std::move(label);
  field.get = [at](const Editing& from) { return Value(at(const_cast<Editing&>(from))); };
  field.set = [at](Editing& to, const Value& value) { at(to) = std::get<double>(value); };
  return field;
}

std::vector<Choice> variation_choices() {
  std::vector<Choice> choices;
  for (const auto& each : variations()) choices.push_back({std::string(each.name), std::string(each.name)});
  return choices;
}

/// Names of the variations with at least this number of parameters.
std::vector<std::string> with_parameters(std::size_t count) {
  std::vector<std::string> names;
  for (const auto& each : variations()) {
    if (each.parameters.size() >= count) names.emplace_back(each.name);
  }
  return names;
}

/// Number `index` of the chosen variation's parameters; index -1: its amount.
Field<Editing> of_term(std::string key, std::string label, int index) {
  Field<Editing> field;
  field.description.key = std::move(key);
  field.description.label = std::move(label);
  const auto at = [index](Term& term) -> double& {
    return index < 0 ? term.amount : term.parameters[static_cast<std::size_t>(index)];
  };
  field.get = [at](const Editing& from) {
    Term term = from.term();
    return Value(at(term));
  };
  field.set = [at](Editing& to, const Value& value) {
    Term term = to.term();
    at(term) = std::get<double>(value);
    to.set_term(term);
  };
  return field;
}

Field<Editing> background() {
  Field<Editing> field;
  field.description.key = "background";
  field.description.label = "Background";
  field.description.kind = Kind::text;
  field.description.colour = true;
  field.get = [](const Editing& from) {
    const auto& [red, green, blue] = from.flame.tone.background;
    return Value(fmt::format("#{:02x}{:02x}{:02x}", std::lround(255 * red), std::lround(255 * green),
                             std::lround(255 * blue)));
  };
  field.set = [](Editing& to, const Value& value) {
    const auto [red, green, blue] = rgb_of(std::get<std::string>(value)).value();
    to.flame.tone.background = {red / 255.0, green / 255.0, blue / 255.0};
  };
  return field;
}

Field<Editing> animated() {
  Field<Editing> field;
  field.description.key = "animated";
  field.description.label = "Animated";
  field.description.kind = Kind::flag;
  field.get = [](const Editing& from) { return Value(from.chosen().animated); };
  field.set = [](Editing& to, const Value& value) { to.chosen().animated = std::get<bool>(value); };
  return field;
}

Field<Editing> palette() {
  auto field = parameters::field("palette", &Editing::palette, "Palette",
                                 {{"own", "From the file"},
                                  {"embers", "Embers"},
                                  {"ocean", "Ocean"},
                                  {"spectrum", "Spectrum"},
                                  {"forest", "Forest"},
                                  {"grey", "Grey"}});
  field.set = [store = field.set](Editing& to, const Value& value) {
    store(to, value);
    to.flame.palette = to.palette == PaletteChoice::own ? to.own_palette : made_palette(to.palette);
  };
  return field;
}

}  // namespace

Editing::Editing() = default;

Function& Editing::chosen() {
  if (function == 0 && flame.final_transform) return *flame.final_transform;
  const auto number =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(function, 1)), 1, flame.functions.size());
  return flame.functions[number - 1];
}

Term Editing::term() const {
  const auto& terms = chosen().terms;
  const auto found = std::ranges::find(terms, variation, &Term::variation);
  return found == terms.end() ? term_of(variation, 0) : *found;
}

void Editing::set_term(const Term& term) {
  auto& terms = chosen().terms;
  const auto found = std::ranges::find(terms, term.variation, &Term::variation);
  if (found != terms.end()) {
    *found = term;
  } else {
    terms.push_back(term);
  }
}

void set_flame(Editing& editing, Flame flame) {
  editing.flame = std::move(flame);
  editing.function = 1;
  editing.palette = PaletteChoice::own;
  editing.own_palette = editing.flame.palette;
  const auto& terms = editing.chosen().terms;
  editing.variation = terms.empty() ? Variation::linear : terms.front().variation;
}

Flame shown_flame(const Editing& editing) {
  return at_time(editing.flame, editing.second, editing.time);
}

nlohmann::json state_of(const Editing& editing) {
  Flame flame = editing.flame;
  flame.palette = editing.own_palette;
  nlohmann::json state{{"flame", flame_text({&flame, 1})}, {"time", editing.time}};
  if (editing.second) state["second"] = flame_text({&*editing.second, 1});
  return state;
}

void set_state(Editing& editing, const nlohmann::json& state) {
  const auto read = [&](const char* key) {
    return parse_flames(state.at(key).get<std::string>(), "session").flames.front();
  };
  Flame flame = read("flame");
  editing.own_palette = flame.palette;
  if (editing.palette != PaletteChoice::own) flame.palette = made_palette(editing.palette);
  editing.flame = std::move(flame);
  editing.second = state.contains("second") ? std::optional(read("second")) : std::nullopt;
  editing.time = std::clamp(state.at("time").get<double>(), 0.0, 1.0);
}

void add_function(Editing& editing) {
  Function added = editing.chosen();
  added.affine.c += 0.25;
  added.affine.f += 0.25;
  editing.flame.functions.push_back(std::move(added));
  editing.function = static_cast<int>(editing.flame.functions.size());
}

void delete_chosen(Editing& editing) {
  auto& functions = editing.flame.functions;
  if (editing.function == 0) {
    editing.flame.final_transform.reset();
  } else {
    functions.erase(functions.begin() + (editing.function - 1));
  }
  editing.function = std::max(1, std::min(editing.function, static_cast<int>(functions.size())));
}

void toggle_final_transform(Editing& editing) {
  if (std::exchange(editing.flame.final_transform, std::nullopt)) {
    editing.function = 1;
  } else {
    editing.flame.final_transform = Function{.colour_speed = 0, .terms = {Term{}}};
    editing.function = 0;
  }
}

void set_map(Editing& editing, int function, const Affine& map) {
  const int count = static_cast<int>(editing.flame.functions.size());
  if (function < 1 || function > count) {
    throw Error(
        fmt::format("There is no function {}: the flame has {}. Choose one of them.", function, count));
  }
  editing.function = function;
  editing.chosen().affine = map;
}

Palette made_palette(PaletteChoice choice) {
  if (choice == PaletteChoice::own || choice == PaletteChoice::embers) return default_palette();
  Palette palette;
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const double at = static_cast<double>(i) / (palette_size - 1);
    std::array<double, 3> colour{at, at, at};
    switch (choice) {
      case PaletteChoice::ocean:
        colour = {0.1 + 0.6 * at * at, 0.25 + 0.7 * at, 0.45 + 0.55 * std::sqrt(at)};
        break;
      case PaletteChoice::forest:
        colour = {0.2 + 0.75 * at * at, 0.3 + 0.6 * at, 0.15 + 0.25 * (1 - at)};
        break;
      case PaletteChoice::spectrum:
        for (std::size_t k = 0; k < 3; ++k) {
          const double phase = std::fmod(6 * at * 0.9 + 6 - 2 * static_cast<double>(k), 6.0);
          colour[k] = std::clamp(std::abs(phase - 3) - 1, 0.0, 1.0);
        }
        break;
      default:
        break;
    }
    const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(std::lround(255 * colour[k])); };
    palette[i] = {byte(0), byte(1), byte(2)};
  }
  return palette;
}

const parameters::Schema<Editing>& editing_schema() {
  using E = Editing;
  static const parameters::Schema<E> schema = [] {
    std::vector<Field<E>> all;
    const auto add = [&all](Field<E>&& field, const char* group) {
      all.push_back(std::move(field).group(group));
    };
    add(parameters::field("function", &E::function, "Function")
            .range(0, most_functions)
            .special(0, "Final transform")
            .help(
                "The function whose values are shown here; click its triangle in the picture to choose it."),
        "Function");
    add(real("weight", "Weight", [](E& e) -> double& { return e.chosen().weight; })
            .range(0, 1e9)
            .usual(0, 2)
            .help("Relative probability with which the function is applied."),
        "Function");
    add(real("colour", "Colour", [](E& e) -> double& { return e.chosen().colour; })
            .range(0, 1)
            .help("Position in the palette towards which the function moves the colour of points."),
        "Function");
    add(real("colour-speed", "Colour speed", [](E& e) -> double& { return e.chosen().colour_speed; })
            .range(-1, 1)
            .help("Part of the way that the colour of a point moves each time."),
        "Function");
    add(real("opacity", "Opacity", [](E& e) -> double& { return e.chosen().opacity; })
            .range(0, 1)
            .help("Probability that points of this function are plotted."),
        "Function");
    add(animated().help("Whether the function turns while the flame is played."), "Function");
    add(parameters::field("variation", &E::variation, "Variation", variation_choices())
            .help("The variation whose amount and parameters are shown below."),
        "Variation");
    add(of_term("amount", "Amount", -1)
            .range(-100, 100)
            .usual(-1.5, 1.5)
            .help("Factor of the variation in the sum of the function; 0 removes it."),
        "Variation");
    for (int i = 0; i < most_variation_parameters; ++i) {
      add(of_term(fmt::format("parameter-{}", i + 1), fmt::format("Parameter {}", i + 1), i)
              .range(-1e6, 1e6)
              .usual(-3, 3)
              .only_when("variation", with_parameters(static_cast<std::size_t>(i) + 1))
              .help(fmt::format("Parameter {} of the variation, in the order of the manual.", i + 1)),
          "Variation");
    }
    struct Coefficient {
      const char* key;
      const char* help;
      double Affine::*member;
    };
    const Coefficient coefficients[] = {
        {"a", "x' = a x + b y + c.", &Affine::a}, {"b", "x' = a x + b y + c.", &Affine::b},
        {"c", "x' = a x + b y + c.", &Affine::c}, {"d", "y' = d x + e y + f.", &Affine::d},
        {"e", "y' = d x + e y + f.", &Affine::e}, {"f", "y' = d x + e y + f.", &Affine::f}};
    for (const auto& each : coefficients) {
      add(real(fmt::format("map-{}", each.key), each.key,
               [member = each.member](E& e) -> double& { return e.chosen().affine.*member; })
              .range(-1e6, 1e6)
              .usual(-2, 2)
              .help(fmt::format("Coefficient of the affine map before the variations: {}", each.help)),
          "Affine map");
    }
    for (const auto& each : coefficients) {
      add(real(fmt::format("post-{}", each.key), each.key,
               [member = each.member](E& e) -> double& { return e.chosen().post.*member; })
              .range(-1e6, 1e6)
              .usual(-2, 2)
              .help(fmt::format("Coefficient of the affine map after the variations: {}", each.help)),
          "Post-affine map");
    }
    add(palette().help("Colours of the flame, from position 0 to 1."), "Picture");
    add(real("exposure", "Exposure", [](E& e) -> double& { return e.flame.tone.brightness; })
            .range(0.01, 1000)
            .usual(0.5, 40)
            .logarithmic()
            .help("Brightness: factor of the logarithm of the density."),
        "Picture");
    add(real("gamma", "Gamma", [](E& e) -> double& { return e.flame.tone.gamma; })
            .range(0.1, 20)
            .usual(1, 8)
            .help("Exponent 1/gamma of the brightness: higher values show fainter parts."),
        "Picture");
    add(real("gamma-threshold", "Gamma threshold",
             [](E& e) -> double& { return e.flame.tone.gamma_threshold; })
            .range(0, 1)
            .usual(0, 0.1)
            .help("Brightness below which the gamma curve is a line, which hides noise."),
        "Picture");
    add(real("vibrancy", "Vibrancy", [](E& e) -> double& { return e.flame.tone.vibrancy; })
            .range(0, 1)
            .help("1 applies gamma to the brightness and keeps colours; 0 applies it to each colour."),
        "Picture");
    add(real("estimator", "Density estimator", [](E& e) -> double& { return e.flame.tone.estimator_radius; })
            .unit("px")
            .range(0, 50)
            .usual(0, 12)
            .special(0, "Off")
            .help("Greatest radius of the kernel that smooths sparse parts of the picture."),
        "Picture");
    add(background().help("Colour behind the flame."), "Picture");
    add(real("centre-x", "Centre x", [](E& e) -> double& { return e.flame.view.x; })
            .range(-1e6, 1e6)
            .usual(-3, 3)
            .help("Point of the plane at the centre of the picture."),
        "View");
    add(real("centre-y", "Centre y", [](E& e) -> double& { return e.flame.view.y; })
            .range(-1e6, 1e6)
            .usual(-3, 3)
            .help("Point of the plane at the centre of the picture; y points down."),
        "View");
    add(real("scale", "Scale", [](E& e) -> double& { return e.flame.view.scale; })
            .range(1e-6, 1e9)
            .usual(20, 2000)
            .logarithmic()
            .help("Pixels per unit of length, for a picture of the size of the file."),
        "View");
    add(real("rotation", "Rotation", [](E& e) -> double& { return e.flame.view.rotation; })
            .unit("deg")
            .range(-360, 360)
            .help("Angle by which the picture is turned about its centre."),
        "View");
    add(parameters::field("triangles", &E::triangles, "Triangles")
            .help("Draws the affine maps as triangles, which can be dragged."),
        "View");
    add(real("quality", "Quality", [](E& e) -> double& { return e.flame.quality; })
            .range(0.1, 1e5)
            .usual(1, 1000)
            .logarithmic()
            .help("Points per pixel of a finished picture."),
        "Computation");
    return parameters::Schema<E>(std::move(all), dispatch::compute_schema());
  }();
  return schema;
}

void narrow(const Editing& editing, parameters::Description& description) {
  if (description.key == "function") {
    description.low = editing.flame.final_transform ? 0 : 1;
    description.high = static_cast<double>(editing.flame.functions.size());
    return;
  }
  if (!description.key.starts_with("parameter-")) return;
  const auto& known = info(editing.variation).parameters;
  const auto index = static_cast<std::size_t>(description.key.back() - '1');
  if (index < known.size()) {
    description.label = known[index].label;
    description.usual = parameters::Range{known[index].low, known[index].high};
  }
}

}  // namespace isolume::flames
