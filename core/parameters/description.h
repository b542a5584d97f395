#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace isolume::parameters {

/// A parameter's value as panels, flags, files and undo see it. A choice is its key (a string).
using Value = std::variant<bool, std::int64_t, double, std::string>;

enum class Kind { flag, integer, real, text, choice };
enum class Scale { linear, logarithmic };

struct Choice {
  std::string key;    ///< as in flags and files: "spin-density"
  std::string label;  ///< for people: "Spin density"
  bool operator==(const Choice&) const = default;
};

/// A number that stands for something else than an amount: 0 threads are all of them.
struct SpecialValue {
  double value;
  std::string label;  ///< for people, in place of the number: "All of them"
  bool operator==(const SpecialValue&) const = default;
};

struct Range {
  double low;
  double high;
  bool operator==(const Range&) const = default;
};

/// A parameter matters only while another one has one of these values (as text: "true" for a flag).
struct Relevance {
  std::string key;  ///< empty: it always matters
  std::vector<std::string> values;
  bool operator==(const Relevance&) const = default;
};

/// Everything that a panel, a command line, a session file and the manual need to know of one parameter.
struct Description {
  std::string key;              ///< lower case with dashes: "isovalue"
  std::string former_key = {};  ///< key in sessions of earlier versions; mostly empty
  std::string label;            ///< "Isovalue"
  std::string unit;             ///< "bohr^-3/2"; empty for a pure number
  std::string help;             ///< one line
  std::string group;            ///< heading in the panel: "Surface"
  Kind kind = Kind::real;
  Scale scale = Scale::linear;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// Range of the slider, if the allowed range would make it too coarse; any allowed value can be typed.
  std::optional<Range> usual;
  std::vector<Choice> choices;
  std::vector<SpecialValue> special_values;  ///< of a number
  Value default_value;
  bool colour = false;  ///< text that holds "#rrggbb"
  Relevance relevant_when;
  bool operator==(const Description&) const = default;
};

/// The value as text, so that `parse` gives it back exactly.
std::string to_text(const Value& value);

/// Label of a number that is a special value; otherwise empty.
std::string special_label(const Description& description, const Value& value);

/// Reads text as a value of this parameter. Throws Error naming the parameter, the range or choices, and the
/// text.
Value parse(const Description& description, std::string_view text);

/// The value, converted to the parameter's kind, or Error when it is out of range, not finite, or not a
/// choice.
Value validated(const Description& description, const Value& value);

/// How many values this thread has validated so far, to measure what a change costs.
std::uint64_t validations();

/// "--method debye-hueckel, pb-linear or pb-nonlinear", "--slice": what meets the condition, on a command line.
std::string flags_of(const Relevance& condition);

/// "Only when field is orbital or orbital-density.", for help texts; empty when the parameter always matters.
std::string relevance_text(const Description& description);

}  // namespace isolume::parameters
