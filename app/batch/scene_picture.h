#pragma once

#include <string>

#include "app/scene/files/image.h"

class vtkRenderer;
namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// Options of verbs that draw one scene as a PNG.
struct ScenePicture {
  scene::ImageOptions image;
  std::string camera = "tilted";  ///< the initial view of the window
  bool dark = false;
  bool json = false;
  std::string output;
};
/// --output, --size, --dpi, --camera, --transparent, --dark and --json; `picture` must outlive the parsing.
void add_scene_picture_options(CLI::App& command, Context& context, ScenePicture& picture);

/// Draws the renderer's scene from the chosen camera and writes it, as the last fifth of the progress. Throws
/// Error, Cancelled.
void draw(Context& context, vtkRenderer& renderer, const ScenePicture& picture);

}  // namespace isolume::batch
