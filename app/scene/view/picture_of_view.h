#pragma once

#include <functional>
#include <memory>

#include "app/scene/files/image.h"

namespace isolume::scene {

class ViewWidget;

/// A picture of what a view shows, in another size and shape. `fill` adds the scene to a separate renderer
/// with the view's camera, and returns an object that must live until it is drawn. Runs on the GUI thread,
/// because VTK's fonts are shared by all scenes and not thread-safe; the pointer shows a wait cursor. Throws
/// like render_offscreen.
vtkSmartPointer<vtkImageData> picture_of_view(
    ViewWidget& view, const ImageOptions& options,
    const std::function<std::shared_ptr<const void>(vtkRenderer&)>& fill);

}  // namespace isolume::scene
