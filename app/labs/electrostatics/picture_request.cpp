#include "app/labs/electrostatics/picture_request.h"

namespace isolume::labs::electrostatics {

std::shared_ptr<const fields::FieldSource> shape_of(const PictureRequest& request) {
  if (request.view.shown != Shown::surface) return nullptr;
  return surface_source(request.molecule, {request.view.form, request.how.probe_angstrom}, request.where);
}

scene::FieldPicture compute_picture(const PictureRequest& request, const jobs::Progress& progress) {
  const auto source = potential_source(request.molecule, request.how, request.where);
  auto made = source->compute(source->lattice(), progress.part(0, 0.8));
  if (const auto shape = shape_of(request)) {
    made.second = std::make_shared<const fields::MadeField>(
        shape->compute(made.field->lattice, progress.part(0.8, 0.9)));
  }
  return scene::picture_of(made, true, request.view, nullptr, progress.part(0.9, 1));
}

}  // namespace isolume::labs::electrostatics
