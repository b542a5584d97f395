#include "app/labs/livewire/tools/contour_editor.h"

#include <QPointer>
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/labs/livewire/tools/tracing_model.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;
using contours::Contour;

namespace {

void check_seed(const Contour& contour, std::size_t seed) {
  if (seed >= contour.seeds.size()) {
    throw Error(workbench::said(QObject::tr("There is no seed %1: %2 has %3."), seed + 1, contour.name,
                                contour.seeds.size()));
  }
}

/// A new seed on the piece, then taken to where it is wanted.
Contour with_new_seed(Contour contour, std::size_t piece, const Eigen::Vector2d& at,
                      const Eigen::Vector2d& to, const science::FindWire& find) {
  Contour with = science::insert_seed(std::move(contour), piece, at);
  return science::move_seed(std::move(with), piece + 1, to, find);
}

}  // namespace

ContourEditor::ContourEditor(TracingModel& model, WireFinder& wires, OnGuiThread on_gui_thread)
    : model_(model), wires_(wires), on_gui_thread_(std::move(on_gui_thread)) {
  connect(&model_, &TracingModel::image_changed, this, [this] {
    waiting_.clear();
    running_ = false;
    drag_.reset();
  });
}

std::shared_ptr<const Contour> ContourEditor::editable(std::uint64_t id) const {
  for (const auto& each : model_.contours().contours()) {
    if (each->id != id) continue;
    if (each->locked)
      throw Error(workbench::said(QObject::tr("%1 is locked. Unlock it with livewire.contour.lock first."),
                                  each->name));
    if (model_.locked(*each)) {
      throw Error(workbench::said(
          QObject::tr("The label of %1 is locked. Unlock it with livewire.label.lock first."), each->name));
    }
    return each;
  }
  throw Error(workbench::said(QObject::tr("There is no contour %1."), id));
}

void ContourEditor::move_seed(std::uint64_t contour, std::size_t seed, const Eigen::Vector2d& to) {
  const auto before = editable(contour);
  check_seed(*before, seed);
  put({tr("Move seed"), contour, before->slice,
       [=](Contour now, const Ground&, const science::FindWire& find) {
         return science::move_seed(std::move(now), seed, to, find);
       }});
}

void ContourEditor::insert_seed(std::uint64_t contour, std::size_t piece, const Eigen::Vector2d& at) {
  put({tr("Insert seed"), contour, editable(contour)->slice,
       [=](Contour now, const Ground&, const science::FindWire&) {
         return science::insert_seed(std::move(now), piece, at);
       }});
}

void ContourEditor::delete_seed(std::uint64_t contour, std::size_t seed) {
  const auto before = editable(contour);
  check_seed(*before, seed);
  put({tr("Delete seed"), contour, before->slice,
       [=](Contour now, const Ground&, const science::FindWire& find) {
         return science::delete_seed(std::move(now), seed, find);
       }});
}

void ContourEditor::copy_to_slice(std::uint64_t contour, int index, double snap_radius_px) {
  const Contour* source = model_.contours().find(contour);
  if (source == nullptr) throw Error(workbench::said(QObject::tr("There is no contour %1."), contour));
  const images::SliceId slice{source->slice.axis, index};
  const int count = model_.image()->volume.geometry.dimensions[static_cast<std::size_t>(slice.axis)];
  if (index < 0 || index >= count)
    throw Error(workbench::said(QObject::tr("There is no slice %1."), index + 1));
  const bool numbered = model_.contours().is_numbered(*source);
  put({.text = tr("Copy to slice %1").arg(index + 1),
       .contour = contour,
       .slice = slice,
       .change =
           [=](Contour now, const Ground& ground, const science::FindWire& find) {
             if (numbered) now.name.clear();  // the copy gets the next number
             return science::copy_to_slice(std::move(now), slice, ground.features, snap_radius_px, find);
           },
       .adds = true});
}

void ContourEditor::resnap(std::uint64_t contour, double snap_radius_px) {
  put({tr("Snap to edges"), contour, editable(contour)->slice,
       [=](Contour now, const Ground& ground, const science::FindWire& find) {
         return science::resnap(std::move(now), ground.features, snap_radius_px, find);
       }});
}

void ContourEditor::begin_drag(std::uint64_t contour, std::size_t seed) {
  const auto before = editable(contour);
  check_seed(*before, seed);
  drag_ = Drag{.before = before, .seed = seed, .at = before->seeds[seed], .merge = ++drags_};
}

void ContourEditor::begin_drag_of_new_seed(std::uint64_t contour, std::size_t piece,
                                           const Eigen::Vector2d& at) {
  drag_ =
      Drag{.before = editable(contour), .seed = std::nullopt, .piece = piece, .at = at, .merge = ++drags_};
  drag_to(at);
}

void ContourEditor::drag_to(const Eigen::Vector2d& place) {
  if (!drag_) return;
  const QString text = drag_->seed ? tr("Move seed") : tr("Insert seed");
  put({.text = text,
       .contour = drag_->before->id,
       .slice = drag_->before->slice,
       .change =
           [drag = *drag_, place](const Contour&, const Ground&, const science::FindWire& find) {
             return drag.seed ? science::move_seed(*drag.before, *drag.seed, place, find)
                              : with_new_seed(*drag.before, drag.piece, drag.at, place, find);
           },
       .merge = drag_->merge});
}

void ContourEditor::end_drag() {
  drag_.reset();
}

void ContourEditor::put(Edit edit) {
  if (edit.merge != 0) {
    std::erase_if(waiting_, [&](const Edit& each) { return each.merge == edit.merge; });
  }
  waiting_.push_back(std::move(edit));
  next();
}

void ContourEditor::next() {
  if (running_ || waiting_.empty()) return;
  const Edit edit = std::move(waiting_.front());
  waiting_.pop_front();
  const Contour* present = model_.contours().find(edit.contour);
  if (present == nullptr) return next();
  running_ = true;
  const jobs::Activity::Scope scope(edit.activity);
  // Copied: the work may still run while the editor is destroyed.
  const auto end = [=, this, alive = QPointer(this), image = model_.image(),
                    on_gui_thread = on_gui_thread_](const std::optional<Contour>& result) {
    on_gui_thread([=, this] {
      if (!alive || image != model_.image()) return;
      running_ = false;
      if (result) take(edit, *result);
      next();
    });
  };
  wires_.submit(
      edit.slice, Lane::edit,
      [edit, end, before = *present](const WireFinder::GroundPointer& ground, science::WireSolver& wires,
                                     const jobs::Progress& progress) {
        end(edit.change(before, *ground,
                        [&](science::Pixel from, science::Pixel to, const science::Polylines& traced) {
                          return wires.wire(from, to, traced, progress).points;
                        }));
      },
      [end] { end(std::nullopt); });
}

void ContourEditor::take(const Edit& edit, Contour result) {
  contours::ContourSet set = model_.contours();
  if (!edit.adds) {
    const Contour* present = set.find(edit.contour);
    if (present == nullptr || present->locked || model_.locked(*present)) return;  // meanwhile
    // An edit is about where the contour lies: what it is called and how it is shown may have changed
    // meanwhile.
    Contour changed = *present;
    changed.seeds = std::move(result.seeds);
    changed.pieces = std::move(result.pieces);
    changed.suggestion = result.suggestion;
    set.replace(std::move(changed));
    model_.change(edit.text, std::move(set), edit.merge);
    return;
  }
  const std::uint64_t id = set.add(std::move(result));
  model_.change(edit.text, std::move(set));
  model_.set_slice(edit.slice);
  model_.select(id);
}

}  // namespace isolume::labs::livewire

#include "moc_contour_editor.cpp"
