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
  bool is_repeatable = false;  ///< takes all remaining words, at least one unless it is optional
  bool is_path = false;        ///< a text that names a file or folder
  bool is_asked_for = false;   ///< if it is left out, a dialog asks the user, and the command runs again
  std::optional<parameters::Value> fallback;  ///< value of an optional argument that was left out
  std::string form;  ///< for people, in the place of the name: "WIDTHxHEIGHT", "homo|lumo+1|NUMBER"

  Argument&& unit(std::string text) && { return description.unit = std::move(text), std::move(*this); }
  /// The heading of this option in a list of options.
  Argument&& group(std::string text) && { return description.group = std::move(text), std::move(*this); }
  Argument&& shown_as(std::string text) && { return form = std::move(text), std::move(*this); }
  Argument&& optional() && { return is_optional = true, std::move(*this); }
  /// Makes it optional, with this default.
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

/// Default limits of whole numbers.
inline constexpr double most_whole = 1e9;

Argument number(std::string name, std::string help);
Argument integer(std::string name, std::string help);
/// A whole number from 1 on, as users count slices, seeds or atoms.
Argument counted(std::string name, std::string help);
Argument choice(std::string name, std::string help, std::vector<std::string> keys);
Argument text(std::string name, std::string help);
Argument path(std::string name, std::string help);
/// "#rrggbb", or the word `or_else` where it is not empty.
Argument colour(std::string name, std::string help, std::string or_else = {});

/// Properties of a command that are known wherever it can be named, even where it cannot run: its arguments,
/// and its texts for users. The name's prefix is its owner: "orbitals.slice.move" belongs to a lab,
/// "file.open" to the workbench.
struct Declaration {
  std::string name;
  std::string title;  ///< for menus and the palette: "Select orbital..."
  std::string help;   ///< one line
  std::vector<Argument> arguments = {};
  /// Its group in the lab's menu, as a key ("recording"); empty: the middle of the name, "slice" of livewire.slice.next.
  /// "label/2": the second section of the submenu "label", divided from the others by a line.
  std::string menu = {};
  std::string keywords = {};  ///< what people call it, too: "screenshot picture save"
  /// Whether a recorder records it. False for commands that another one represents in a script (the contour
  /// represents its seeds), and for queries.
  bool recorded = true;
  /// The JSON result for scripts: "the contour: number, name, length_mm"; empty: none.
  std::string result = {};

  /// "PATH [LABEL]", "axial|coronal|sagittal [NUMBER]"; empty for none.
  std::string usage() const;
  bool needs_arguments() const {
    return std::ranges::any_of(arguments, [](const Argument& each) { return !each.is_optional; });
  }
};

/// {"name", "title", "help", "result" (of commands with a result), "arguments": [{"name", "type", "unit",
/// "range", "choices", "form", "help", "optional", "repeatable", "default"}]}. An open end of "range" is
/// null; "type" is "flag", "integer", "number", "text", "choice", "path" or "colour".
nlohmann::ordered_json to_json(const Declaration& declaration);
/// The part for one argument.
nlohmann::ordered_json to_json(const Argument& argument);

}  // namespace isolume::commands
