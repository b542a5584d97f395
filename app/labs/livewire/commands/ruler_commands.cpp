// livewire.measure.*: distances and angles.
#include <algorithm>
#include <cmath>

#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/base/number.h"
#include "core/contours/measures.h"

namespace isolume::labs::livewire {
namespace {

using contours::Ruler;
using contours::RulerKind;

nlohmann::json to_json(const Ruler& ruler, const images::Geometry& geometry) {
  const bool is_distance = ruler.kind == RulerKind::distance;
  auto points = nlohmann::json::array();
  for (const auto& point : ruler.points) points.push_back({point.x(), point.y()});
  return {{"number", ruler.id},
          {"kind", is_distance ? "distance" : "angle"},
          {"axis", ruler.slice.axis},
          {"slice", ruler.slice.index + 1},
          {"points_px", std::move(points)},
          {is_distance ? "length_mm" : "angle_degrees", contours::measure(ruler, geometry)}};
}

const Ruler& existing(const Workspace& workspace, const Arguments& arguments) {
  const auto& rulers = workspace.model().contours().rulers();
  if (rulers.empty()) throw Error(workbench::said(QObject::tr("Nothing has been measured.")));
  if (!arguments.has("number")) return rulers.back();
  const int number = arguments.integer("number");
  const Ruler* found = workspace.model().contours().find_ruler(static_cast<std::uint64_t>(number));
  if (found == nullptr)
    throw Error(workbench::said(QObject::tr("There is no distance or angle %1."), number));
  return *found;
}

/// All points, or none: then the next clicks give them.
nlohmann::json measure(Workspace& workspace, const Arguments& arguments, RulerKind kind) {
  const std::vector<std::string> words = arguments.texts("coordinate");
  if (words.empty()) {
    workspace.begin_ruler(kind);
    return {};
  }
  std::vector<double> numbers;
  for (const auto& word : words) numbers.push_back(parse_number<double>(word).value_or(NAN));
  const std::size_t wanted = 2 * contours::points_of(kind);
  if (numbers.size() != wanted ||
      !std::ranges::all_of(numbers, [](double each) { return std::isfinite(each); })) {
    throw Error(
        workbench::said(QObject::tr("Give %1 numbers, x and y of each point in pixels, or none to click the "
                                    "points."),
                        wanted));
  }
  Ruler ruler{.id = 0, .kind = kind, .slice = workspace.model().slice(), .points = {}};
  for (std::size_t i = 0; i < numbers.size(); i += 2) ruler.points.emplace_back(numbers[i], numbers[i + 1]);
  workspace.ruler().cancel();
  const auto id = workspace.ruler().add(std::move(ruler));
  return to_json(*workspace.model().contours().find_ruler(id), workspace.image().volume.geometry);
}

void move_point(Workspace& workspace, const Arguments& arguments) {
  const Ruler& ruler = existing(workspace, arguments);
  const int point = arguments.integer("point");
  if (point > static_cast<int>(ruler.points.size()))
    throw Error(workbench::said(QObject::tr("It has %1 points."), ruler.points.size()));
  workspace.ruler().move_point(ruler.id, static_cast<std::size_t>(point - 1),
                               {arguments.number("x"), arguments.number("y")});
}

}  // namespace

void add_ruler_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto without_image = [&workspace] { return workspace.without_image(); };
  const auto without_ruler = [&workspace]() -> std::string {
    if (auto why = workspace.without_image(); !why.empty()) return why;
    if (!workspace.model().contours().rulers().empty()) return {};
    return workbench::said(QObject::tr("Nothing has been measured."));
  };
  commands.bind(
      "livewire.measure.distance",
      [&](const Arguments& arguments) { return measure(workspace, arguments, RulerKind::distance); },
      without_image, {.shortcut = "D"});
  commands.bind("livewire.measure.angle",
                [&](const Arguments& arguments) { return measure(workspace, arguments, RulerKind::angle); },
                without_image, {.shortcut = "A"});
  commands.bind(
      "livewire.measure.cancel",
      [&](const Arguments&) {
        workspace.ruler().cancel();
        workspace.show_selected();
      },
      [&workspace] {
        return workspace.ruler().measuring() ? std::string()
                                             : workbench::said(QObject::tr("Nothing is being measured."));
      });
  commands.bind(
      "livewire.measure.move", [&](const Arguments& arguments) { move_point(workspace, arguments); },
      without_ruler);
  commands.bind(
      "livewire.measure.delete",
      [&](const Arguments& arguments) { workspace.ruler().remove(existing(workspace, arguments).id); },
      without_ruler);
  commands.bind(
      "livewire.measure.list",
      [&](const Arguments&) {
        auto all = nlohmann::json::array();
        for (const auto& each : workspace.model().contours().rulers())
          all.push_back(to_json(each, workspace.image().volume.geometry));
        return all;
      },
      without_image);
}

}  // namespace isolume::labs::livewire
