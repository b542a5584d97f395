#include "app/labs/livewire/commands/mouse_control.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "core/base/error.h"
#include "core/images/window.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;
using slices::SliceView;

namespace {

constexpr double hit_radius = 6;  // screen pixels

std::string text(double number) {
  return QString::number(number, 'g', 10).toStdString();
}

/// Whether letters may belong to the widget. A number keeps them once its text has been changed.
bool takes_letters(const QWidget& widget) {
  if (qobject_cast<const QAbstractSpinBox*>(&widget) == nullptr)
    return widget.testAttribute(Qt::WA_InputMethodEnabled);
  const auto* line = widget.findChild<QLineEdit*>();
  return line != nullptr && line->isModified();
}

}  // namespace

MouseControl::MouseControl(Workspace& workspace)
    : QObject(&workspace), workspace_(workspace), view_(&workspace.views().large()) {
  SliceView& view = *view_;
  view.installEventFilter(this);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow_focus(now); });
  connect(&view, &SliceView::pressed, this, [this](const Eigen::Vector2d& place, Qt::KeyboardModifiers keys) {
    if (keys == Qt::NoModifier) press(place);
  });
  connect(&view, &SliceView::moved, this, [this](const Eigen::Vector2d& place) { move(place); });
  connect(&view, &SliceView::released, this, [this](const Eigen::Vector2d& place) { release(place); });
  connect(&view, &SliceView::double_clicked, this,
          [this](const Eigen::Vector2d& place, Qt::KeyboardModifiers keys) {
            if (keys != Qt::NoModifier) return;
            if (workspace_.tool().tracing()) return workspace_.tool().double_click(place);
            if (workspace_.brush().active() == PaintingTool::fill) return;  // the first press has filled
            workspace_.brush().press(place);                                // the second of two quick dabs
          });
  // Zooming and panning move the image under the pointer.
  connect(&view, &SliceView::view_changed, this, [this, &view] {
    if (const auto place = view.pointer()) move(*place);
    note_frame();
  });
  connect(&view, &SliceView::menu_requested, this, &MouseControl::show_menu);
  connect(&workspace_.model(), &TracingModel::slice_changed, this, &MouseControl::note_plane);
  connect(&workspace_.model(), &TracingModel::cursor_changed, this, &MouseControl::note_place);
}

/// Of what is seen and not locked on the slice.
std::optional<science::Hit> MouseControl::hit(const Eigen::Vector2d& place) const {
  const auto& set = workspace_.model().contours();
  auto candidates = set.on_slice(workspace_.model().slice());
  std::erase_if(candidates, [&](const auto& each) {
    const auto* label = set.label(each->label);
    return !each->visible || (label != nullptr && !label->visible) || workspace_.model().locked(*each);
  });
  return science::hit(candidates, place, hit_radius / workspace_.views().large().screen_px_per_pixel());
}

void MouseControl::press(const Eigen::Vector2d& place) {
  if (workspace_.model().image() == nullptr) return;
  if (workspace_.tool().tracing()) return workspace_.tool().press(place);
  if (workspace_.brush().press(place)) return;
  if (workspace_.ruler().press(place, hit_radius / workspace_.views().large().screen_px_per_pixel())) return;
  const auto found = hit(place);
  if (!found) {
    if (workspace_.model().selected()) workspace_.run("livewire.contour.deselect");
    return workspace_.tool().press(place);
  }
  if (found->contour != workspace_.model().selected())
    return workspace_.run("livewire.contour.select", {std::to_string(found->contour)});
  drag_ = Drag{found->seed, place, std::nullopt};
  if (found->seed) {
    workspace_.editor().begin_drag(found->contour, *found->seed);
  } else {
    workspace_.editor().begin_drag_of_new_seed(found->contour, found->piece, place);
  }
}

void MouseControl::move(const Eigen::Vector2d& place) {
  if (workspace_.editor().dragging()) {
    drag_.to = place;
    return workspace_.editor().drag_to(place);
  }
  if (workspace_.brush().move(place) || workspace_.ruler().move(place)) return;
  workspace_.tool().move(place);
}

void MouseControl::release(const Eigen::Vector2d& place) {
  if (workspace_.editor().dragging()) {
    note_drag();
    return workspace_.editor().end_drag();
  }
  if (workspace_.brush().release(workspace_.tool_parameters().brush_radius_mm) ||
      workspace_.ruler().release())
    return;
  if (workspace_.tool().tracing()) return workspace_.tool().release(place);
  workspace_.tool().move(place);  // after a measurement, which the tool has not followed
}

/// As a command, for scripts.
void MouseControl::note_drag() {
  const auto words = [](const Eigen::Vector2d& place) {
    return std::vector{parameters::to_text(place.x()), parameters::to_text(place.y())};
  };
  std::vector<std::string> arguments = words(drag_.to.value_or(drag_.from));
  if (drag_.seed) {
    if (!drag_.to) return;
    arguments.insert(arguments.begin(), std::to_string(*drag_.seed + 1));
    return workspace_.note("livewire.contour.move-seed", arguments);
  }
  const std::vector<std::string> from = words(drag_.from);
  arguments.insert(arguments.begin(), from.begin(), from.end());
  workspace_.note("livewire.contour.insert-seed", arguments);
}

/// Slices that are turned through, and the crosshair.
void MouseControl::note_place() {
  if (workspace_.model().image() == nullptr) return;
  const Eigen::Vector3d at = workspace_.model().cursor_mm();
  workspace_.note("livewire.slice.go-to",
                  {parameters::to_text(at.x()), parameters::to_text(at.y()), parameters::to_text(at.z())},
                  true);
}

/// Another plane comes into the large view.
void MouseControl::note_plane() {
  if (workspace_.model().image() == nullptr) return;
  if (std::exchange(axis_, workspace_.model().slice().axis) == workspace_.model().slice().axis) return;
  static constexpr std::array names{"sagittal", "coronal", "axial"};
  workspace_.note("livewire.slice.show", {names[static_cast<std::size_t>(workspace_.views().large_plane())]});
}

/// How the large view was zoomed and panned; another size of the window is not told.
void MouseControl::note_frame() {
  const SliceView& view = workspace_.views().large();
  const bool was_fitted = std::exchange(fitted_, view.fitted());
  const Eigen::Vector2d centre = std::exchange(centre_, view.centre());
  const double scale = std::exchange(scale_, view.scale());
  if (workspace_.model().image() == nullptr || (fitted_ && was_fitted)) return;
  if (fitted_) return workspace_.note("livewire.slice.fit", {});
  if (!was_fitted && centre == centre_ && scale == scale_) return;
  workspace_.note(
      "livewire.slice.frame",
      {parameters::to_text(centre_.x()), parameters::to_text(centre_.y()), parameters::to_text(scale_)},
      true);
}

void MouseControl::follow_focus(QWidget* now) {
  if (focus_) focus_->removeEventFilter(this);
  const bool elsewhere = view_ && now != nullptr && now != view_ && now->window() == view_->QWidget::window();
  focus_ = elsewhere ? now : nullptr;
  if (focus_) focus_->installEventFilter(this);
}

void MouseControl::release_keys() {
  workspace_.tool().hold_freehand(false);
  workspace_.tool().hold_no_snap(false);
  workspace_.brush().hold(std::nullopt);
}

bool MouseControl::take_from_focus(QEvent& event) {
  // A press in the view gives it the focus while the key is held.
  if (event.type() == QEvent::FocusOut && QApplication::focusWidget() != view_) release_keys();
  const bool pressed = event.type() == QEvent::KeyPress;
  if (!pressed && event.type() != QEvent::KeyRelease) return false;
  if (pressed && (!view_->isVisible() || !view_->pointer() || takes_letters(*focus_))) return false;
  return hold(static_cast<QKeyEvent&>(event), pressed) && pressed;
}

bool MouseControl::eventFilter(QObject* watched, QEvent* event) {
  // The view comes last, as it may be in its base's destructor when an event reaches this.
  if (watched == focus_ && view_) return take_from_focus(*event);
  switch (event->type()) {
    case QEvent::ShortcutOverride:
      if (!key(*static_cast<QKeyEvent*>(event), false)) return false;
      event->accept();
      return true;
    case QEvent::KeyPress:
      return hold(*static_cast<QKeyEvent*>(event), true) || key(*static_cast<QKeyEvent*>(event), true);
    case QEvent::KeyRelease:
      return hold(*static_cast<QKeyEvent*>(event), false);
    case QEvent::FocusOut:
      release_keys();
      return false;
    default:
      return QObject::eventFilter(watched, event);
  }
}

/// Whether the key means something now; does it where `act`.
bool MouseControl::key(const QKeyEvent& event, bool act) {
  const char* command = nullptr;
  if (workspace_.tool().tracing()) {
    const bool plain = event.modifiers() == Qt::NoModifier || event.modifiers() == Qt::KeypadModifier;
    if (plain && (event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter)) command = "livewire.close";
    if (plain && event.key() == Qt::Key_O) command = "livewire.finish-open";
    if (plain && event.key() == Qt::Key_Backspace) command = "livewire.undo-seed";
    if (plain && event.key() == Qt::Key_Escape) command = "livewire.cancel";
    if (event.matches(QKeySequence::Undo)) command = "livewire.undo-seed";
  } else if (event.key() == Qt::Key_Escape && workspace_.ruler().measuring()) {
    command = "livewire.measure.cancel";
  } else if (event.key() == Qt::Key_Escape && workspace_.brush().chosen()) {
    command = "livewire.tool.trace";
  } else if (event.key() == Qt::Key_Escape && workspace_.model().selected()) {
    command = "livewire.contour.deselect";
  }
  if (command != nullptr && act) workspace_.run(command);
  return command != nullptr;
}

bool MouseControl::hold(const QKeyEvent& event, bool held) {
  if (event.modifiers() != Qt::NoModifier) return false;
  static const std::map<int, PaintingTool> painting{
      {Qt::Key_B, PaintingTool::paint}, {Qt::Key_E, PaintingTool::erase}, {Qt::Key_G, PaintingTool::fill}};
  const auto tool = painting.find(event.key());
  const bool paints = tool != painting.end();
  if (event.key() != Qt::Key_F && event.key() != Qt::Key_S && (!paints || workspace_.tool().tracing()))
    return false;
  if (event.isAutoRepeat()) return true;
  if (paints) {
    if (held || workspace_.brush().held() == tool->second)
      workspace_.brush().hold(held ? std::optional(tool->second) : std::nullopt);
    return true;
  }
  event.key() == Qt::Key_F ? workspace_.tool().hold_freehand(held) : workspace_.tool().hold_no_snap(held);
  return true;
}

void MouseControl::show_menu(const QPoint& global, const Eigen::Vector2d& place) {
  if (workspace_.model().image() == nullptr) return;
  auto* menu = new QMenu(&workspace_.views());
  menu->setObjectName("contour-menu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto add = [&](const QString& title, const std::string& command,
                       const std::vector<std::string>& arguments = {}) {
    menu->addAction(title, &workspace_, [this, command, arguments] { workspace_.run(command, arguments); });
  };
  const auto found = hit(place);
  const auto ruler =
      workspace_.ruler().hit(place, hit_radius / workspace_.views().large().screen_px_per_pixel());
  if (workspace_.tool().tracing()) {
    add(tr("Close the contour"), "livewire.close");
    add(tr("Finish without closing"), "livewire.finish-open");
    add(tr("Remove the last seed"), "livewire.undo-seed");
    add(tr("Discard contour"), "livewire.cancel");
  } else if (ruler) {
    const bool is_distance =
        workspace_.model().contours().find_ruler(ruler->ruler)->kind == contours::RulerKind::distance;
    add(is_distance ? tr("Delete distance") : tr("Delete angle"), "livewire.measure.delete",
        {std::to_string(ruler->ruler)});
  } else if (found) {
    if (found->contour != workspace_.model().selected())
      workspace_.run("livewire.contour.select", {std::to_string(found->contour)});
    if (found->seed) {
      add(tr("Delete seed"), "livewire.contour.delete-seed", {std::to_string(*found->seed + 1)});
    } else {
      add(tr("Insert seed"), "livewire.contour.insert-seed", {text(place.x()), text(place.y())});
    }
    menu->addSeparator();
    add(tr("Snap to edges"), "livewire.contour.resnap");
    add(tr("Copy to next slice"), "livewire.contour.copy-to-next");
    add(tr("Lock"), "livewire.contour.lock");
    add(tr("Hide"), "livewire.contour.hide");
    add(tr("Delete contour"), "livewire.contour.delete");
  } else {
    add(tr("Fit"), "livewire.slice.fit");
    add(tr("Measure distance"), "livewire.measure.distance");
    add(tr("Measure angle"), "livewire.measure.angle");
    add(tr("Invert"), "livewire.window.invert");
    menu->addSeparator();
    const images::Document& image = workspace_.image();
    add(tr("Window: the image's own"), "livewire.window.preset", {"image"});
    add(tr("Window: automatic"), "livewire.window.preset", {"auto"});
    std::vector<images::Window> named = image.windows;
    if (image.volume.unit == "HU")
      named.insert(named.end(), images::ct_windows().begin(), images::ct_windows().end());
    std::set<std::string> offered;  // the file's own comes first, as for the command
    for (const images::Window& each : named) {
      if (each.name.empty() || !offered.insert(preset_key(each.name)).second) continue;
      add(tr("Window: %1").arg(QString::fromStdString(each.name)), "livewire.window.preset",
          {preset_key(each.name)});
    }
  }
  menu->popup(global);
}

}  // namespace isolume::labs::livewire

#include "moc_mouse_control.cpp"
