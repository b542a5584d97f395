#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isolume::workbench {

/// Arguments of a command that are worth offering to whoever looks for it by typing.
struct Offer {
  std::string arguments;  ///< as on a command line: "dark", "field spin-density"
  std::string title;      ///< of the command with these: "Theme: Dark"
  std::string detail;     ///< beside the title: a parameter's value, a file's folder; may be empty
  std::string help;       ///< one line; empty: the command's own
};

/// One thing a person can do, by name. Menus, keys, the palette, macros and GUI tests all call it here.
struct Command {
  std::string name;   ///< "orbital.select"
  std::string title;  ///< for menus and the palette: "Select orbital..."
  std::string help;   ///< one line
  /// What it takes, for people: "homo | lumo+N | NUMBER"; empty for none. When it starts with "[" all
  /// arguments may be left out: the command then asks for them (a dialog) or does without.
  std::string arguments;
  std::string shortcut;  ///< "Ctrl+O"; empty for none
  std::function<void(std::span<const std::string> arguments)> run;
  /// Why it cannot run now ("Open a wavefunction first."), or empty when it can. May be null: always can.
  std::function<std::string()> unavailable = nullptr;
  /// Whether it is ticked in menus; null for commands that are no switch.
  std::function<bool()> checked = nullptr;
  std::string keywords = {};  ///< what people call it, too: "screenshot picture save"
  /// Null where `arguments` says all ("dark | light"), or where nothing can be foreseen.
  std::function<std::vector<Offer>()> offers = nullptr;

  bool needs_arguments() const { return !arguments.empty() && !arguments.starts_with('['); }
};

class CommandRegistry {
 public:
  /// Throws std::logic_error when the name is taken.
  void add(Command command);
  /// Removes all commands whose name starts with `prefix` (a lab that closes).
  void remove(std::string_view prefix);

  /// A further condition of a command, asked before its own `unavailable`.
  void restrict_to(std::string_view name, std::function<std::string()> unavailable);

  /// Null when there is none.
  const Command* find(std::string_view name) const;
  std::vector<const Command*> all() const;

  /// `orbital.select homo`, `file.open "a path with spaces.molden"`. Throws Error: unknown command (with the
  /// nearest names), unavailable (why), arguments missing or not wanted, or what the command itself throws.
  void run(std::string_view line) const;
  void run(std::string_view name, std::span<const std::string> arguments) const;

  /// Splits a line into words; double quotes and backslashes as in a shell. Throws Error for an open quote.
  static std::vector<std::string> split(std::string_view line);
  /// The word so that `split` gives it back: quoted where it must be.
  static std::string quote(std::string_view word);

 private:
  std::map<std::string, Command, std::less<>> commands_;
};

}  // namespace isolume::workbench
