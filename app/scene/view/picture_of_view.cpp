#include "app/scene/view/picture_of_view.h"

#include <QGuiApplication>
#include <cmath>

#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "core/base/logging.h"

namespace isolume::scene {
namespace {

class WaitCursor {
 public:
  WaitCursor() { QGuiApplication::setOverrideCursor(Qt::WaitCursor); }
  ~WaitCursor() { QGuiApplication::restoreOverrideCursor(); }
  WaitCursor(const WaitCursor&) = delete;
  WaitCursor& operator=(const WaitCursor&) = delete;
};

}  // namespace

vtkSmartPointer<vtkImageData> picture_of_view(
    ViewWidget& view, const ImageOptions& options,
    const std::function<std::shared_ptr<const void>(vtkRenderer&)>& fill) {
  // The shape of a draft differs by fractions of a pixel, which would change the framing.
  view.end_drafts();
  vtkNew<vtkRenderer> renderer;
  // Nothing is drawn in it: it holds the size of the picture.
  vtkNew<vtkGenericOpenGLRenderWindow> frame;
  frame->SetReadyForRendering(false);
  frame->SetSize(options.width, options.height);
  // Texts of their final size leave the room into which the scene is fitted.
  frame->SetDPI(static_cast<int>(std::lround(72 * picture_pixel_scale(options.height))));
  frame->AddRenderer(renderer);
  const auto alive = fill(*renderer);
  look_like(*view.renderer(), *renderer);
  log::debug("The window does not respond while the image of {} x {} pixels is drawn.", options.width,
             options.height);
  const WaitCursor cursor;
  return render_offscreen(*renderer, options);
}

}  // namespace isolume::scene
