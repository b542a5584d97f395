#include "core/flames/flame_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "core/base/atomic_file.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text_file.h"
#include "core/base/version.h"
#include "core/flames/variations.h"

namespace isolume::flames {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;
constexpr std::size_t most_flames = 10'000;
constexpr double largest = 1e9;
constexpr std::string_view remedy = "Export the flame again.";

/// Attributes that describe how another program renders, or who made the flame; the picture here does not depend on
/// them.
constexpr std::array metadata{"time",
                              "nick",
                              "url",
                              "notes",
                              "plugins",
                              "new_linear",
                              "interpolation",
                              "interpolation_type",
                              "palette_interpolation",
                              "palette_mode",
                              "temporal_samples",
                              "temporal_filter_type",
                              "temporal_filter_width",
                              "temporal_filter_exp",
                              "passes",
                              "ntemporal_samples",
                              "hue",
                              "curves",
                              "insert_palette",
                              "genebank",
                              "brood",
                              "parents",
                              "inheritance",
                              "submethod",
                              "batches"};

/// Reads the flames of one document.
class Reader {
 public:
  Reader(const std::string& text, std::filesystem::path path) : text_(text), path_(std::move(path)) {}

  FlameFile read();

 private:
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& problem) const {
    throw InputError(path_, line(node.offset_debug()), problem, remedy);
  }
  std::size_t line(std::ptrdiff_t offset) const {
    const auto end =
        text_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    return 1 + static_cast<std::size_t>(std::count(text_.begin(), end, '\n'));
  }

  std::vector<double> numbers(const pugi::xml_node& node, const pugi::xml_attribute& attribute) const;
  /// Sets the values if the attribute exists; `seen` gets its name.
  void read_numbers(const pugi::xml_node& node, const char* name, std::span<double* const> to);
  void read_number(const pugi::xml_node& node, const char* name, double& to, double low = -largest,
                   double high = largest);
  void read_affine(const pugi::xml_node& node, const char* name, Affine& to);

  Flame read_flame(const pugi::xml_node& node);
  Function read_function(const pugi::xml_node& node);
  void read_terms(const pugi::xml_node& node, Function& function);
  void read_palette(const pugi::xml_node& node, Palette& palette);
  void read_hexadecimal(const pugi::xml_node& node, std::string_view text, std::size_t digits,
                        Palette& palette) const;
  void add_symmetry(const pugi::xml_node& node, Flame& flame);
  void note_unread(const pugi::xml_node& node);

  const std::string& text_;
  std::filesystem::path path_;
  Remarks remarks_;
  std::set<std::string, std::less<>> seen_;  ///< attributes of the present element that are understood
  std::map<std::string, std::size_t> unknown_, ignored_, terms_3d_;
};

FlameFile Reader::read() {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(text_.data(), text_.size());
  if (!parsed)
    throw InputError(path_, line(parsed.offset), fmt::format("not valid XML ({})", parsed.description()),
                     remedy);
  FlameFile file;
  std::vector<pugi::xml_node> nodes;
  for (const auto& node : document.children()) {
    if (node.name() == std::string_view("flame")) nodes.push_back(node);
    for (const auto& child : node.children("flame")) nodes.push_back(child);
  }
  if (nodes.empty())
    throw InputError(path_, 0, "expected an element <flame>, found none", "Choose a .flame file.");
  if (nodes.size() > most_flames) throw InputError(path_, 0, "more than 10,000 flames", "Split the file.");
  for (const auto& node : nodes) file.flames.push_back(read_flame(node));
  for (const auto& [name, count] : unknown_) {
    remarks_.dropped(fmt::format("{} of {} was left out: there is no variation or attribute of this name.",
                                 isolume::quoted(name), counted(count, "element")),
                     count);
  }
  for (const auto& [name, count] : terms_3d_)
    remarks_.converted(fmt::format("\"{}\" was read as linear in {}.", name, counted(count, "function")),
                       count);
  if (!ignored_.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, count] : ignored_) names.push_back(name);
    remarks_.dropped(
        fmt::format("These attributes were left out, because the picture does not depend on them here: {}.",
                    first_names(names, names.size())),
        names.size());
  }
  file.remarks = std::move(remarks_);
  return file;
}

std::vector<double> Reader::numbers(const pugi::xml_node& node, const pugi::xml_attribute& attribute) const {
  std::vector<double> values;
  std::istringstream words(attribute.value());
  for (std::string word; words >> word;) {
    const auto value = parse_finite(word);
    if (!value || std::abs(*value) > largest)
      fail(node, fmt::format("{} of <{}>: expected numbers up to 1e9, found {}", attribute.name(),
                             node.name(), isolume::quoted(word)));
    values.push_back(*value);
  }
  return values;
}

void Reader::read_numbers(const pugi::xml_node& node, const char* name, std::span<double* const> to) {
  seen_.insert(name);
  const auto attribute = node.attribute(name);
  if (!attribute) return;
  const auto values = numbers(node, attribute);
  if (values.size() != to.size())
    fail(node, fmt::format("{} of <{}>: expected {}, found {}", name, node.name(),
                           counted(to.size(), "number"), values.size()));
  for (std::size_t i = 0; i < to.size(); ++i) *to[i] = values[i];
}

void Reader::read_number(const pugi::xml_node& node, const char* name, double& to, double low, double high) {
  read_numbers(node, name, std::array{&to});
  if (!(to >= low && to <= high))
    fail(node, fmt::format("{} of <{}>: expected a number from {} to {}, found {}", name, node.name(), low,
                           high, to));
}

void Reader::read_affine(const pugi::xml_node& node, const char* name, Affine& to) {
  read_numbers(node, name, std::array{&to.a, &to.d, &to.b, &to.e, &to.c, &to.f});
}

Flame Reader::read_flame(const pugi::xml_node& node) {
  seen_ = {"name", "version"};
  Flame flame{.name = node.attribute("name").value(), .palette = default_palette()};
  View& view = flame.view;
  double width = view.width, height = view.height;
  read_numbers(node, "size", std::array{&width, &height});
  constexpr double most_side = 32768;
  if (!(width >= 1 && width <= most_side && height >= 1 && height <= most_side))
    fail(node, fmt::format("size of <flame>: expected 1 to 32768 pixels, found {} x {}", width, height));
  view.width = static_cast<int>(width);
  view.height = static_cast<int>(height);
  read_numbers(node, "center", std::array{&view.x, &view.y});
  read_number(node, "scale", view.scale, 1e-6);
  read_number(node, "zoom", view.zoom, -30, 30);
  if (node.attribute("rotate")) read_number(node, "rotate", view.rotation);
  if (node.attribute("angle") && !node.attribute("rotate")) {  // Apophysis: radians, the other way round
    read_number(node, "angle", view.rotation);
    view.rotation *= -180 / 3.14159265358979323846;
  }
  seen_.insert({"rotate", "angle"});
  Tone& tone = flame.tone;
  read_number(node, "brightness", tone.brightness, 0);
  read_number(node, "gamma", tone.gamma, 0.01);
  read_number(node, "gamma_threshold", tone.gamma_threshold, 0);
  read_number(node, "vibrancy", tone.vibrancy);
  read_number(node, "estimator_radius", tone.estimator_radius, 0);
  read_number(node, "estimator_minimum", tone.estimator_minimum, 0);
  read_number(node, "estimator_curve", tone.estimator_curve, 0);
  read_numbers(node, "background", std::array{&tone.background[0], &tone.background[1], &tone.background[2]});
  read_number(node, "quality", flame.quality, 0);
  if (const auto power = node.attribute("highlight_power");
      power && numbers(node, power) != std::vector{-1.0})
    remarks_.dropped("highlight_power was left out: bright colours are cut off instead.");
  for (const char* name : {"supersample", "oversample", "filter", "filter_shape"}) {
    if (node.attribute(name)) ignored_[name] += 1;
  }
  seen_.insert({"highlight_power", "supersample", "oversample", "filter", "filter_shape", "palette"});
  note_unread(node);

  bool has_palette = false;
  for (const auto& child : node.children()) {
    const std::string_view name = child.name();
    if (name == "xform") {
      flame.functions.push_back(read_function(child));
    } else if (name == "finalxform") {
      if (flame.final_transform)
        remarks_.dropped("A second final transform was left out.");
      else
        flame.final_transform = read_function(child);
    } else if (name == "color" || name == "colors" || name == "palette") {
      read_palette(child, flame.palette);
      has_palette = true;
    } else if (name == "symmetry") {
      add_symmetry(child, flame);
    } else if (name == "edit") {
      remarks_.dropped("The history of edits was left out.");
    } else if (!name.empty()) {
      remarks_.dropped(fmt::format("An element <{}> was left out: it is not known.", isolume::quoted(name)));
    }
  }
  if (!has_palette)
    remarks_.assumed(
        node.attribute("palette")
            ? fmt::format("The flame names palette {} of another program; the default palette was taken.",
                          isolume::quoted(node.attribute("palette").value()))
            : std::string("The flame has no palette; the default palette was taken."));
  try {
    require_valid(flame);
  } catch (const Error& error) {
    fail(node, error.what());
  }
  return flame;
}

Function Reader::read_function(const pugi::xml_node& node) {
  const bool is_final = node.name() == std::string_view("finalxform");
  seen_ = {"name", "color", "symmetry", "animate", "plotmode", "chaos"};
  Function function{.name = node.attribute("name").value()};
  if (is_final) function.colour_speed = 0;  // without one, it does not change the colour
  read_number(node, "weight", function.weight, 0);
  if (const auto colour = node.attribute("color")) {
    const auto values = numbers(node, colour);
    if (values.empty() || values.size() > 2) fail(node, "color of <xform>: expected one or two numbers");
    function.colour = std::clamp(values[0], 0.0, 1.0);
    if (function.colour != values[0])
      remarks_.corrected(fmt::format("A colour of {} was moved into the palette, 0 to 1.", values[0]));
    if (values.size() == 2 && values[1] != 0)
      remarks_.dropped("A second colour coordinate was left out: palettes have one dimension.");
  }
  if (const auto symmetry = node.attribute("symmetry")) {  // older than color_speed and animate
    const auto values = numbers(node, symmetry);
    if (values.size() != 1 || std::abs(values[0]) > 1)
      fail(node, "symmetry of <xform>: expected a number from -1 to 1");
    function.colour_speed = (1 - values[0]) / 2;
    function.animated = values[0] <= 0;
  }
  read_number(node, "color_speed", function.colour_speed, -1, 1);
  if (const auto animate = node.attribute("animate"))
    function.animated = numbers(node, animate) != std::vector{0.0};
  read_number(node, "opacity", function.opacity, 0, 1);
  if (node.attribute("plotmode").value() == std::string_view("off")) function.opacity = 0;
  if (const auto chaos = node.attribute("chaos"); chaos) {
    const auto values = numbers(node, chaos);
    if (std::ranges::any_of(values, [](double value) { return value != 1; }))
      remarks_.dropped("\"chaos\" was left out: the next function does not depend on the last one.");
  }
  if (!node.attribute("coefs")) fail(node, fmt::format("<{}> has no coefs", node.name()));
  read_affine(node, "coefs", function.affine);
  read_affine(node, "post", function.post);
  read_terms(node, function);
  note_unread(node);
  return function;
}

void Reader::read_terms(const pugi::xml_node& node, Function& function) {
  for (const auto& attribute : node.attributes()) {
    std::string_view name = attribute.name();
    const bool is_3d = name == "linear3D";
    const auto variation = find_variation(is_3d ? "linear" : name);
    if (!variation || seen_.contains(name)) continue;
    if (is_3d) terms_3d_[std::string(name)] += 1;
    seen_.insert(std::string(name));
    Term term = term_of(*variation, 0);
    read_number(node, attribute.name(), term.amount);
    for (std::size_t i = 0; i < info(*variation).parameters.size(); ++i) {
      const std::string key =
          fmt::format("{}_{}", info(*variation).name, info(*variation).parameters[i].name);
      read_number(node, key.c_str(), term.parameters[i]);
    }
    const auto same = std::ranges::find(function.terms, *variation, &Term::variation);
    if (same != function.terms.end()) {
      same->amount += term.amount;
    } else if (term.amount != 0) {
      function.terms.push_back(term);
    }
  }
  // Programs write the parameters of all variations, in use or not.
  for (const auto& each : variations()) {
    for (const auto& parameter : each.parameters)
      seen_.insert(fmt::format("{}_{}", each.name, parameter.name));
  }
}

void Reader::note_unread(const pugi::xml_node& node) {
  for (const auto& attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    if (seen_.contains(name)) continue;
    if (std::ranges::find(metadata, name) != metadata.end()) {
      ignored_[std::string(name)] += 1;
    } else {
      unknown_[std::string(name)] += 1;
    }
  }
}

void Reader::read_hexadecimal(const pugi::xml_node& node, std::string_view text, std::size_t digits,
                              Palette& palette) const {
  std::string hexadecimal;
  for (const char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
      hexadecimal += c;
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      fail(node, fmt::format("colours of the palette: expected hexadecimal digits, found {}",
                             isolume::quoted(std::string_view(&c, 1))));
    }
  }
  const std::size_t colours = hexadecimal.size() / digits;
  if (colours < 1 || hexadecimal.size() % digits != 0 || colours > palette_size)
    fail(node, fmt::format("colours of the palette: expected up to 256 x {} hexadecimal digits, found {}",
                           digits, hexadecimal.size()));
  for (std::size_t i = 0; i < palette_size; ++i) {
    // Of fewer than 256, each is repeated.
    const std::string_view entry =
        std::string_view(hexadecimal).substr(i * colours / palette_size * digits + digits - 6, 6);
    const auto value = static_cast<std::uint32_t>(std::stoul(std::string(entry), nullptr, 16));
    palette[i] = {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 255),
                  static_cast<std::uint8_t>(value & 255)};
  }
}

void Reader::read_palette(const pugi::xml_node& node, Palette& palette) {
  const std::string_view name = node.name();
  if (name == "palette") {
    const bool rgba = node.attribute("format").value() == std::string_view("RGBA");
    return read_hexadecimal(node, node.text().get(), rgba ? 8 : 6, palette);
  }
  if (name == "colors") return read_hexadecimal(node, node.attribute("data").value(), 8, palette);
  const auto index = numbers(node, node.attribute("index"));
  const auto values = numbers(node, node.attribute("rgb"));
  if (index.size() != 1 || index[0] < 0 || index[0] > palette_size - 1 || values.size() != 3 ||
      std::ranges::any_of(values, [](double value) { return value < 0 || value > 255; }))
    fail(node, "<color>: expected index=\"0 to 255\" and rgb=\"RED GREEN BLUE\", each 0 to 255");
  const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(std::lround(values[k])); };
  palette[static_cast<std::size_t>(index[0])] = {byte(0), byte(1), byte(2)};
}

/// kind n: n-1 rotations about the origin; kind -n: a reflection, too.
void Reader::add_symmetry(const pugi::xml_node& node, Flame& flame) {
  const auto kinds = numbers(node, node.attribute("kind"));
  const double most = most_functions;
  if (kinds.size() != 1 || std::abs(kinds[0]) > most || kinds[0] != std::trunc(kinds[0]))
    fail(node, "kind of <symmetry>: expected a whole number up to 128");
  const int kind = static_cast<int>(kinds[0]), order = std::abs(kind);
  const std::size_t before = flame.functions.size();
  const auto add = [&](const Affine& affine) {
    flame.functions.push_back({.weight = 1,
                               .colour = 1,
                               .colour_speed = 0,
                               .animated = false,
                               .affine = affine,
                               .terms = {Term{}}});
  };
  if (kind < 0) add({-1, 0, 0, 0, 1, 0});
  for (int i = 1; i < order; ++i) add(turned({}, 2 * 3.14159265358979323846 * i / order));
  remarks_.converted(fmt::format("The symmetry of kind {} was read as {}.", kind,
                                 counted(flame.functions.size() - before, "function")));
}

void add_numbers(pugi::xml_node& node, const char* name, std::initializer_list<double> values) {
  node.append_attribute(name) = fmt::format("{}", fmt::join(values, " ")).c_str();
}

void write_function(pugi::xml_node node, const Function& function, bool is_final) {
  if (!function.name.empty()) node.append_attribute("name") = function.name.c_str();
  if (!is_final) add_numbers(node, "weight", {function.weight});
  add_numbers(node, "color", {function.colour});
  add_numbers(node, "color_speed", {function.colour_speed});
  node.append_attribute("animate") = function.animated ? "1" : "0";
  for (const auto& term : function.terms) {
    const VariationInfo& variation = info(term.variation);
    add_numbers(node, std::string(variation.name).c_str(), {term.amount});
    for (std::size_t i = 0; i < variation.parameters.size(); ++i)
      add_numbers(node, fmt::format("{}_{}", variation.name, variation.parameters[i].name).c_str(),
                  {term.parameters[i]});
  }
  const auto add_affine = [&](const char* name, const Affine& m) {
    add_numbers(node, name, {m.a, m.d, m.b, m.e, m.c, m.f});
  };
  add_affine("coefs", function.affine);
  if (!function.post.is_identity()) add_affine("post", function.post);
  add_numbers(node, "opacity", {function.opacity});
}

void write_flame(pugi::xml_node node, const Flame& flame) {
  const auto& [name, functions, final_transform, palette, view, tone, quality] = flame;
  node.append_attribute("name") = name.c_str();
  node.append_attribute("version") = fmt::format("Isolume {}", version).c_str();
  add_numbers(node, "size", {static_cast<double>(view.width), static_cast<double>(view.height)});
  add_numbers(node, "center", {view.x, view.y});
  add_numbers(node, "scale", {view.scale});
  if (view.zoom != 0) add_numbers(node, "zoom", {view.zoom});
  add_numbers(node, "rotate", {view.rotation});
  add_numbers(node, "quality", {quality});
  add_numbers(node, "background", {tone.background[0], tone.background[1], tone.background[2]});
  add_numbers(node, "brightness", {tone.brightness});
  add_numbers(node, "gamma", {tone.gamma});
  add_numbers(node, "gamma_threshold", {tone.gamma_threshold});
  add_numbers(node, "vibrancy", {tone.vibrancy});
  add_numbers(node, "estimator_radius", {tone.estimator_radius});
  add_numbers(node, "estimator_minimum", {tone.estimator_minimum});
  add_numbers(node, "estimator_curve", {tone.estimator_curve});
  for (const auto& function : functions) write_function(node.append_child("xform"), function, false);
  if (final_transform) write_function(node.append_child("finalxform"), *final_transform, true);
  std::string colours;
  for (std::size_t i = 0; i < palette.size(); ++i)
    colours += fmt::format("{}{:02X}{:02X}{:02X}", i % 8 == 0 ? "\n      " : "", palette[i].red,
                           palette[i].green, palette[i].blue);
  auto written = node.append_child("palette");
  written.append_attribute("count") = palette_size;
  written.append_attribute("format") = "RGB";
  written.text() = (colours + "\n    ").c_str();
}

}  // namespace

FileFormats file_formats() {
  return {
      "Flames",
      {{.title = "Fractal flame", .suffixes = {".flame", ".flam3"}, .mime_type = "application/x-flame+xml"}}};
}

FlameFile parse_flames(const std::string& text, const std::filesystem::path& path) {
  return Reader(text, path).read();
}

FlameFile read_flames(const std::filesystem::path& path) {
  return parse_flames(read_text_file(path, most_bytes), path);
}

std::string flame_text(std::span<const Flame> flames) {
  pugi::xml_document document;
  auto root = document.append_child("flames");
  for (const auto& flame : flames) write_flame(root.append_child("flame"), flame);
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent | pugi::format_no_declaration);
  return text.str();
}

void write_flames(std::span<const Flame> flames, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.stream() << flame_text(flames);
  file.commit();
}

}  // namespace isolume::flames
