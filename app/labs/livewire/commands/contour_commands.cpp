// livewire.contour.*: changing what was traced.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/contours/measures.h"

namespace isolume::labs::livewire {
namespace {

using contours::Contour;

constexpr std::array piece_kinds{"wire", "freehand", "straight"};  // as in PieceKind

/// "wire:1,2;1,3". Throws Error.
contours::Piece parse_piece(const std::string& text) {
  const auto refuse = [&text] {
    throw Error(workbench::said(
        QObject::tr("%1 is not a piece of a contour. Give its kind and points, e.g. wire:1,2;1,3."),
        isolume::quoted(text)));
  };
  const auto colon = std::min(text.find(':'), text.size());
  const auto kind = std::ranges::find(piece_kinds, text.substr(0, colon));
  if (kind == piece_kinds.end()) refuse();
  contours::Piece piece{static_cast<contours::PieceKind>(kind - piece_kinds.begin()), {}};
  const char* at = text.data() + colon;
  const char* const end = text.data() + text.size();
  while (at < end) {
    Eigen::Vector2d point;
    for (int i = 0; i < 2; ++i) {
      const auto [after, failed] = std::from_chars(at + 1, end, point[i]);
      const bool goes_on = i == 0 ? after < end && *after == ',' : after == end || *after == ';';
      if (failed != std::errc() || !std::isfinite(point[i]) || !goes_on) refuse();
      at = after;
    }
    piece.points.push_back(point);
  }
  if (piece.points.empty()) refuse();
  return piece;
}

images::SliceId parse_slice(const Workspace& workspace, const Arguments& arguments) {
  const int axis = std::stoi(arguments.text("axis"));
  const images::SliceId slice{axis, arguments.integer("slice") - 1};
  const int count = workspace.image().volume.geometry.dimensions[static_cast<std::size_t>(axis)];
  if (slice.index >= count)
    throw Error(
        workbench::said(QObject::tr("There is no slice %1: the image has %2."), slice.index + 1, count));
  return slice;
}

std::vector<contours::Piece> parse_pieces(const Arguments& arguments) {
  std::vector<contours::Piece> pieces;
  for (const std::string& each : arguments.texts("piece")) pieces.push_back(parse_piece(each));
  return pieces;
}

void require_joined(const Eigen::Vector2d& end, const Eigen::Vector2d& begin, std::size_t piece) {
  if (end != begin)
    throw Error(workbench::said(
        QObject::tr("Piece %1 does not begin where the previous one ends. Give connected pieces."), piece));
}

nlohmann::json to_json(const Contour& contour, const images::Geometry& geometry) {
  const auto measures = contours::measure(contour, geometry);
  return {{"number", contour.id},
          {"name", contour.name},
          {"axis", contour.slice.axis},
          {"slice", contour.slice.index + 1},
          {"label", contour.label},
          {"closed", contour.closed},
          {"length_mm", measures.length_mm},
          {"area_mm2", measures.area_mm2 ? nlohmann::json(*measures.area_mm2) : nlohmann::json()}};
}

nlohmann::json selected(const Workspace& workspace) {
  return to_json(workspace.selected(), workspace.image().volume.geometry);
}

nlohmann::json list(const Workspace& workspace) {
  auto all = nlohmann::json::array();
  for (const auto& each : workspace.model().contours().contours())
    all.push_back(to_json(*each, workspace.image().volume.geometry));
  return all;
}

void resume_draft(Workspace& workspace, const Arguments& arguments) {
  const images::SliceId slice = parse_slice(workspace, arguments);
  const Eigen::Vector2d seed(arguments.number("x"), arguments.number("y"));
  auto pieces = parse_pieces(arguments);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    require_joined(i == 0 ? seed : pieces[i - 1].points.back(), pieces[i].points.front(), i + 1);
  workspace.tool().resume(slice, seed, std::move(pieces));
}

void add_traced(Workspace& workspace, const Arguments& arguments) {
  Contour contour;
  contour.slice = parse_slice(workspace, arguments);
  contour.label = arguments.integer("label");
  contour.closed = arguments.text("end") == "closed";
  contour.pieces = parse_pieces(arguments);
  for (std::size_t i = 0; i < contour.pieces.size(); ++i) {
    const auto& points = contour.pieces[i].points;
    const bool last = i + 1 == contour.pieces.size();
    contour.seeds.push_back(points.front());
    if (last && !contour.closed) contour.seeds.push_back(points.back());
    const std::size_t follows = last ? 0 : i + 1;
    if (!last || contour.closed)
      require_joined(points.back(), contour.pieces[follows].points.front(), follows + 1);
  }
  workspace.tool().add(std::move(contour));
}

std::string piece_text(const contours::Piece& piece) {
  std::string word = piece_kinds[static_cast<std::size_t>(piece.kind)];
  for (const auto& point : piece.points)
    word += fmt::format("{}{},{}", &point == &piece.points.front() ? ':' : ';', point.x(), point.y());
  return word;
}

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

void select(Workspace& workspace, int number) {
  const auto id = static_cast<std::uint64_t>(number);
  const Contour* contour = workspace.model().contours().find(id);
  if (contour == nullptr) throw Error(workbench::said(QObject::tr("There is no contour %1."), id));
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

std::size_t seed_number(const Arguments& arguments) {
  return static_cast<std::size_t>(arguments.integer("seed")) - 1;
}

void insert_seed(Workspace& workspace, const Arguments& arguments) {
  const Eigen::Vector2d at(arguments.number("x"), arguments.number("y"));
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
  if (!arguments.has("to-y")) return workspace.editor().insert_seed(contour.id, nearest, at);
  workspace.editor().begin_drag_of_new_seed(contour.id, nearest, at);
  workspace.editor().drag_to({arguments.number("to-x"), arguments.number("to-y")});
  workspace.editor().end_drag();
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
  change_selected(workspace, QObject::tr("Combination"), [&](Contour& contour) {
    contour.combination = how == "add" ? contours::Combination::add : contours::Combination::subtract;
  });
}

}  // namespace

std::vector<std::string> trace_arguments(const contours::Contour& contour) {
  std::vector<std::string> words{std::to_string(contour.slice.axis), std::to_string(contour.slice.index + 1),
                                 std::to_string(contour.label), contour.closed ? "closed" : "open"};
  for (const auto& piece : contour.pieces) words.push_back(piece_text(piece));
  return words;
}

std::vector<std::string> draft_arguments(const isolume::livewire::Tracer::Draft& draft) {
  std::vector<std::string> words{std::to_string(draft.slice.axis), std::to_string(draft.slice.index + 1),
                                 parameters::to_text(draft.seeds.front().x()),
                                 parameters::to_text(draft.seeds.front().y())};
  for (const auto& piece : draft.pieces) words.push_back(piece_text(piece));
  return words;
}

void add_contour_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto without_image = [&workspace] { return workspace.without_image(); };
  const auto without_selection = [&workspace] { return workspace.without_selection(); };
  const auto add = [&](const char* name, commands::Action run, workbench::WindowPart part = {}) {
    commands.bind(name, std::move(run), without_selection, std::move(part));
  };
  commands.bind(
      "livewire.contour.select",
      [&](const Arguments& arguments) {
        select(workspace, arguments.integer("number"));
        return selected(workspace);
      },
      without_image);
  commands.bind(
      "livewire.contour.trace",
      [&](const Arguments& arguments) {
        add_traced(workspace, arguments);
        return selected(workspace);
      },
      without_image);
  commands.bind(
      "livewire.contour.list", [&](const Arguments&) { return list(workspace); }, without_image);
  commands.bind(
      "livewire.draft", [&](const Arguments& arguments) { resume_draft(workspace, arguments); },
      without_image);
  add("livewire.contour.deselect", [&](const Arguments&) { workspace.model().select(std::nullopt); });
  add("livewire.contour.delete", [&](const Arguments&) { remove(workspace); }, {.shortcut = "Del"});
  add("livewire.contour.move-seed", [&](const Arguments& arguments) {
    workspace.editor().move_seed(workspace.selected().id, seed_number(arguments),
                                 {arguments.number("x"), arguments.number("y")});
  });
  add("livewire.contour.insert-seed", [&](const Arguments& arguments) { insert_seed(workspace, arguments); });
  add("livewire.contour.delete-seed", [&](const Arguments& arguments) {
    workspace.editor().delete_seed(workspace.selected().id, seed_number(arguments));
  });
  add("livewire.contour.copy-to-next", [&](const Arguments&) { copy_by(workspace, 1); }, {.shortcut = "N"});
  add("livewire.contour.copy-to-previous", [&](const Arguments&) { copy_by(workspace, -1); },
      {.shortcut = "P"});
  add("livewire.contour.resnap", [&](const Arguments&) {
    workspace.editor().resnap(workspace.selected().id, workspace.snap_radius_px());
  });
  add("livewire.contour.move", [&](const Arguments& arguments) {
    const Eigen::Vector2d by(arguments.number("dx"), arguments.number("dy"));
    change_selected(workspace, QObject::tr("Move contour"), [&](Contour& contour) {
      contour = isolume::livewire::move_contour(std::move(contour), by);
    });
  });
  add("livewire.contour.lock",
      [&](const Arguments&) {
        mark_selected(workspace, QObject::tr("Lock"), [](Contour& each) { each.locked = !each.locked; });
      },
      {.checked = [&] { return workspace.model().selected() && workspace.selected().locked; }});
  add("livewire.contour.hide",
      [&](const Arguments&) {
        mark_selected(workspace, QObject::tr("Hide"), [](Contour& each) { each.visible = !each.visible; });
      },
      {.checked = [&] { return workspace.model().selected() && !workspace.selected().visible; }});
  add("livewire.contour.rename", [&](const Arguments& arguments) {
    change_selected(workspace, QObject::tr("Rename"),
                    [&](Contour& contour) { contour.name = arguments.text("name"); });
  });
  add("livewire.contour.colour", [&](const Arguments& arguments) {
    const std::string colour = arguments.text("colour");
    mark_selected(workspace, QObject::tr("Colour"),
                  [&](Contour& contour) { contour.colour = colour == "label" ? "" : colour; });
  });
  add("livewire.contour.label",
      [&](const Arguments& arguments) { give_label(workspace, existing_label(workspace, arguments)); });
  add("livewire.contour.combination",
      [&](const Arguments& arguments) { combine(workspace, arguments.text("how")); });
}

}  // namespace isolume::labs::livewire
