#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/commands/declaration.h"

namespace isolume::commands {

/// The words of a command line, split at blanks; double quotes and backslashes as in a shell. Throws Error
/// for an open quote.
std::vector<std::string> split(std::string_view line);
/// The word in a form that `split` returns unchanged: quoted if necessary.
std::string quote(std::string_view word);
/// A command line from a name and its words.
std::string line_of(std::string_view name, std::span<const std::string> words);

/// The arguments of a command, by the names of its declaration. Asking for a name that was not declared, or
/// for one that was left out and has no fallback, is a programming error: std::logic_error.
class Arguments {
 public:
  /// Assigns the words to the declared arguments in order. If several optional ones follow each other, each
  /// word goes to the first free one that accepts it. Throws Error that names the command and the expected
  /// words.
  Arguments(const Declaration& declaration, std::span<const std::string> words);

  bool has(std::string_view name) const { return values_.contains(name); }
  int integer(std::string_view name) const;
  /// For arguments whose range exceeds an int.
  std::int64_t large_integer(std::string_view name) const;
  double number(std::string_view name) const;
  /// Value of a text or a choice; for a repeatable one the words joined by blanks, so that names need no
  /// quotes.
  std::string text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::vector<int> integers(std::string_view name) const;

 private:
  const parameters::Value& value(std::string_view name) const;

  std::map<std::string, std::vector<parameters::Value>, std::less<>> values_;
};

}  // namespace isolume::commands
