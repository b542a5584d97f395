#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/workbench/contract/command_registry.h"

namespace isolume::workbench {

/// An entry of the palette: a command, or a command with arguments that it offers.
struct PaletteEntry {
  const Command* command = nullptr;
  std::string line;    ///< the command line to run
  std::string title;   ///< "Theme: Dark"
  std::string detail;  ///< keys, a parameter's value, a file's folder
  std::string help;
  bool offered = false;  ///< whether it has offered arguments
  bool available = true;
  bool matters = true;   ///< false for a parameter that depends on another one
  std::string lab = {};  ///< has to be shown first; empty: the shown one's or the workbench's
};

/// A lab that is not shown. Its commands are found, too, as declared: its documents may not exist yet.
struct HiddenLab {
  std::string name;   ///< "nbody"
  std::string title;  ///< "N-body"
  const std::vector<Command>& commands;
};

/// Every command with its offers; commands sorted by name, each followed by its offers. Those of hidden labs follow.
std::vector<PaletteEntry> palette_entries(const CommandRegistry& commands,
                                          const std::vector<HiddenLab>& hidden = {});

/// The entries that match the typed text, best first; without words, the commands that can run now first. Commands of
/// hidden labs follow those of the shown one that match as well, and precede those that cannot run.
/// Words count at the beginning of a word of the title, then of name and keywords, then of the help; only if
/// no entry has them all, letters that appear in order do. After a command's full name and a space, the rest
/// of the text is its arguments: then its matching offers are listed, and the line as typed.
std::vector<PaletteEntry> search_palette(const std::vector<PaletteEntry>& entries, std::string_view typed);

}  // namespace isolume::workbench
