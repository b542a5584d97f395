#include "app/labs/livewire/tools/ruler_tool.h"

#include <utility>

#include "app/labs/livewire/tools/tracing_model.h"

namespace isolume::labs::livewire {

using contours::Ruler;
using contours::RulerKind;

namespace {

constexpr int first_merge = 1 << 21;  // above the numbers of other drags

QString name_of(RulerKind kind) {
  return kind == RulerKind::distance ? QObject::tr("Distance") : QObject::tr("Angle");
}

}  // namespace

RulerTool::RulerTool(TracingModel& model) : model_(model), merge_(first_merge) {
  connect(&model_, &TracingModel::image_changed, this, &RulerTool::cancel);
  connect(&model_, &TracingModel::slice_changed, this, &RulerTool::cancel);
}

void RulerTool::begin(RulerKind kind) {
  draft_ = Ruler{.id = 0, .kind = kind, .slice = model_.slice(), .points = {}};
  fixed_ = 0;
  drag_.reset();
  Q_EMIT changed();
}

void RulerTool::cancel() {
  drag_.reset();
  if (!std::exchange(draft_, std::nullopt)) return;
  Q_EMIT changed();
}

bool RulerTool::press(const Eigen::Vector2d& place, double hit_px) {
  if (!draft_) {
    drag_ = hit(place, hit_px);
    moved_ = false;
    if (drag_) ++merge_;
    return drag_.has_value();
  }
  draft_->points.resize(fixed_);
  draft_->points.push_back(place);
  ++fixed_;
  if (fixed_ == points_of(draft_->kind)) {
    const Ruler done = *std::exchange(draft_, std::nullopt);
    Q_EMIT measured(add(done));
  }
  Q_EMIT changed();
  return true;
}

bool RulerTool::move(const Eigen::Vector2d& place) {
  if (drag_) {
    moved_ = true;
    move_point(drag_->ruler, drag_->point, place, merge_);
    return true;
  }
  if (!draft_) return false;
  draft_->points.resize(fixed_);
  if (fixed_ > 0) draft_->points.push_back(place);
  Q_EMIT changed();
  return true;
}

bool RulerTool::release() {
  if (!drag_) return draft_.has_value();
  const Hit done = *std::exchange(drag_, std::nullopt);
  if (moved_) Q_EMIT point_moved(done.ruler, done.point);
  return true;
}

std::uint64_t RulerTool::add(Ruler ruler) {
  contours::ContourSet next = model_.contours();
  const QString name = name_of(ruler.kind);
  const std::uint64_t id = next.add_ruler(std::move(ruler));
  model_.change(name, std::move(next));
  return id;
}

void RulerTool::move_point(std::uint64_t id, std::size_t point, const Eigen::Vector2d& to, int merge) {
  contours::ContourSet next = model_.contours();
  const Ruler* found = next.find_ruler(id);
  if (found == nullptr || point >= found->points.size()) return;
  Ruler ruler = *found;
  ruler.points[point] = to;
  const QString name = tr("Move %1").arg(name_of(ruler.kind));
  next.replace_ruler(ruler);
  model_.change(name, std::move(next), merge);
}

void RulerTool::remove(std::uint64_t id) {
  contours::ContourSet next = model_.contours();
  const Ruler* found = next.find_ruler(id);
  if (found == nullptr) return;
  const QString name = tr("Delete %1").arg(name_of(found->kind));
  next.remove_ruler(id);
  model_.change(name, std::move(next));
}

std::optional<RulerTool::Hit> RulerTool::hit(const Eigen::Vector2d& place, double radius_px) const {
  std::optional<Hit> found;
  double nearest = radius_px;
  for (const Ruler& ruler : model_.contours().rulers()) {
    if (ruler.slice != model_.slice()) continue;
    for (std::size_t point = 0; point < ruler.points.size(); ++point) {
      const double distance = (ruler.points[point] - place).norm();
      if (distance > nearest) continue;
      nearest = distance;
      found = Hit{ruler.id, point};
    }
  }
  return found;
}

}  // namespace isolume::labs::livewire

#include "moc_ruler_tool.cpp"
