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

/// Arguments of a command that are worth offering to whoever looks for it by typing.
struct Offer {
  std::string arguments;  ///< as on a command line: "dark", "field spin-density"
  std::string title;      ///< of the command with these: "Theme: Dark"
  std::string detail;     ///< beside the title: a parameter's value, a file's folder; may be empty
  std::string help;       ///< one line; empty: the command's own
};

/// What only a window needs to know of a command.
struct WindowPart {
  std::string shortcut = {};  ///< "Ctrl+O"; empty for none
  /// Whether it is ticked in menus; null for commands that are no switch.
  std::function<bool()> checked = nullptr;
  /// The command line that runs in its place when it is chosen while it is ticked: what pauses, of what plays.
  std::string unticked_by = {};
  /// Whether it has its key now; null: always. Otherwise whatever has the keyboard gets the key.
  std::function<bool()> takes_key = nullptr;
  /// Null where the choices of its first argument say all, or where nothing can be foreseen.
  std::function<std::vector<Offer>()> offers = nullptr;
  /// Why people cannot run it now though scripts can (its lab is not shown), or empty. May be null.
  std::function<std::string()> out_of_reach = nullptr;
};

/// What one document does for the commands of its lab, which all documents of the lab share.
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

  /// As Registry's. What a lab declares again for another document is known already.
  void declare(std::vector<commands::Declaration> declarations);
  void bind(std::string_view name, commands::Action run, std::function<std::string()> unavailable = nullptr,
            WindowPart part = {});
  /// What `make` declares and binds is the lab's, and goes to `bindings`; the commands do nothing before
  /// `use`. Keys come from the lab's first document.
  void collect(const std::string& lab, Bindings& bindings, const std::function<void()>& make);
  /// From now on the commands act on the document whose bindings these are, which must outlive that.
  void use(const Bindings& bindings);
  void set_out_of_reach(std::string_view name, std::function<std::string()> why);

  const WindowPart& part(std::string_view name) const;
  /// Why a person cannot run it now, or empty.
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
