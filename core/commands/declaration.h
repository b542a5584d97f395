#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/parameters/description.h"

namespace isolume::commands {

/// One argument of a command, described as a parameter is: `description.key` is its name. Made by `number`,
/// `integer`, `choice`, `text`, `path` ..., refined by chaining:
///   number("fraction", "Where along its axis.").range(0, 1)
struct Argument {
  parameters::Description description;
  bool is_optional = false;
  bool is_repeatable = false;  ///< takes all words that are left, one at least unless it is optional
  bool is_path = false;        ///< a text that names a file or folder
  bool is_asked_for = false;   ///< where it is left out, a dialog asks a person, and the command is run again
  std::optional<parameters::Value> fallback;  ///< of an optional one that was left out
  std::string form;  ///< for people, in the place of the name: "WIDTHxHEIGHT", "homo|lumo+1|NUMBER"

  Argument&& unit(std::string text) && { return description.unit = std::move(text), std::move(*this); }
  /// The heading below which a list of options tells of it.
  Argument&& group(std::string text) && { return description.group = std::move(text), std::move(*this); }
  Argument&& shown_as(std::string text) && { return form = std::move(text), std::move(*this); }
  Argument&& optional() && { return is_optional = true, std::move(*this); }
  /// Optional, with this value where it is left out.
  Argument&& optional(parameters::Value value) && {
    is_optional = true;
    fallback = std::move(value);
    return std::move(*this);
  }
  Argument&& asked_for() && { return is_optional = is_asked_for = true, std::move(*this); }
  Argument&& repeatable() && { return is_repeatable = true, std::move(*this); }
  Argument&& at_least(double low) && { return description.low = low, std::move(*this); }
  Argument&& range(double low, double high) && {
    description.low = low;
    description.high = high;
    return std::move(*this);
  }
};

/// Ends that whole numbers have in any case.
inline constexpr double most_whole = 1e9;

Argument number(std::string name, std::string help);
Argument integer(std::string name, std::string help);
/// A whole number from 1: slices, seeds, atoms as people count them.
Argument counted(std::string name, std::string help);
Argument choice(std::string name, std::string help, std::vector<std::string> keys);
Argument text(std::string name, std::string help);
Argument path(std::string name, std::string help);
/// "#rrggbb", or the word `or_else` where it is not empty.
Argument colour(std::string name, std::string help, std::string or_else = {});

/// What is known of a command wherever it can be named, also where it cannot run: its arguments, and the
/// words for people. Names are in the namespace of whose it is: "orbitals.slice.move" of a lab, "file.open"
/// of the workbench.
struct Declaration {
  std::string name;
  std::string title;  ///< for menus and the palette: "Select orbital..."
  std::string help;   ///< one line
  std::vector<Argument> arguments = {};
  std::string keywords = {};  ///< what people call it, too: "screenshot picture save"
  /// Whether a recorder writes it down. Not so of what another command stands for in a script (a contour's
  /// seeds: the contour), and of what only looks something up.
  bool recorded = true;
  /// What it answers as JSON, for scripts: "the contour: number, name, length_mm"; empty: nothing.
  std::string result = {};

  /// "PATH [LABEL]", "axial|coronal|sagittal [NUMBER]"; empty for none.
  std::string usage() const;
  bool needs_arguments() const {
    return std::ranges::any_of(arguments, [](const Argument& each) { return !each.is_optional; });
  }
};

/// {"name", "title", "help", "result" (of those that answer), "arguments": [{"name", "type", "unit", "range", "choices", "form", "help",
/// "optional", "repeatable", "default"}]}. "range" has null for an end that is open; "type" is "flag",
/// "integer", "number", "text", "choice", "path" or "colour".
nlohmann::ordered_json to_json(const Declaration& declaration);
/// The part of it that is one argument's.
nlohmann::ordered_json to_json(const Argument& argument);

}  // namespace isolume::commands
