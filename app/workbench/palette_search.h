#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/workbench/command_registry.h"

namespace isolume::workbench {

/// What the palette lists: a command, or a command with arguments that it offers.
struct PaletteEntry {
  const Command* command = nullptr;
  std::string line;    ///< to be run
  std::string title;   ///< "Theme: Dark"
  std::string detail;  ///< keys, a parameter's value, a file's folder
  std::string help;
  bool offered = false;  ///< with arguments
  bool available = true;
};

/// Every command and everything that commands offer; commands by name, each followed by its offers.
std::vector<PaletteEntry> palette_entries(const CommandRegistry& commands);

/// The entries that fit what was typed, best first; without words, the commands that can run now first.
/// Words count where they begin a word of the title, then of name and keywords, then of the help; only when
/// no entry has them all, letters that appear in order do. After a command's full name and a space, what was
/// typed stands for its arguments: then its offers fit, and the line as it was typed.
std::vector<PaletteEntry> search_palette(const std::vector<PaletteEntry>& entries, std::string_view typed);

}  // namespace isolume::workbench
