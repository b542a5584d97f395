// contour.*: changing what was traced.
#include <fmt/format.h>

#include "app/labs/livewire/commands.h"
#include "app/labs/livewire/workspace.h"
#include "app/workbench/command_registry.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {
namespace {

using contours::Contour;

/// The selected contour, locked or not, changed by `change`, as one undo entry.
void mark_selected(Workspace& workspace, const QString& text, const std::function<void(Contour&)>& change) {
  Contour contour = workspace.selected();
  change(contour);
  contours::ContourSet next = workspace.model().contours();
  next.replace(std::move(contour));
  workspace.model().change(text, std::move(next));
}

/// The same, for what a lock keeps from being changed.
void change_selected(Workspace& workspace, const QString& text, const std::function<void(Contour&)>& change) {
  workspace.editor().editable(workspace.selected().id);
  mark_selected(workspace, text, change);
}

void select(Workspace& workspace, Arguments arguments) {
  const auto id = static_cast<std::uint64_t>(counted(arguments, 0, "a contour's number"));
  const Contour* contour = workspace.model().contours().find(id);
  if (contour == nullptr) throw Error(fmt::format("There is no contour {}.", id));
  workspace.model().set_slice(contour->slice);
  workspace.model().select(id);
}

void remove(Workspace& workspace) {
  const auto contour = workspace.editor().editable(workspace.selected().id);
  const QString text = QObject::tr("Delete %1").arg(QString::fromStdString(contour->name));
  contours::ContourSet next = workspace.model().contours();
  next.remove(contour->id);
  workspace.model().change(text, std::move(next));
}

std::size_t seed_number(Arguments arguments) {
  return static_cast<std::size_t>(counted(arguments, 0, "a seed's number")) - 1;
}

void insert_seed(Workspace& workspace, Arguments arguments) {
  const Eigen::Vector2d at(real(arguments, 0, "x in pixels"), real(arguments, 1, "y in pixels"));
  const Contour& contour = workspace.selected();
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < contour.pieces.size(); ++i) {
    for (const auto& point : contour.pieces[i].points) {
      if ((point - at).norm() >= least) continue;
      least = (point - at).norm();
      nearest = i;
    }
  }
  workspace.editor().insert_seed(contour.id, nearest, at);
}

void copy_by(Workspace& workspace, int step) {
  const Contour& contour = workspace.selected();
  workspace.editor().copy_to_slice(contour.id, contour.slice.index + step, workspace.snap_radius_px());
}

/// A contour that is named after its label gets the next number of the other one.
void give_label(Workspace& workspace, int value) {
  const auto& set = workspace.model().contours();
  const bool numbered = set.is_numbered(workspace.selected());
  change_selected(workspace, QObject::tr("Label"), [&](Contour& contour) {
    contour.label = value;
    if (numbered) contour.name = set.next_name(value);
  });
}

void combine(Workspace& workspace, const std::string& how) {
  if (how != "add" && how != "subtract") {
    throw Error(fmt::format("contour.combination takes add or subtract, not {}.", isolume::quoted(how)));
  }
  change_selected(workspace, QObject::tr("Combination"), [&](Contour& contour) {
    contour.combination = how == "add" ? contours::Combination::add : contours::Combination::subtract;
  });
}

}  // namespace

void add_contour_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto without_selection = [&workspace] { return workspace.without_selection(); };
  const auto add = [&](const char* name, const char* title, const char* help, const char* arguments,
                       const char* shortcut, std::function<void(Arguments)> run,
                       std::function<bool()> checked = nullptr) {
    commands.add(
        {name, title, help, arguments, shortcut, std::move(run), without_selection, std::move(checked)});
  };
  commands.add({.name = "contour.select",
                .title = "Select contour",
                .help = "Selects a contour by its number and goes to its slice.",
                .arguments = "NUMBER",
                .shortcut = "",
                .run = [&workspace](Arguments arguments) { select(workspace, arguments); },
                .unavailable = [&workspace] { return workspace.without_image(); }});
  add("contour.deselect", "Select nothing", "Ends the selection.", "", "",
      [&](Arguments) { workspace.model().select(std::nullopt); });
  add("contour.delete", "Delete contour", "Deletes the selected contour.", "", "Del",
      [&](Arguments) { remove(workspace); });
  add("contour.move-seed", "Move seed", "Moves a seed of the selected contour; the wires beside it follow.",
      "SEED X Y", "", [&](Arguments arguments) {
        workspace.editor().move_seed(workspace.selected().id, seed_number(arguments),
                                     {real(arguments, 1, "x in pixels"), real(arguments, 2, "y in pixels")});
      });
  add("contour.insert-seed", "Insert seed", "Puts a seed on the selected contour, where it comes nearest.",
      "X Y", "", [&](Arguments arguments) { insert_seed(workspace, arguments); });
  add("contour.delete-seed", "Delete seed", "Takes a seed out of the selected contour.", "SEED", "",
      [&](Arguments arguments) {
        workspace.editor().delete_seed(workspace.selected().id, seed_number(arguments));
      });
  add("contour.copy-to-next", "Copy to next slice",
      "Copies the selected contour to the next slice and snaps "
      "it to the edges there.",
      "", "N", [&](Arguments) { copy_by(workspace, 1); });
  add("contour.copy-to-previous", "Copy to previous slice",
      "Copies the selected contour to the slice before "
      "and snaps it to the edges there.",
      "", "P", [&](Arguments) { copy_by(workspace, -1); });
  add("contour.resnap", "Snap to edges",
      "Moves the selected contour's seeds to the strongest edges nearby and "
      "finds its wires anew.",
      "", "",
      [&](Arguments) { workspace.editor().resnap(workspace.selected().id, workspace.snap_radius_px()); });
  add("contour.move", "Move contour", "Moves the selected contour as a whole, in pixels.", "DX DY", "",
      [&](Arguments arguments) {
        const Eigen::Vector2d by(real(arguments, 0, "pixels across"), real(arguments, 1, "pixels down"));
        change_selected(workspace, QObject::tr("Move contour"), [&](Contour& contour) {
          contour = isolume::livewire::move_contour(std::move(contour), by);
        });
      });
  add(
      "contour.lock", "Lock contour", "Keeps the selected contour from being changed, or ends that.", "", "",
      [&](Arguments) {
        mark_selected(workspace, QObject::tr("Lock"), [](Contour& each) { each.locked = !each.locked; });
      },
      [&] { return workspace.model().selected() && workspace.selected().locked; });
  add(
      "contour.hide", "Hide contour", "Hides the selected contour, or shows it.", "", "",
      [&](Arguments) {
        mark_selected(workspace, QObject::tr("Hide"), [](Contour& each) { each.visible = !each.visible; });
      },
      [&] { return workspace.model().selected() && !workspace.selected().visible; });
  add("contour.rename", "Rename contour", "Gives the selected contour a name.", "NAME", "",
      [&](Arguments arguments) {
        change_selected(workspace, QObject::tr("Rename"),
                        [&](Contour& contour) { contour.name = rest(arguments, 0); });
      });
  add("contour.colour", "Colour of contour",
      "Gives the selected contour a colour of its own, or its label's again.", "#RRGGBB | label", "",
      [&](Arguments arguments) {
        const bool as_label = !arguments.empty() && arguments[0] == "label";
        const std::string colour = as_label ? std::string() : colour_argument(arguments, 0);
        mark_selected(workspace, QObject::tr("Colour"), [&](Contour& contour) { contour.colour = colour; });
      });
  add("contour.label", "Give a label", "Gives the selected contour to a label.", "LABEL", "",
      [&](Arguments arguments) {
        const int value = existing_label(workspace, arguments);
        give_label(workspace, value);
      });
  add("contour.combination", "Combine contour",
      "Whether the selected contour adds to its label or cuts out of "
      "it.",
      "add | subtract", "", [&](Arguments arguments) { combine(workspace, arguments[0]); });
}

}  // namespace isolume::labs::livewire
