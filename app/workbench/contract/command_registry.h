#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/commands/registry.h"

namespace isolume::workbench {

using commands::Arguments;
using commands::Command;

/// Arguments of a command that the palette offers.
struct Offer {
  std::string arguments;  ///< as on a command line: "dark", "field spin-density"
  std::string title;      ///< of the command with these: "Theme: Dark"
  std::string detail;     ///< shown after the title: a parameter's value, a file's folder; may be empty
  std::string help;       ///< one line; empty: the command's own
  bool matters = true;    ///< false for a parameter that depends on another one
};

/// Properties of a command that only a window needs.
struct WindowPart {
  std::string shortcut = {};  ///< "Ctrl+O"; empty for none
  /// "Backspace": a key that the lab's view handles while it has the focus. Menus and lists of keys show it.
  std::string key_in_view = {};
  /// Whether menus show a check mark; null for commands that are not a switch.
  std::function<bool()> checked = nullptr;
  /// The command line that runs instead while the command is checked, as pause for play.
  std::string unticked_by = {};
  /// Whether it takes its key now; null: always. Otherwise the widget with the keyboard focus gets the key.
  std::function<bool()> takes_key = nullptr;
  /// Null if the choices of its first argument suffice, or if nothing can be offered.
  std::function<std::vector<Offer>()> offers = nullptr;
  /// Why users cannot run it now though scripts can (its lab is not shown), or empty. May be null.
  std::function<std::string()> out_of_reach = nullptr;
};

/// The actions of one document for the commands of its lab, which all documents of the lab share.
struct Binding {
  commands::Action run;
  std::function<std::string()> unavailable;
  WindowPart part;
};
using Bindings = std::map<std::string, Binding, std::less<>>;

/// The commands of a window: menus, keys, the palette, scripts and GUI tests all call them here.
class CommandRegistry : public commands::Registry {
 public:
  using Registry::Registry;

  /// As in Registry; repeated declarations for another document of a lab are ignored.
  void declare(std::vector<commands::Declaration> declarations);
  void bind(std::string_view name, commands::Action run, std::function<std::string()> unavailable = nullptr,
            WindowPart part = {});
  /// Assigns the commands that `make` declares and binds to the lab, and stores them in `bindings`; they do
  /// nothing before `use`. Keys come from the lab's first document.
  void collect(const std::string& lab, Bindings& bindings, const std::function<void()>& make);
  /// From now on the commands act on the document of these bindings, which must outlive this use.
  void use(const Bindings& bindings);
  void set_out_of_reach(std::string_view name, std::function<std::string()> why);

  const WindowPart& part(std::string_view name) const;
  /// Why the user cannot run it now, or empty.
  std::string why_unavailable(const Command& command) const;

 private:
  const Binding& used(const std::string& name) const { return *used_.at(name); }
  void forward(const std::string& name, const WindowPart& part);

  std::map<std::string, WindowPart, std::less<>> parts_;
  std::map<std::string, std::string, std::less<>> labs_;  ///< by name of command
  std::map<std::string, const Binding*> used_;
  std::string collecting_lab_;
  Bindings* collecting_ = nullptr;
};

}  // namespace isolume::workbench
