#include "app/scene/props/points_prop.h"

#include <algorithm>

#include <vtkMatrix3x3.h>
#include <vtkMatrix4x4.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLCamera.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLRenderer.h>
#include <vtkOpenGLShaderCache.h>

#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume::scene {
namespace {

std::array<float, 16> numbers_of(vtkMatrix4x4* matrix) {
  std::array<float, 16> numbers{};
  std::copy_n(matrix->GetData(), numbers.size(), numbers.begin());
  return numbers;
}

}  // namespace

vtkStandardNewMacro(PointsProp);

PointsProp::PointsProp() = default;

/// If its OpenGL objects were not released, they have ended with their context.
PointsProp::~PointsProp() {
  if (drawing_) drawing_.release()->abandon();
}

void PointsProp::set_points(std::shared_ptr<const LightPoints> points) {
  points_ = std::move(points);
  Modified();
}

int PointsProp::RenderOpaqueGeometry(vtkViewport* viewport) {
  auto* renderer = vtkOpenGLRenderer::SafeDownCast(viewport);
  if (renderer == nullptr || renderer->GetSelector() != nullptr || points_ == nullptr) return 0;
  auto* window = static_cast<vtkOpenGLRenderWindow*>(renderer->GetRenderWindow());
  window->GetShaderCache()->ReleaseCurrentShader();
  try {
    draw(*renderer);
  } catch (const Error& error) {  // must not pass through VTK and Qt
    log::error("{}", error.what());
    const bool on_device = points_->on_device.has_value();
    points_.reset();
    if (on_device && on_lost_) on_lost_();
    return 0;
  }
  return 1;
}

void PointsProp::draw(vtkOpenGLRenderer& renderer) {
  if (drawing_ == nullptr) {
    drawing_ = std::make_unique<PointsDrawing>();
    uploaded_.reset();
  }
  if (uploaded_ != points_) {
    uploaded_.reset();
    drawing_->upload(*points_);
  }
  uploaded_ = points_;
  vtkMatrix4x4 *view = nullptr, *projection = nullptr, *both = nullptr;
  vtkMatrix3x3* normals = nullptr;
  // Converts to OpenGL's column-major order.
  static_cast<vtkOpenGLCamera*>(renderer.GetActiveCamera())
      ->GetKeyMatrices(&renderer, view, normals, projection, both);
  int width = 0, height = 0;
  renderer.GetTiledSize(&width, &height);  // of this tile; GetSize() is that of all
  // Drafts (see ViewWidget) have coarser light, and texts as sharp as ever.
  const bool draft = renderer.GetRenderWindow()->GetDesiredUpdateRate() > 1;
  drawing_->draw(*points_, numbers_of(view), numbers_of(projection), width, height, draft ? 2 : 1,
                 static_cast<float>(renderer.GetRenderWindow()->GetDPI() / 72.0));
}

void PointsProp::ReleaseGraphicsResources(vtkWindow* window) {
  auto* gl = vtkRenderWindow::SafeDownCast(window);
  if (gl != nullptr && gl->IsCurrent()) drawing_.reset();
}

}  // namespace isolume::scene
