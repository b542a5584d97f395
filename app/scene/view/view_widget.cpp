#include "app/scene/view/view_widget.h"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QMouseEvent>
#include <QOpenGLContext>
#include <QOpenGLExtraFunctions>
#include <QOpenGLFramebufferObject>
#include <QOpenGLFunctions>
#include <QOpenGLWidget>
#include <QPainter>
#include <QStyleHints>
#include <QSurfaceFormat>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <vtkActor2D.h>
#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkCuller.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkGenericRenderWindowInteractor.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLState.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/cameras/interaction_style.h"
#include "app/scene/drawing/gl_start.h"
#include "app/scene/files/image.h"
#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume::scene {

namespace {

/// Whether the display creates a context of the requested version: over a remote connection, and in virtual
/// machines, it may be an older one, with which VTK ends the program.
bool display_has_opengl() {
  QOpenGLContext context;
  if (!context.create()) return false;
  const QSurfaceFormat wanted = QSurfaceFormat::defaultFormat(), made = context.format();
  if (made.version() >= wanted.version()) return true;
  log::warning("This display offers OpenGL {}.{}, but pictures need {}.{}. They are rendered off-screen.",
               made.majorVersion(), made.minorVersion(), wanted.majorVersion(), wanted.minorVersion());
  return false;
}

/// If Qt cannot compose OpenGL into windows ("offscreen", "minimal"), showing a QOpenGLWidget ends the
/// program.
bool platform_lacks_opengl() {
  const QString platform = QGuiApplication::platformName();
  if (platform == "offscreen" || platform == "minimal") return true;
  static const bool has_opengl = display_has_opengl();
  return !has_opengl;
}

}  // namespace

namespace {

/// The part of the view that OpenGL draws; delegates the drawing to its owner.
class Canvas : public QOpenGLWidget {
 public:
  struct Calls {
    std::function<void()> initialize, resize, paint, release;
  };
  Canvas(QWidget& owner, Calls calls) : QOpenGLWidget(&owner), calls_(std::move(calls)) {
    setAttribute(Qt::WA_TransparentForMouseEvents);  // the owner handles them
    setUpdateBehavior(QOpenGLWidget::NoPartialUpdate);
  }
  ~Canvas() override {
    calls_.release();
    // ~QOpenGLWidget signals the end of its context after this class is destroyed.
    if (context() != nullptr) disconnect(context(), nullptr, this, nullptr);
  }

 protected:
  void initializeGL() override {
    connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, [this] { calls_.release(); });
    calls_.initialize();
  }
  void resizeGL(int, int) override { calls_.resize(); }
  void paintGL() override { calls_.paint(); }

 private:
  Calls calls_;
};

/// Replaces the canvas on platforms without OpenGL in windows: the same picture, rendered offscreen.
class Placeholder : public QWidget {
 public:
  Placeholder(QWidget& owner, std::function<QImage()> picture, std::function<void()> painted)
      : QWidget(&owner), picture_(std::move(picture)), painted_(std::move(painted)) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    try {
      painter.drawImage(rect(), picture_());
    } catch (const Error& error) {
      painter.fillRect(rect(), palette().window());
      painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, QString::fromUtf8(error.what()));
    }
    painted_();
  }

 private:
  std::function<QImage()> picture_;
  std::function<void()> painted_;
};

}  // namespace

namespace {

/// Restricts a frame to the scene in space, or to the texts and bars in front of it. Unlike their visibility it changes
/// none of them, so that texts are not rasterised anew.
class LayerCuller final : public vtkCuller {
 public:
  static LayerCuller* New();
  vtkTypeMacro(LayerCuller, vtkCuller);

  enum class Layers { all, scene, overlay };
  Layers layers = Layers::all;

  double Cull(vtkRenderer* /*renderer*/, vtkProp** props, int& count, int& initialized) override {
    if (layers != Layers::all) {
      const auto drawn = [this](vtkProp* prop) {
        return (vtkActor2D::SafeDownCast(prop) != nullptr) == (layers == Layers::overlay);
      };
      count = static_cast<int>(std::stable_partition(props, props + count, drawn) - props);
    }
    double time = 0;
    for (int i = 0; i < count; ++i) {
      if (initialized == 0) props[i]->SetRenderTimeMultiplier(1);
      time += props[i]->GetRenderTimeMultiplier();
    }
    initialized = 1;
    return time;
  }
};
vtkStandardNewMacro(LayerCuller);

constexpr int draft_peels = 3;  ///< resolves six layers
constexpr double draft_rate = 10;
constexpr double very_slow_ms = 120;  ///< for a full frame

}  // namespace

struct ViewWidget::Bridge {
  explicit Bridge(ViewWidget& owner);

  void on_event(unsigned long event, void* data);
  QOpenGLContext* context() const { return canvas != nullptr ? canvas->context() : nullptr; }
  void make_surface();
  void initialize();
  void paint();
  QImage offscreen_picture();
  void request_frame();
  double draft_resolution() const;
  void settle_later();
  void draft(bool wanted);
  void release();
  void fit_to_widget(double resolution = 1);
  void render();
  void render_draft(double resolution);
  void lay_under_overlay();
  void show_frame();
  bool mouse(QMouseEvent& event);
  void follow_click(const QMouseEvent& event);
  bool wheel(QWheelEvent& event);
  void crossing(unsigned long vtk_event);
  void place_pointer(const QPointF& place, Qt::KeyboardModifiers modifiers);
  void start_timer(int platform_id);
  void stop_timer(int platform_id);

  ViewWidget& widget;
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  vtkNew<vtkGenericRenderWindowInteractor> interactor;
  vtkNew<vtkRenderer> renderer;
  vtkNew<InteractionStyle> style;
  vtkNew<vtkCallbackCommand> observer;
  vtkNew<LayerCuller> culler;
  /// The scene of a draft, while the overlay is drawn on it.
  std::unique_ptr<QOpenGLFramebufferObject> scene;
  std::map<int, QTimer*> timers;
  QSurface* surface = nullptr;
  Interaction interaction = Interaction::trackball;
  QWidget* surface_widget = nullptr;  ///< the canvas or the placeholder; fills the widget
  Canvas* canvas = nullptr;           ///< null on platforms without OpenGL in windows
  bool dirty = true;
  bool rendering = false;
  int wheel_angle = 0;
  std::optional<QPointF> pressed_at;  ///< position of a press of the left button without motion since
  double full_frame_ms = 0;           ///< duration of the last frame other than a draft
  bool is_draft = false;
  bool keeps_resolution = false;  ///< of drafts
  int full_peels = 0;             ///< of translucent layers, when the picture is no draft
  QElapsedTimer since_frame;      ///< the last one, of either kind
  QTimer settle;
};

ViewWidget::Bridge::Bridge(ViewWidget& owner) : widget(owner) {
  use_foreign_context(*window);
  window->SetMultiSamples(0);
  window->AddRenderer(renderer);
  renderer->AddCuller(culler);
  renderer->UseFXAAOn();  // also smooths the spheres' rims, which multisampling leaves jagged
  interactor->SetRenderWindow(window);
  interactor
      ->EnableRenderOff();  // Render() only announces RenderEvent, so that requests are gathered per paint
  interactor->SetInteractorStyle(style);
  observer->SetClientData(this);
  observer->SetCallback([](vtkObject*, unsigned long event, void* self, void* data) {
    static_cast<Bridge*>(self)->on_event(event, data);
  });
  for (const auto event : {vtkCommand::WindowMakeCurrentEvent, vtkCommand::WindowIsCurrentEvent,
                           vtkCommand::WindowFrameEvent, vtkCommand::CursorChangedEvent}) {
    window->AddObserver(event, observer);
  }
  for (const auto event :
       {vtkCommand::RenderEvent, vtkCommand::CreateTimerEvent, vtkCommand::DestroyTimerEvent}) {
    interactor->AddObserver(event, observer);
  }
  renderer->AddObserver(vtkCommand::StartEvent, observer);
  interactor->Initialize();
  settle.setSingleShot(true);
  QObject::connect(&settle, &QTimer::timeout, &widget, [this] {
    // Bounded, since the release of a button outside the window may never be reported.
    constexpr qint64 longest_pause_ms = 2000;
    const bool drags = QGuiApplication::mouseButtons() != Qt::NoButton;
    if (full_frame_ms > very_slow_ms && drags && since_frame.elapsed() < longest_pause_ms)
      return settle_later();
    draft(false);
    surface_widget->update();
  });
}

void ViewWidget::Bridge::on_event(unsigned long event, void* data) {
  switch (event) {
    case vtkCommand::WindowMakeCurrentEvent:
      // Not QOpenGLWidget::makeCurrent(), which would bind Qt's framebuffer in the middle of VTK's frame.
      if (context() != nullptr && QOpenGLContext::currentContext() != context()) {
        context()->makeCurrent(surface);
      }
      break;
    case vtkCommand::WindowIsCurrentEvent:
      *static_cast<bool*>(data) = context() != nullptr && QOpenGLContext::currentContext() == context();
      break;
    case vtkCommand::WindowFrameEvent:
      if (!rendering) request_frame();  // other code rendered, perhaps at another size
      break;
    case vtkCommand::CursorChangedEvent:
      widget.setCursor(window->GetCurrentCursor() == VTK_CURSOR_HAND      ? Qt::PointingHandCursor
                       : window->GetCurrentCursor() == VTK_CURSOR_SIZEALL ? Qt::SizeAllCursor
                                                                          : Qt::ArrowCursor);
      break;
    case vtkCommand::StartEvent:
      if (culler->layers == LayerCuller::Layers::overlay) lay_under_overlay();
      break;
    case vtkCommand::RenderEvent:
      request_frame();
      break;
    case vtkCommand::CreateTimerEvent:
      start_timer(interactor->GetTimerEventPlatformId());
      break;
    case vtkCommand::DestroyTimerEvent:
      stop_timer(interactor->GetTimerEventPlatformId());
      break;
    default:
      break;
  }
}

void ViewWidget::Bridge::start_timer(int platform_id) {
  auto* timer = new QTimer(&widget);
  int id = interactor->GetTimerEventId();
  timer->setSingleShot(interactor->GetTimerEventType() == vtkRenderWindowInteractor::OneShotTimer);
  QObject::connect(timer, &QTimer::timeout, &widget, [this, id]() mutable {
    interactor->InvokeEvent(vtkCommand::TimerEvent, static_cast<void*>(&id));
  });
  timer->start(static_cast<int>(interactor->GetTimerEventDuration()));
  timers[platform_id] = timer;
}

void ViewWidget::Bridge::stop_timer(int platform_id) {
  const auto found = timers.find(platform_id);
  if (found == timers.end()) return;
  found->second->stop();
  found->second->deleteLater();
  timers.erase(found);
}

void ViewWidget::Bridge::release() {
  if (surface == nullptr || context() == nullptr) return;
  canvas->makeCurrent();
  scene.reset();
  window->Finalize();
  window->SetReadyForRendering(false);
  canvas->doneCurrent();
  surface = nullptr;
}

/// If a frame takes longer than is smooth (no GPU), pictures in quick succession are drafts: coarser behind texts and
/// bars, and with fewer translucent layers. If it takes much longer, the first one is a draft, too, as another may
/// follow. The full picture is drawn after the motion has ended; the slower it is, the later.
void ViewWidget::Bridge::request_frame() {
  constexpr double slow_ms = 30;
  constexpr qint64 quick_succession_ms = 100;
  dirty = true;
  const bool quick = since_frame.isValid() && since_frame.elapsed() < quick_succession_ms;
  if (full_frame_ms > very_slow_ms || (full_frame_ms > slow_ms && quick)) {
    draft(true);
    settle_later();
  }
  if (surface_widget != nullptr) surface_widget->update();
}

/// Half, or less if that would still take too long.
double ViewWidget::Bridge::draft_resolution() const {
  if (keeps_resolution) return 1;
  constexpr double wanted_ms = 100, finest = 0.5, pixels_per_point = 0.6;
  const double coarsest = std::min(finest, pixels_per_point / widget.devicePixelRatioF());
  return std::clamp(std::sqrt(wanted_ms / full_frame_ms), coarsest, finest);
}

/// A slow full picture would interrupt a drag that only pauses: it waits until the button is released, or the
/// pause is long.
void ViewWidget::Bridge::settle_later() {
  constexpr int soonest_ms = 150, latest_ms = 700;
  settle.start(std::clamp(static_cast<int>(full_frame_ms / 4), soonest_ms, latest_ms));
}

void ViewWidget::Bridge::draft(bool wanted) {
  if (wanted == is_draft) return;
  is_draft = wanted;
  if (wanted) full_peels = renderer->GetMaximumNumberOfPeels();
  renderer->SetMaximumNumberOfPeels(wanted ? std::min(full_peels, draft_peels) : full_peels);
  renderer->SetUseFXAA(!wanted);  // takes a third of a frame without a GPU
  dirty = true;
}

/// `resolution`: rendered pixels per device pixel.
void ViewWidget::Bridge::fit_to_widget(double resolution) {
  const double scale = widget.devicePixelRatioF() * resolution;
  const int width = std::max(1, static_cast<int>(std::lround(widget.width() * scale)));
  const int height = std::max(1, static_cast<int>(std::lround(widget.height() * scale)));
  interactor->UpdateSize(width, height);
  window->SetSize(width, height);
  window->SetDPI(static_cast<int>(std::lround(72 * scale)));
}

void ViewWidget::Bridge::render() {
  dirty = false;
  rendering = true;
  fit_to_widget();
  // Requests the coarser form of objects that have one (see SurfaceProp); VTK's interaction would request it
  // on fast machines, too.
  window->SetDesiredUpdateRate(is_draft ? draft_rate : interactor->GetStillUpdateRate());
  QElapsedTimer clock;
  clock.start();
  const double resolution = is_draft ? draft_resolution() : 1;
  resolution < 1 ? render_draft(resolution) : window->Render();
  window->WaitForCompletion();
  if (is_draft) {
    settle_later();  // counted from its display
  } else {
    full_frame_ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
  }
  since_frame.start();
  rendering = false;
}

/// The scene at a lower resolution, then the overlay at the full one, which is the window's outside of this function.
void ViewWidget::Bridge::render_draft(double resolution) {
  fit_to_widget(resolution);
  culler->layers = LayerCuller::Layers::scene;
  window->Render();
  const int width = window->GetSize()[0], height = window->GetSize()[1];
  if (scene == nullptr || scene->size() != QSize(width, height))
    scene = std::make_unique<QOpenGLFramebufferObject>(width, height);
  context()->functions()->glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene->handle());
  window->GetState()->Reset();
  window->GetState()->vtkglDisable(GL_SCISSOR_TEST);
  window->BlitDisplayFramebuffer(0, 0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                                 GL_NEAREST);
  window->GetState()->Reset();
  fit_to_widget();
  culler->layers = LayerCuller::Layers::overlay;
  renderer->PreserveColorBufferOn();
  window->Render();
  renderer->PreserveColorBufferOff();
  culler->layers = LayerCuller::Layers::all;
}

/// At the start of the overlay's frame: copies the scene into it.
void ViewWidget::Bridge::lay_under_overlay() {
  auto* functions = context()->functions();
  auto* state = window->GetState();
  state->PushReadFramebufferBinding();
  state->vtkglDisable(GL_SCISSOR_TEST);
  functions->glBindFramebuffer(GL_READ_FRAMEBUFFER, scene->handle());
  const int* size = window->GetSize();
  context()->extraFunctions()->glBlitFramebuffer(0, 0, scene->width(), scene->height(), 0, 0, size[0],
                                                 size[1], GL_COLOR_BUFFER_BIT, GL_LINEAR);
  state->PopReadFramebufferBinding();
}

void ViewWidget::Bridge::show_frame() {
  auto* functions = context()->functions();
  const int width = static_cast<int>(std::lround(widget.width() * widget.devicePixelRatioF()));
  const int height = static_cast<int>(std::lround(widget.height() * widget.devicePixelRatioF()));
  canvas->makeCurrent();
  functions->glBindFramebuffer(GL_DRAW_FRAMEBUFFER, canvas->defaultFramebufferObject());
  const GLenum target = GL_COLOR_ATTACHMENT0;
  context()->extraFunctions()->glDrawBuffers(1, &target);
  window->GetState()->Reset();
  window->GetState()->vtkglDisable(GL_SCISSOR_TEST);
  const int* size = window->GetSize();
  window->BlitDisplayFramebuffer(0, 0, 0, size[0], size[1], 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                                 GL_NEAREST);
  // Qt composes with alpha, and VTK leaves arbitrary alpha values.
  functions->glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
  functions->glClearColor(0, 0, 0, 1);
  functions->glClear(GL_COLOR_BUFFER_BIT);
  functions->glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  window->GetState()->Reset();
}

void ViewWidget::Bridge::place_pointer(const QPointF& place, Qt::KeyboardModifiers modifiers) {
  const double scale = widget.devicePixelRatioF();
  interactor->SetEventInformationFlipY(
      static_cast<int>(place.x() * scale), static_cast<int>(place.y() * scale),
      modifiers.testFlag(Qt::ControlModifier), modifiers.testFlag(Qt::ShiftModifier));
  interactor->SetAltKey(modifiers.testFlag(Qt::AltModifier));
}

void ViewWidget::Bridge::follow_click(const QMouseEvent& event) {
  const QPointF place = event.position();
  if (event.type() == QEvent::MouseButtonPress) {
    pressed_at.reset();
    if (event.button() == Qt::LeftButton) pressed_at = place;
  } else if (pressed_at &&
             (place - *pressed_at).manhattanLength() >= QGuiApplication::styleHints()->startDragDistance()) {
    pressed_at.reset();
  } else if (event.type() == QEvent::MouseButtonRelease && std::exchange(pressed_at, std::nullopt)) {
    const double x = place.x() / widget.width(), y = 1 - place.y() / widget.height();
    if (event.modifiers() == Qt::NoModifier) {
      Q_EMIT widget.clicked(x, y);
    } else {
      Q_EMIT widget.clicked_with_keys(x, y);
    }
  }
}

bool ViewWidget::Bridge::mouse(QMouseEvent& event) {
  place_pointer(event.position(), event.modifiers());
  struct ButtonEvents {
    Qt::MouseButton button;
    unsigned long press, release, double_click;
  };
  static constexpr std::array<ButtonEvents, 3> buttons{
      {{Qt::LeftButton, vtkCommand::LeftButtonPressEvent, vtkCommand::LeftButtonReleaseEvent,
        vtkCommand::LeftButtonDoubleClickEvent},
       {Qt::MiddleButton, vtkCommand::MiddleButtonPressEvent, vtkCommand::MiddleButtonReleaseEvent,
        vtkCommand::MiddleButtonDoubleClickEvent},
       {Qt::RightButton, vtkCommand::RightButtonPressEvent, vtkCommand::RightButtonReleaseEvent,
        vtkCommand::RightButtonDoubleClickEvent}}};
  follow_click(event);
  if (event.type() == QEvent::MouseMove) {
    interactor->InvokeEvent(vtkCommand::MouseMoveEvent);
    return true;
  }
  for (const auto& each : buttons) {
    if (each.button != event.button()) continue;
    interactor->InvokeEvent(event.type() == QEvent::MouseButtonPress     ? each.press
                            : event.type() == QEvent::MouseButtonRelease ? each.release
                                                                         : each.double_click);
    return true;
  }
  return false;
}

bool ViewWidget::Bridge::wheel(QWheelEvent& event) {
  constexpr int notch = 120;  // a notch of a common wheel, in eighths of a degree; touchpads send fractions
  place_pointer(event.position(), event.modifiers());
  wheel_angle += event.angleDelta().y();
  for (; wheel_angle >= notch; wheel_angle -= notch)
    interactor->InvokeEvent(vtkCommand::MouseWheelForwardEvent);
  for (; wheel_angle <= -notch; wheel_angle += notch)
    interactor->InvokeEvent(vtkCommand::MouseWheelBackwardEvent);
  return true;
}

void ViewWidget::Bridge::crossing(unsigned long vtk_event) {
  interactor->InvokeEvent(vtk_event);
}

void ViewWidget::Bridge::make_surface() {
  if (platform_lacks_opengl()) {
    surface_widget = new Placeholder(
        widget, [this] { return offscreen_picture(); }, [this] { Q_EMIT widget.rendered(); });
  } else {
    canvas = new Canvas(widget, {.initialize = [this] { initialize(); },
                                 .resize = [this] { dirty = true; },
                                 .paint = [this] { paint(); },
                                 .release = [this] { release(); }});
    surface_widget = canvas;
  }
}

void ViewWidget::Bridge::initialize() {
  surface = context()->surface();
  start_gl(*window);
  dirty = true;
}

void ViewWidget::Bridge::paint() {
  const bool fresh = dirty;
  if (fresh) render();
  show_frame();
  if (fresh && !is_draft) Q_EMIT widget.rendered();
}

QImage ViewWidget::Bridge::offscreen_picture() {
  fit_to_widget();
  const int* size = window->GetSize();
  ImageOptions options;
  options.width = size[0];
  options.height = size[1];
  const auto image = render_offscreen(*renderer, options);
  const QImage upside_down(static_cast<const uchar*>(image->GetScalarPointer()), size[0], size[1],
                           qsizetype{3} * size[0], QImage::Format_RGB888);
  return upside_down.mirrored();
}

ViewWidget::ViewWidget(QWidget* parent) : QWidget(parent), bridge_(std::make_unique<Bridge>(*this)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(64, 64);
  bridge_->make_surface();
}

ViewWidget::~ViewWidget() {
  delete bridge_->surface_widget;  // while the bridge can still release VTK's objects in its context
}

void ViewWidget::set_default_surface_format() {
  QSurfaceFormat format;
  format.setRenderableType(QSurfaceFormat::OpenGL);
  format.setVersion(3, 3);
  format.setProfile(QSurfaceFormat::CoreProfile);
  // Forward-compatible contexts, Qt's default, refuse lines wider than a pixel.
  format.setOption(QSurfaceFormat::DeprecatedFunctions);
  format.setRedBufferSize(8);
  format.setGreenBufferSize(8);
  format.setBlueBufferSize(8);
  format.setAlphaBufferSize(0);
  format.setDepthBufferSize(24);
  format.setSamples(0);
  QSurfaceFormat::setDefaultFormat(format);
}

vtkRenderer* ViewWidget::renderer() const {
  return bridge_->renderer;
}
vtkRenderWindow* ViewWidget::render_window() const {
  return bridge_->window;
}

void ViewWidget::set_interaction(Interaction interaction) {
  bridge_->interaction = interaction;
  bridge_->style->set_turntable(interaction == Interaction::turntable);
}

Interaction ViewWidget::interaction() const {
  return bridge_->interaction;
}

void ViewWidget::turn(double right_degrees, double up_degrees) {
  const auto act = interaction() == Interaction::turntable ? orbit_upright : orbit;
  act(*renderer(), right_degrees, up_degrees);
  request_render();
}

void ViewWidget::request_render() {
  bridge_->request_frame();
}

void ViewWidget::keep_resolution_of_drafts() {
  bridge_->keeps_resolution = true;
}

void ViewWidget::end_drafts() {
  bridge_->settle.stop();
  bridge_->draft(false);
}

QImage ViewWidget::grabFramebuffer() {
  end_drafts();
  return bridge_->canvas != nullptr ? bridge_->canvas->grabFramebuffer() : bridge_->offscreen_picture();
}

void ViewWidget::resizeEvent(QResizeEvent*) {
  bridge_->surface_widget->resize(size());
}

bool ViewWidget::event(QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseMove:
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonRelease:
    case QEvent::MouseButtonDblClick:
      QWidget::event(event);
      event->setAccepted(bridge_->mouse(*static_cast<QMouseEvent*>(event)));
      return true;
    case QEvent::Wheel:
      event->setAccepted(bridge_->wheel(*static_cast<QWheelEvent*>(event)));
      return true;
    case QEvent::Enter:
      bridge_->crossing(vtkCommand::EnterEvent);
      break;
    case QEvent::Leave:
      bridge_->crossing(vtkCommand::LeaveEvent);
      break;
    case QEvent::ScreenChangeInternal:
      request_render();
      break;  // e.g. another pixel ratio
    default:
      break;
  }
  return QWidget::event(event);
}

}  // namespace isolume::scene

#include "moc_view_widget.cpp"
