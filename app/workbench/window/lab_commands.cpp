#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/documents/hosted_lab.h"
#include "app/workbench/window/main_window.h"

namespace isolume::workbench {
namespace {

std::vector<Offer> lab_offers(const MainWindow& window) {
  std::vector<Offer> offers;
  for (const auto& hosted : window.labs())
    offers.push_back(
        {hosted->name(), QObject::tr("Show lab: %1").arg(hosted->title()).toStdString(), {}, {}});
  return offers;
}

}  // namespace

void add_lab_commands(MainWindow& window) {
  window.commands().bind("lab.show",
                         [&window](const Arguments& arguments) { window.show_lab(arguments.text("lab")); },
                         nullptr, {.offers = [&window] { return lab_offers(window); }});
}

}  // namespace isolume::workbench
