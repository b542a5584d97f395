#include "app/batch/scene_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vtkImageData.h>
#include <vtkRenderer.h>

#include "app/batch/context.h"
#include "app/batch/picture_options.h"
#include "app/scene/cameras/camera.h"

namespace isolume::batch {

void add_scene_picture_options(CLI::App& command, Context& context, ScenePicture& picture) {
  add_option(command, context, &picture.output, commands::path("output", "The PNG file to write"));
  add_picture_options(command, picture.image.width, picture.image.height, picture.image.dpi, context);
  add_option(command, context, &picture.camera,
             commands::text("camera", fmt::format("{}, or px,py,pz,fx,fy,fz,ux,uy,uz in angstrom",
                                                  fmt::join(scene::view_presets(), ", "))));
  add_flag(command, "transparent", picture.image.transparent, "No background");
  add_flag(command, "dark", picture.dark, "Colours for a dark background");
  add_flag(command, "json", picture.json, "Print what was drawn as JSON");
}

void draw(Context& context, vtkRenderer& renderer, const ScenePicture& picture) {
  scene::set_camera(renderer, picture.camera);
  context.progress.check();
  context.progress.report(0.8, "drawing");
  const auto image = scene::render_offscreen(renderer, picture.image);
  context.progress.check();
  scene::write_png(*image, picture.image.dpi, picture.output);
}

}  // namespace isolume::batch
