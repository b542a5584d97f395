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
  /// Null where the choices of its first argument say all, or where nothing can be foreseen.
  std::function<std::vector<Offer>()> offers = nullptr;
  /// Why people cannot run it now though scripts can (its lab is not shown), or empty. May be null.
  std::function<std::string()> out_of_reach = nullptr;
};

/// The commands of a window: menus, keys, the palette, scripts and GUI tests all call them here.
class CommandRegistry : public commands::Registry {
 public:
  using Registry::Registry;

  void bind(std::string_view name, commands::Action run, std::function<std::string()> unavailable = nullptr,
            WindowPart part = {});
  void set_out_of_reach(std::string_view name, std::function<std::string()> why);

  const WindowPart& part(std::string_view name) const;
  /// Why a person cannot run it now, or empty.
  std::string why_unavailable(const Command& command) const;

 private:
  std::map<std::string, WindowPart, std::less<>> parts_;
};

}  // namespace isolume::workbench
