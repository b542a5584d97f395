#pragma once

#include <QImage>
#include <QWidget>
#include <memory>
#include <string_view>

class vtkRenderer;
class vtkRenderWindow;

namespace isolume::scene {

enum class Interaction { trackball, turntable };

/// The bridge from Qt 6 to VTK: draws a vtkRenderWindow into a QOpenGLWidget that fills it. It supports HiDPI
/// and Wayland (no native window), and frees its OpenGL resources with the context. Camera commands act on
/// `renderer()`. On platforms where Qt has no OpenGL in windows ("offscreen", "minimal") the same picture is
/// rendered offscreen. While a picture is a draft, the window requests a rate above 1 per second from VTK.
class ViewWidget : public QWidget {
  Q_OBJECT
 public:
  explicit ViewWidget(QWidget* parent = nullptr);
  ~ViewWidget() override;

  /// Call once, before QApplication is created.
  static void set_default_surface_format();

  vtkRenderer* renderer() const;
  vtkRenderWindow* render_window() const;

  void set_interaction(Interaction interaction);
  Interaction interaction() const;
  /// Rotates the scene as the mouse would: freely, or as a turntable. Positive angles to the right and up.
  void turn(double right_degrees, double up_degrees);
  /// Requests a repaint; several requests before the next paint give one frame.
  void request_render();
  /// Drafts have all of the picture's pixels: what is drawn makes itself cheaper instead, and texts stay sharp.
  void keep_resolution_of_drafts();
  /// The next frame is in full quality, and without a rest if that is still due.
  void end_drafts();
  /// The content of the view, in device pixels.
  QImage grabFramebuffer();

 Q_SIGNALS:
  /// Emitted when a frame with everything requested so far is on the screen, in full quality (drafts during
  /// motion on slow machines do not count).
  void rendered();
  /// The left button was pressed and released at one position in the picture (from 0 at its lower left corner
  /// to 1).
  void clicked(double x, double y);
  /// The same while Shift, Ctrl or another modifier (QGuiApplication::keyboardModifiers) was held.
  void clicked_with_keys(double x, double y);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Bridge;
  std::unique_ptr<Bridge> bridge_;
};

}  // namespace isolume::scene
