#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/documents/hosted_lab.h"
#include "app/workbench/window/main_window.h"

namespace isolume::workbench {
namespace {

/// A document of the shown lab, by its number or name.
HostedDocument& found(MainWindow& window, const std::string& text) {
  const auto open = window.shown().open_documents();
  std::vector<std::string> names;
  for (HostedDocument* each : open) {
    names.push_back(each->caption().toStdString());
    if (text == names.back() || text == std::to_string(names.size())) return *each;
  }
  throw Error(said(QObject::tr("There is no document %1; the documents of the %2 lab are %3."),
                   isolume::quoted(text), window.shown().title().toStdString(),
                   fmt::format("{}", fmt::join(names, ", "))));
}

nlohmann::json list(const MainWindow& window) {
  auto all = nlohmann::json::array();
  for (const auto& hosted : window.labs()) {
    int number = 0;
    for (const HostedDocument* each : hosted->open_documents()) {
      all.push_back({{"lab", hosted->name()},
                     {"number", ++number},
                     {"name", each->caption().toStdString()},
                     {"path", each->where().string()},
                     {"front", each == hosted->front},
                     {"shown", each == &window.document()}});
    }
  }
  return all;
}

void step(MainWindow& window, int by) {
  const auto open = window.shown().open_documents();
  const auto count = std::ssize(open);
  const auto here = std::ranges::find(open, &window.document()) - open.begin();
  window.show_document(*open[static_cast<std::size_t>((here + by + count) % count)]);
}

std::vector<Offer> offers(MainWindow& window) {
  std::vector<Offer> all;
  int number = 0;
  for (const HostedDocument* each : window.shown().open_documents()) {
    ++number;
    if (each == &window.document()) continue;
    all.push_back({std::to_string(number),
                   said(QObject::tr("Show document: %1"), each->caption().toStdString()),
                   each->where().parent_path().string(),
                   {}});
  }
  return all;
}

}  // namespace

void add_document_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  const auto none = [&window] {
    return window.document().counts() ? std::string() : said(QObject::tr("Open a file first."));
  };
  const auto alone = [&window] {
    return window.shown().open_documents().size() > 1
               ? std::string()
               : said(QObject::tr("No other document is open in this lab."));
  };
  commands.bind("document.list", [&window](const Arguments&) { return list(window); });
  commands.bind("document.show",
                [&window](const Arguments& arguments) {
                  window.show_document(found(window, arguments.text("document")));
                },
                none, {.offers = [&window] { return offers(window); }});
  commands.bind("document.close",
                [&window](const Arguments& arguments) {
                  window.close_document(arguments.has("document") ? found(window, arguments.text("document"))
                                                                  : window.document());
                },
                none, {.shortcut = "Ctrl+W"});
  commands.bind("document.next", [&window](const Arguments&) { step(window, 1); }, alone,
                {.shortcut = "Ctrl+Tab"});
  commands.bind("document.previous", [&window](const Arguments&) { step(window, -1); }, alone,
                {.shortcut = "Ctrl+Shift+Tab"});
}

}  // namespace isolume::workbench
