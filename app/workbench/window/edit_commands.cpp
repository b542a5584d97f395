#include <QClipboard>
#include <QGuiApplication>
#include <QPixmap>

#include "app/scene/view/view_widget.h"
#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/parameters/parameter_panel.h"
#include "app/workbench/parameters/value_text.h"
#include "app/workbench/window/main_window.h"
#include "core/parameters/relevance.h"

namespace isolume::workbench {
namespace {

void reset_parameters(MainWindow& window, const std::vector<std::string>& keys) {
  if (keys.empty()) window.history().reset_all();
  for (const std::string& key : keys) window.history().reset(key);
}

/// "Slice: Position", or the label alone if the group adds nothing.
std::string title_of(const parameters::Description& description) {
  return description.group.empty() || description.group == description.label
             ? description.label
             : description.group + ": " + description.label;
}

/// Every parameter with its value.
std::vector<Offer> parameter_offers(MainWindow& window) {
  std::vector<Offer> offers;
  const parameters::ParameterSet& set = *window.lab().parameters();
  const auto descriptions = set.descriptions();
  const auto relevant = parameters::relevant_keys(set, descriptions);
  for (const parameters::Description& each : descriptions) {
    if (!something_to_choose(each)) continue;
    const parameters::Description shown = translated(each);
    offers.push_back({each.key, title_of(shown), value_for_people(shown, set.get(each.key)), shown.help,
                      relevant.contains(each.key)});
  }
  return offers;
}

/// Alternative values of choices and switches, if they matter now.
std::vector<Offer> value_offers(MainWindow& window) {
  std::vector<Offer> offers;
  const parameters::ParameterSet& set = *window.lab().parameters();
  const auto descriptions = set.descriptions();
  const auto relevant = parameters::relevant_keys(set, descriptions);
  for (const parameters::Description& each : descriptions) {
    if (!something_to_choose(each) || !relevant.contains(each.key)) continue;
    const parameters::Value now = set.get(each.key);
    const parameters::Description shown = translated(each);
    const auto offer = [&](const parameters::Value& value) {
      if (value == now) return;
      offers.push_back({each.key + " " + parameters::to_text(value),
                        shown.label + ": " + value_for_people(shown, value),
                        {},
                        shown.help});
    };
    for (const auto& choice : each.choices) offer(choice.key);
    if (each.kind == parameters::Kind::flag) offer(!std::get<bool>(now));
  }
  return offers;
}

std::vector<jobs::JobStatus> waited_for(MainWindow& window) {
  auto active = window.jobs().active();
  std::erase_if(active, [](const auto& job) { return job.waited == jobs::Waited::by_nobody; });
  return active;
}

/// Copies the lab's picture, with the elements of its page around the view, but nothing that follows the pointer.
void copy_image(MainWindow& window) {
  window.view().end_drafts();
  window.lab().show_previews(false);
  const QPixmap picture = window.page().grab();
  window.lab().show_previews(true);
  QGuiApplication::clipboard()->setPixmap(picture);
  window.show_status(QObject::tr("Copied: %1 × %2 pixels").arg(picture.width()).arg(picture.height()));
}

/// Stops animations and, with them, their jobs: a moving picture is what the user wants to stop.
void stop(MainWindow& window) {
  if (window.lab().moving()) return window.lab().stop_moving();
  for (const jobs::JobStatus& job : waited_for(window)) window.jobs().cancel(job.id);
}

}  // namespace

void add_edit_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  const auto no_parameters = [&window] {
    return window.lab().parameters() == nullptr ? said(QObject::tr("Open a file first.")) : std::string();
  };
  commands.bind("parameter.set",
                [&window](const Arguments& arguments) {
                  window.history().set_text(arguments.text("key"), arguments.text("value"));
                },
                no_parameters, {.offers = [&window] { return value_offers(window); }});
  commands.bind("parameter.show",
                [&window](const Arguments& arguments) { window.lead_to_parameter(arguments.text("key")); },
                no_parameters, {.offers = [&window] { return parameter_offers(window); }});
  commands.bind(
      "parameter.reset",
      [&window](const Arguments& arguments) { reset_parameters(window, arguments.texts("key")); },
      no_parameters);
  commands.bind(
      "edit.undo", [&window](const Arguments&) { window.undo_stack().undo(); },
      [&window] {
        return window.undo_stack().canUndo() ? std::string() : said(QObject::tr("There is nothing to undo."));
      },
      {.shortcut = "Ctrl+Z"});
  commands.bind(
      "edit.redo", [&window](const Arguments&) { window.undo_stack().redo(); },
      [&window] {
        return window.undo_stack().canRedo() ? std::string() : said(QObject::tr("There is nothing to redo."));
      },
      {.shortcut = "Ctrl+Shift+Z"});
  commands.bind(
      "edit.copy", [&window](const Arguments&) { copy_image(window); },
      [&window] { return window.has_document() ? std::string() : said(QObject::tr("Open a file first.")); },
      {.shortcut = "Ctrl+C"});
  commands.bind(
      "job.cancel", [&window](const Arguments&) { stop(window); },
      [&window] {
        const bool idle = waited_for(window).empty() && !window.lab().moving();
        return idle ? said(QObject::tr("Nothing is being computed.")) : std::string();
      },
      {.shortcut = "Esc"});
}

}  // namespace isolume::workbench
