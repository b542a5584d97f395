#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/scene/field_scene.h"
#include "core/parameters/schema.h"

namespace isolume::fields {

/// A field in a renderer with what its lab shows beside it: in the window, and once more in each image that is written.
class FieldDisplay {
 public:
  virtual ~FieldDisplay() = default;
  virtual scene::FieldScene& field() = 0;
  /// As the lab's parameters of the view say now.
  virtual void restyle(bool dark) = 0;
  /// What the pointer tells where it rests, at a place of the picture from 0 at its lower left corner to 1; empty: nothing.
  virtual std::string reading_at(double x, double y) { return field().reading_at(x, y); }
  /// As FieldScene::prepare_export, with what stands beside the field.
  virtual std::function<void()> prepare_export(const std::filesystem::path& path) {
    return field().prepare_export(path, {});
  }
};

/// What a FieldWindow must know of a lab that shows more than a field. The lab keeps what is referred to.
struct FieldLab {
  std::string name;                      ///< as in its commands
  scene::FieldView& view;                ///< often the beginning of the lab's own
  parameters::ParameterSet& parameters;  ///< of the view
  std::function<std::string()> unit;     ///< of the field that was asked for
  std::function<std::unique_ptr<FieldDisplay>(vtkRenderer& renderer)> make_display;
  /// What dragging the slice runs, with the new position behind it.
  std::string slice_command = "parameter.set slice-position";
  /// Where the camera looks from when the first picture comes; empty: the lab has placed it.
  std::string first_look = "isometric";
  /// Whether pictures follow each other so fast that their values are not counted; null: never.
  std::function<bool()> moving = nullptr;
  /// Called when a picture has come and is shown; null: nobody asks.
  std::function<void(const scene::FieldPicture& picture)> shown = nullptr;
};

}  // namespace isolume::fields
