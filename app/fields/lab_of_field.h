#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/fields/field_playback.h"
#include "app/fields/field_window.h"
#include "app/workbench/contract/lab.h"

namespace isolume::fields {

/// A lab with the parameters of a FieldWindow and others.
class LabOfField : public workbench::Lab {
 public:
  QWidget* page() override { return field_playback().make_page(); }
  std::vector<std::string> goes_with(std::string_view key, const parameters::Value& value) const override;
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override {
    field_window().write_image(path, {width, height, transparent, dpi});
  }
  QString export_filter() const override { return FieldWindow::export_filter(); }
  void export_file(const std::filesystem::path& path) override { field_window().export_file(path); }
  /// How time runs.
  std::function<nlohmann::json()> state() const override;
  void restore(const nlohmann::json& state) override;
  std::optional<workbench::Passage> passage() override { return field_playback().passage(); }
  bool moving() const override { return field_playback().playing(); }
  void stop_moving() override { field_playback().pause(); }
  void theme_changed(bool /*dark*/) override { field_window().theme_changed(); }
  void panels_seen() override { field_window().panels_seen(); }
  void camera_fitted() override { field_window().take_camera(); }
  void shown_changed(bool shown) override {
    if (!shown) stop_moving();
  }

 protected:
  virtual FieldWindow& field_window() = 0;
  virtual const FieldPlayback& field_playback() const = 0;
  FieldPlayback& field_playback() {
    return const_cast<FieldPlayback&>(std::as_const(*this).field_playback());
  }
};

}  // namespace isolume::fields
