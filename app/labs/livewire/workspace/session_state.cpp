#include "app/labs/livewire/workspace/session_state.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/labs/livewire/files/contour_formats.h"
#include "app/labs/livewire/views/session_view.h"
#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/contours/files.h"

namespace isolume::labs::livewire {
namespace {

using Json = nlohmann::json;

/// By place in the list: contours are numbered anew when they are read.
Json place_of_selected(const TracingModel& model) {
  const auto& all = model.contours().contours();
  const auto found =
      std::ranges::find_if(all, [&](const auto& each) { return model.selected() == each->id; });
  return found == all.end() ? Json() : Json(found - all.begin());
}

void go_to(TracingModel& model, const Json& state) {
  const auto& geometry = model.image()->volume.geometry;
  const auto cursor = state.value("cursor_mm", std::array<double, 3>{});
  Eigen::Vector3d place = geometry.index_at({cursor[0], cursor[1], cursor[2]});
  for (int i = 0; i < 3; ++i)
    place[i] = std::clamp(place[i], 0.0, geometry.dimensions[static_cast<std::size_t>(i)] - 1.0);
  if (place.allFinite()) model.set_cursor(geometry.position(place));
  const SessionView shown = session_view(state, geometry, model.contours());
  model.set_slice(shown.slice);
  if (const int label = state.value("label", 1); model.contours().label(label) != nullptr) {
    model.set_current_label(label);
  }
  if (shown.selected) model.select(*shown.selected);
}

/// Of five whole numbers: the axis, and the rectangle on slices along it.
void restore_region(Workspace& workspace, const Json& state) {
  const auto found = state.find("region");
  if (found == state.end()) return;
  const auto [axis, x, y, width, height] = found->get<std::array<int, 5>>();
  if (axis < 0 || axis > 2)
    throw Error(workbench::said(QObject::tr("The session's wire region has no axis.")));
  const auto plane = images::slice_plane(workspace.image().volume.geometry, {axis, 0});
  const bool fits =
      x >= 0 && y >= 0 && width > 0 && height > 0 && width <= plane.columns - x && height <= plane.rows - y;
  if (!fits) throw Error(workbench::said(QObject::tr("The session's wire region lies outside the image.")));
  workspace.set_wire_region({axis, {x, y, width, height}});
}

/// The axis, the slice, and the pixels one after another.
void restore_training(Workspace& workspace, const Json& state) {
  const auto found = state.find("trained_on");
  if (found == state.end()) return;
  TracedPath path{{found->at("axis").get<int>(), found->at("slice").get<int>()}, {}};
  const auto& size = workspace.image().volume.geometry.dimensions;
  const bool is_axis = path.slice.axis >= 0 && path.slice.axis < 3;
  if (!is_axis || path.slice.index < 0 || path.slice.index >= size[static_cast<std::size_t>(path.slice.axis)])
    throw Error(workbench::said(
        QObject::tr("The path on which the session's wire was trained lies outside the image.")));
  // Those beyond the slice, where strokes by hand can lead, teach nothing (Training::learn).
  for (const auto& [x, y] : found->at("pixels").get<std::vector<std::array<int, 2>>>())
    path.pixels.push_back({x, y});
  workspace.train_on(std::move(path));
}

/// The contour that was being traced, or none.
void restore_draft(Workspace& workspace, const Json& state) {
  if (const auto draft = state.find("draft"); draft != state.end()) {
    workspace.run("livewire.draft", draft->get<std::vector<std::string>>());
  } else if (workspace.tool().tracing()) {
    workspace.tool().escape();
  }
}

}  // namespace

/// All but the contours. A damaged part does not keep the others from being restored; its error is thrown at the end.
void restore_work(Workspace& workspace, const Json& state) {
  std::exception_ptr first_error;
  const auto restore = [&](const auto& part) {
    try {
      part();
    } catch (...) {
      if (!first_error) first_error = std::current_exception();
    }
  };
  restore([&] { go_to(workspace.model(), state); });
  restore([&] { restore_region(workspace, state); });
  restore([&] { restore_training(workspace, state); });
  restore([&] { restore_draft(workspace, state); });
  if (first_error) std::rethrow_exception(first_error);
}

Json work_state(const Workspace& workspace) {
  const TracingModel& model = workspace.model();
  const Eigen::Vector3d cursor = model.cursor_mm();
  Json state{{"axis", model.slice().axis},
             {"slice", model.slice().index},
             {"label", model.current_label()},
             {"cursor_mm", {cursor[0], cursor[1], cursor[2]}}};
  if (workspace.tool().tracing()) state["draft"] = draft_arguments(workspace.tool().tracer().draft());
  return state;
}

std::function<Json()> session_state(const Workspace& workspace) {
  const TracingModel& model = workspace.model();
  const auto image = model.image();
  Json state = work_state(workspace);
  state["selected"] = place_of_selected(model);
  state["series_uid"] = image->dicom ? image->dicom->series_uid : std::string();
  if (const auto& [axis, pixels] = workspace.wire_region(); !pixels.empty())
    state["region"] = {axis, pixels.x, pixels.y, pixels.width, pixels.height};
  if (const auto& path = workspace.trained_on()) {
    auto& pixels =
        (state["trained_on"] = {{"axis", path->slice.axis}, {"slice", path->slice.index}})["pixels"] =
            Json::array();
    for (const auto& pixel : path->pixels) pixels.push_back({pixel.x, pixel.y});
  }
  return [state = std::move(state), image, set = model.contours()]() mutable {
    state["contours"] = contours::to_json(set, reference_of(*image));
    return state;
  };
}

void restore_session(Workspace& workspace, const Json& state) {
  if (!state.contains("contours")) return restore_work(workspace, state);
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Restore the session's contours")), "livewire.session",
      [&workspace, state, image = workspace.model().image()](const jobs::Progress&) {
        const auto session = contours::contours_of_text(state.at("contours").dump(), "the session");
        if (session.image.geometry.dimensions != image->volume.geometry.dimensions) {
          throw Error(workbench::said(
              QObject::tr("The session's contours belong to an image of another size. They are left out.")));
        }
        workspace.later([&workspace, state, image, set = session.set, remarks = session.remarks] {
          if (image != workspace.model().image()) return;
          workspace.model().change(QObject::tr("Open session"), set, 0,
                                   remarks.empty() ? std::nullopt : std::optional(remarks));
          restore_work(workspace, state);
        });
      });
}

}  // namespace isolume::labs::livewire
