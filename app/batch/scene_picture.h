#pragma once

#include <string>

#include "app/scene/image.h"

class vtkRenderer;
namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// What verbs that draw one scene as a PNG let a person say about it.
struct ScenePicture {
  scene::ImageOptions image;
  std::string camera = "tilted";  ///< as the window starts
  bool dark = false;
  bool json = false;
  std::string output;
};
/// --output, --size, --dpi, --camera, --transparent, --dark and --json; `picture` must outlive the parsing.
void add_scene_picture_options(CLI::App& command, Context& context, ScenePicture& picture);

/// Draws the renderer's scene from where the camera is to stand and writes it; the last fifth of the progress. Throws
/// Error, Cancelled.
void draw(Context& context, vtkRenderer& renderer, const ScenePicture& picture);

}  // namespace isolume::batch
