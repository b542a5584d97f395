#pragma once

#include <QObject>
#include <QPointer>

#include "core/livewire/edit.h"

class QKeyEvent;
class QWidget;

namespace isolume::slices {
class SliceView;
}

namespace isolume::labs::livewire {

class Workspace;

/// What the hand does in the large view. While a contour is traced the left button belongs to the tool.
/// Otherwise, on a seed of the selected contour it drags the seed, on its outline it puts a new seed there,
/// on another outline it selects that contour, and anywhere else it begins a new one. Keys in the view: Enter
/// closes, O ends open, Backspace or Ctrl+Z takes the last seed back, Escape drops the draft, the chosen brush or the
/// selection, F held draws by hand, S held does not snap, B held paints, E held erases, G held fills. Keys that are
/// held act under the pointer whichever widget of the window has the focus, unless a text is edited in it.
class MouseControl : public QObject {
  Q_OBJECT
 public:
  explicit MouseControl(Workspace& workspace);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void press(const Eigen::Vector2d& place);
  void move(const Eigen::Vector2d& place);
  void release(const Eigen::Vector2d& place);
  bool key(const QKeyEvent& event, bool act);
  bool hold(const QKeyEvent& event, bool held);
  bool take_from_focus(QEvent& event);
  void follow_focus(QWidget* now);
  void release_keys();
  void note_drag();
  void note_place();
  void note_plane();
  void note_frame();
  void show_menu(const QPoint& global, const Eigen::Vector2d& place);
  std::optional<isolume::livewire::Hit> hit(const Eigen::Vector2d& place) const;

  struct Drag {
    std::optional<std::size_t> seed;  ///< nothing: a new one
    Eigen::Vector2d from = Eigen::Vector2d::Zero();
    std::optional<Eigen::Vector2d> to;
  };

  Workspace& workspace_;
  QPointer<slices::SliceView> view_;
  QPointer<QWidget> focus_;  ///< another widget of the window that has it
  Drag drag_;
  // Of the large view, when it was last looked at:
  int axis_ = -1;
  bool fitted_ = true;
  Eigen::Vector2d centre_ = Eigen::Vector2d::Zero();
  double scale_ = 0;
};

}  // namespace isolume::labs::livewire
