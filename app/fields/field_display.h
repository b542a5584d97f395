#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/scene/fields/field_scene.h"
#include "core/parameters/schema.h"

namespace isolume::fields {

/// A field in a renderer with the other objects of its lab: one in the window, and another one for each
/// exported image.
class FieldDisplay {
 public:
  virtual ~FieldDisplay() = default;
  virtual scene::FieldScene& field() = 0;
  /// Applies the current view parameters of the lab.
  virtual void restyle(bool dark) = 0;
  /// Text for the resting pointer, at a picture position from 0 (lower left corner) to 1; may be empty.
  virtual std::string reading_at(double x, double y) { return field().reading_at(x, y); }
  /// As FieldScene::prepare_export, including the other objects.
  virtual std::function<void()> prepare_export(const std::filesystem::path& path) {
    return field().prepare_export(path, {});
  }
};

/// Interface to a lab that shows more than a field. The referenced objects belong to the lab.
struct FieldLab {
  std::string name;                      ///< name in its commands
  scene::FieldView& view;                ///< often the base of the lab's own view
  parameters::ParameterSet& parameters;  ///< of the view
  std::function<std::string()> unit;     ///< unit of the requested field
  std::function<std::unique_ptr<FieldDisplay>(vtkRenderer& renderer)> make_display;
  /// Command that dragging the slice runs; the new position is appended.
  std::string slice_command = "parameter.set slice-position";
  /// Initial view direction; empty if the lab places the camera.
  std::string first_look = "isometric";
  /// Whether pictures change too fast for counting their values; null: never.
  std::function<bool()> moving = nullptr;
  /// Called when a picture is shown; may be null.
  std::function<void(const scene::FieldPicture& picture)> shown = nullptr;
};

}  // namespace isolume::fields
