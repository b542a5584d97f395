// livewire.contour.interpolate and livewire.suggestion.*: contours between contoured slices, to be accepted
// or rejected.
#include <algorithm>

#include "app/labs/livewire/tools/suggestions.h"
#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {
namespace {

using contours::Contour;

bool any(const TracingModel& model) {
  const auto& all = model.contours().contours();
  return std::any_of(all.begin(), all.end(), [](const auto& each) { return each->suggestion; });
}

/// The next one from the present slice on, and round again; selects it and goes there.
void go_to_next(TracingModel& model) {
  const Contour* next = nullptr;
  const auto distance = [&](const Contour& contour) {
    const int away = contour.slice.index - model.slice().index;
    return away >= 0 ? away : away + (1 << 20);
  };
  for (const auto& each : model.contours().contours()) {
    if (!each->suggestion || each->slice.axis != model.slice().axis || model.selected() == each->id) continue;
    if (next == nullptr || distance(*each) < distance(*next)) next = each.get();
  }
  if (next == nullptr) return;
  const std::uint64_t id = next->id;
  model.set_slice(next->slice);
  model.select(id);
}

const Contour& selected_suggestion(const Workspace& workspace) {
  const Contour& contour = workspace.selected();
  if (!contour.suggestion)
    throw Error(workbench::said(
        QObject::tr("The selected contour is not a suggestion. Go to one with livewire.suggestion.next.")));
  return contour;
}

void accept(Workspace& workspace) {
  Contour contour = selected_suggestion(workspace);
  contour.suggestion = false;
  contours::ContourSet next = workspace.model().contours();
  next.replace(std::move(contour));
  workspace.model().change(QObject::tr("Accept suggestion"), std::move(next));
  go_to_next(workspace.model());
}

void reject(Workspace& workspace) {
  contours::ContourSet next = workspace.model().contours();
  next.remove(selected_suggestion(workspace).id);
  workspace.model().change(QObject::tr("Reject suggestion"), std::move(next));
  go_to_next(workspace.model());
}

void accept_all(Workspace& workspace) {
  contours::ContourSet next = workspace.model().contours();
  for (const auto& each : workspace.model().contours().contours()) {
    if (!each->suggestion) continue;
    Contour contour = *each;
    contour.suggestion = false;
    next.replace(std::move(contour));
  }
  workspace.model().change(QObject::tr("Accept all suggestions"), std::move(next));
}

contours::ContourSet without_suggestions(const contours::ContourSet& set, int label) {
  contours::ContourSet rest = set;
  for (const auto& each : set.contours()) {
    if (each->suggestion && each->label == label) rest.remove(each->id);
  }
  return rest;
}

/// Of the current label along the shown slice's axis; earlier suggestions of it give way.
void interpolate(Workspace& workspace) {
  const int label = workspace.model().current_label();
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Interpolate")), "livewire.interpolate",
      [&workspace, set = without_suggestions(workspace.model().contours(), label), label,
       axis = workspace.model().slice().axis, problem = workspace.problem(),
       radius = workspace.snap_radius_px()](const jobs::Progress& progress) {
        const auto found = suggest(set, label, axis, problem, radius, progress);
        workspace.later([&workspace, label, found, image = problem.image] {
          if (image != workspace.model().image()) return;
          // What was traced in the meantime stays.
          contours::ContourSet next = without_suggestions(workspace.model().contours(), label);
          for (const auto& each : found) next.add(each);
          workspace.model().change(QObject::tr("Interpolate"), std::move(next));
          go_to_next(workspace.model());
        });
      });
}

}  // namespace

void add_suggestion_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto none = [&workspace] {
    return any(workspace.model()) ? std::string() : workbench::said(QObject::tr("There are no suggestions."));
  };
  const auto add = [&](const char* name, commands::Action run, const char* shortcut = "") {
    commands.bind(name, std::move(run), none, {.shortcut = shortcut});
  };
  commands.bind(
      "livewire.contour.interpolate", [&](const Arguments&) { interpolate(workspace); },
      [&] { return workspace.without_image(); }, {.shortcut = "Ctrl+I"});
  add("livewire.suggestion.next", [&](const Arguments&) { go_to_next(workspace.model()); });
  add(
      "livewire.suggestion.accept", [&](const Arguments&) { accept(workspace); }, "Y");
  add(
      "livewire.suggestion.reject", [&](const Arguments&) { reject(workspace); }, "X");
  add("livewire.suggestion.accept-all", [&](const Arguments&) { accept_all(workspace); });
}

}  // namespace isolume::labs::livewire
