#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/fields/field_panel.h"
#include "app/scene/field_scene.h"
#include "app/scene/image.h"
#include "app/workbench/lab.h"
#include "core/fields/pipeline.h"
#include "core/parameters/narrowed.h"

namespace isolume::fields {

/// The one field of a lab in its view: the parameters of its picture, the picture that keeps up with them, and what is
/// written of it. A lab hands it a source whenever the field has become another. On the GUI thread.
class FieldWindow final : public QObject {
  Q_OBJECT
 public:
  /// `lab`: its name, as in its commands; `unit` of the field, `length_unit` of the scene, as "angstrom".
  FieldWindow(workbench::LabContext& context, std::string lab, const std::string& unit,
              const std::string& length_unit);

  /// Of the picture: surface, slice, view. To be combined with the lab's own.
  parameters::ParameterSet& parameters() { return view_set_; }
  /// Sets one of them and brings the picture up to it.
  void set_parameter(std::string_view key, const parameters::Value& value);

  /// Asks for the picture of this field; it comes by a job, as a preview first unless `detail` says otherwise.
  void show(std::shared_ptr<const FieldSource> source, Detail detail = Detail::preview_then_refined);
  /// A picture was asked for and has not come yet.
  bool awaiting() const { return awaiting_; }
  /// Nothing before the first one.
  const std::optional<scene::FieldPicture>& picture() const { return picture_; }
  /// The field's value there, in the status bar; the place in the scene's unit. Throws Error before the first
  /// picture.
  void probe(const Eigen::Vector3d& place);
  /// A panel for `Lab::panels`: how often the field's values occur, and how they run along a line.
  /// `how_to_choose_a_line` stands in the place of the line's chart while there is none.
  workbench::LabPanel make_values_panel(const QString& how_to_choose_a_line);
  /// Between two places in the scene's unit.
  void choose_line(const Eigen::Vector3d& from, const Eigen::Vector3d& to);

  /// As of a Lab, which passes it on.
  void write_image(const std::filesystem::path& path, const scene::ImageOptions& options);
  static QString export_filter();
  void export_file(const std::filesystem::path& path);
  void theme_changed() { restyle(); }
  /// A session has put the camera where it is: it stays there.
  void leave_camera();

 private:
  void take(const scene::FieldPicture& picture);
  void follow_isovalue_mode(std::string_view key);
  void restyle();
  void keep_in_view();
  void write(const std::filesystem::path& path, jobs::JobRunner::Work work);
  bool eventFilter(QObject* watched, QEvent* event) override;
  void show_values();
  void count_values();
  bool dark() const { return context_.dark && context_.dark(); }

  workbench::LabContext& context_;
  const std::string lab_, length_unit_;
  scene::FieldView view_;
  parameters::StructParameters<scene::FieldView> all_of_view_{scene::field_view_schema(), view_};
  parameters::NarrowedParameters view_set_;
  scene::FieldScene scene_;
  Pipeline pipeline_;
  std::shared_ptr<const FieldSource> source_;
  std::optional<scene::FieldPicture> picture_;
  QPointer<FieldPanel> values_;
  std::optional<std::pair<Eigen::Vector3d, Eigen::Vector3d>> line_;
  bool awaiting_ = false;
  bool camera_stays_ = false;
  QTimer camera_rest_;
};

}  // namespace isolume::fields
