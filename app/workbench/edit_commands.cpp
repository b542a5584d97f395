#include <QClipboard>
#include <QGuiApplication>
#include <QPixmap>

#include "app/scene/view_widget.h"
#include "app/workbench/main_window.h"
#include "app/workbench/parameter_panel.h"
#include "app/workbench/window_command_parts.h"

namespace isolume::workbench {
namespace {

/// The words after the key, so that `parameter.set superposition homo:1, lumo:1` needs no quotes.
std::string joined(Arguments words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void set_parameter(MainWindow& window, Arguments arguments) {
  if (arguments.size() < 2)
    throw Error("parameter.set needs a key and a value, e.g. parameter.set isovalue 0.03");
  window.history().set_text(arguments[0], joined(arguments.subspan(1)));
}

void reset_parameter(MainWindow& window, Arguments arguments) {
  if (arguments.empty()) {
    window.history().reset_all();
  } else {
    for (const std::string& key : arguments) window.history().reset(key);
  }
}

/// "Slice: Position", or the label alone where the group says no more.
std::string title_of(const parameters::Description& description) {
  return description.group.empty() || description.group == description.label
             ? description.label
             : description.group + ": " + description.label;
}

/// Every parameter with its value.
std::vector<Offer> parameter_offers(MainWindow& window) {
  std::vector<Offer> offers;
  const parameters::ParameterSet& set = *window.lab().parameters();
  for (const parameters::Description& each : set.descriptions()) {
    if (!something_to_choose(each)) continue;
    offers.push_back({each.key, title_of(each), value_for_people(each, set.get(each.key)), each.help});
  }
  return offers;
}

/// What choices and switches can be set to other than they are, as far as it matters now.
std::vector<Offer> value_offers(MainWindow& window) {
  std::vector<Offer> offers;
  const parameters::ParameterSet& set = *window.lab().parameters();
  for (const parameters::Description& each : set.descriptions()) {
    if (!something_to_choose(each) || !parameters::relevant(each, set)) continue;
    const parameters::Value now = set.get(each.key);
    const auto offer = [&](const parameters::Value& value) {
      if (value == now) return;
      offers.push_back({each.key + " " + parameters::to_text(value),
                        each.label + ": " + value_for_people(each, value),
                        {},
                        each.help});
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

/// What the lab shows, with what its page has around the view.
void copy_image(MainWindow& window) {
  window.view().end_drafts();
  const QPixmap picture = window.page().grab();
  QGuiApplication::clipboard()->setPixmap(picture);
  window.show_status(QObject::tr("Copied: %1 × %2 pixels").arg(picture.width()).arg(picture.height()));
}

/// What moves by itself is what a person sees and wants to stop; its jobs end with it.
void stop(MainWindow& window) {
  if (window.lab().moving()) return window.lab().stop_moving();
  for (const jobs::JobStatus& job : waited_for(window)) window.jobs().cancel(job.id);
}

}  // namespace

void add_edit_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  const auto no_parameters = [&window] {
    return window.lab().parameters() == nullptr ? "Open a file first." : "";
  };
  commands.add({.name = "parameter.set",
                .title = "Set parameter",
                .help = "Gives a parameter a value, e.g. parameter.set isovalue 0.03.",
                .arguments = "KEY VALUE",
                .shortcut = "",
                .run = [&window](Arguments arguments) { set_parameter(window, arguments); },
                .unavailable = no_parameters,
                .offers = [&window] { return value_offers(window); }});
  commands.add({.name = "parameter.show",
                .title = "Go to parameter",
                .help = "Leads to a parameter in its panel, e.g. parameter.show opacity.",
                .arguments = "KEY",
                .shortcut = "",
                .run = [&window](Arguments arguments) { window.lead_to_parameter(arguments[0]); },
                .unavailable = no_parameters,
                .offers = [&window] { return parameter_offers(window); }});
  commands.add({.name = "parameter.reset",
                .title = "Reset parameters",
                .help = "Puts the named parameters, or all, back to their defaults.",
                .arguments = "[KEY...]",
                .shortcut = "",
                .run = [&window](Arguments arguments) { reset_parameter(window, arguments); },
                .unavailable = no_parameters,
                .keywords = "defaults restore"});
  commands.add(
      {.name = "edit.undo",
       .title = "Undo",
       .help = "Takes back the last change.",
       .arguments = "",
       .shortcut = "Ctrl+Z",
       .run = [&window](Arguments) { window.undo_stack().undo(); },
       .unavailable = [&window] { return window.undo_stack().canUndo() ? "" : "Nothing was changed yet."; },
       .keywords = "revert back"});
  commands.add(
      {.name = "edit.redo",
       .title = "Redo",
       .help = "Makes the change again that was taken back last.",
       .arguments = "",
       .shortcut = "Ctrl+Shift+Z",
       .run = [&window](Arguments) { window.undo_stack().redo(); },
       .unavailable = [&window] { return window.undo_stack().canRedo() ? "" : "Nothing was undone."; },
       .keywords = "repeat again"});
  commands.add({.name = "edit.copy",
                .title = "Copy image",
                .help = "Copies what is shown to the clipboard, at the size it is shown.",
                .arguments = "",
                .shortcut = "Ctrl+C",
                .run = [&window](Arguments) { copy_image(window); },
                .unavailable = [&window] { return window.has_document() ? "" : "Open a file first."; },
                .keywords = "clipboard picture screenshot"});
  commands.add({.name = "job.cancel",
                .title = "Stop",
                .help = "Stops what moves, or cancels the work under way; what is shown stays.",
                .arguments = "",
                .shortcut = "Esc",
                .run = [&window](Arguments) { stop(window); },
                .unavailable =
                    [&window] {
                      const bool idle = waited_for(window).empty() && !window.lab().moving();
                      return idle ? "Nothing is being computed." : "";
                    },
                .keywords = "cancel abort"});
}

}  // namespace isolume::workbench
