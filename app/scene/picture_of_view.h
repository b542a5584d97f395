#pragma once

#include <functional>
#include <memory>

#include "app/scene/image.h"

namespace isolume::scene {

class ViewWidget;

/// A picture of what a view shows, of another size and shape: `fill` puts the scene into a renderer of its own, which is
/// looked at as the view's is, and gives what must live until it is drawn. On the GUI thread, because VTK's fonts are shared by all scenes and not safe for threads;
/// the pointer shows that people wait. Throws as render_offscreen does.
vtkSmartPointer<vtkImageData> picture_of_view(
    ViewWidget& view, const ImageOptions& options,
    const std::function<std::shared_ptr<const void>(vtkRenderer&)>& fill);

}  // namespace isolume::scene
