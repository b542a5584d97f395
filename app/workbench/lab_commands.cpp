#include <fmt/format.h>

#include "app/workbench/hosted_lab.h"
#include "app/workbench/main_window.h"
#include "app/workbench/window_command_parts.h"

namespace isolume::workbench {

void add_lab_commands(MainWindow& window) {
  std::string names;
  for (const auto& hosted : window.labs()) names += (names.empty() ? "" : " | ") + hosted->entry.name;
  window.commands().add(
      {.name = "lab.show",
       .title = "Show lab",
       .help = "Goes to another lab; each keeps its document, its panels and its undo list.",
       .arguments = names,
       .shortcut = "",
       .run = [&window](Arguments arguments) { window.show_lab(arguments[0]); },
       .keywords = "switch"});
}

}  // namespace isolume::workbench
