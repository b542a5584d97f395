#pragma once

#include <QOpenGLWidget>
#include <memory>
#include <string_view>

class vtkRenderer;
class vtkRenderWindow;

namespace isolume::scene {

enum class Interaction { trackball, turntable };

/// The bridge from Qt 6 to VTK: draws a vtkRenderWindow into a QOpenGLWidget. HiDPI, Wayland-safe (no native
/// window), frees its OpenGL resources when the context goes. Camera commands act on `renderer()`.
class ViewWidget : public QOpenGLWidget {
  Q_OBJECT
 public:
  explicit ViewWidget(QWidget* parent = nullptr);
  ~ViewWidget() override;

  /// To be called once, before QApplication is made.
  static void set_default_surface_format();

  vtkRenderer* renderer() const;
  vtkRenderWindow* render_window() const;

  void set_interaction(Interaction interaction);
  Interaction interaction() const;
  /// Asks for a repaint; several requests before the next paint give one frame.
  void request_render();

 Q_SIGNALS:
  /// A frame with everything asked for so far is on the screen.
  void rendered();

 protected:
  void initializeGL() override;
  void resizeGL(int width, int height) override;
  void paintGL() override;
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  /// On platforms without OpenGL in windows ("offscreen"): the same picture by offscreen rendering.
  void paint_without_opengl();

  struct Bridge;
  std::unique_ptr<Bridge> bridge_;
};

}  // namespace isolume::scene
