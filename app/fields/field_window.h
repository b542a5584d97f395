#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>
#include <vtkSmartPointer.h>

#include "app/fields/field_display.h"
#include "app/fields/field_panel.h"
#include "app/scene/image.h"
#include "app/workbench/lab.h"
#include "core/fields/pipeline.h"
#include "core/parameters/narrowed.h"

class QHelpEvent;
class vtkImageData;

namespace isolume::fields {

/// In the scene's unit.
struct NamedPlace {
  Eigen::Vector3d place;
  QString name;
};

/// A lab whose parameters are those of a FieldWindow, and others.
class LabOfField : public workbench::Lab {
 public:
  std::vector<std::string> goes_with(std::string_view key, const parameters::Value& value) const override;
};

/// The one field of a lab in its view: the parameters of its picture, the picture that keeps up with them, and what is
/// written of it. A lab hands it a source whenever the field has become another. On the GUI thread.
class FieldWindow final : public QObject {
  Q_OBJECT
 public:
  /// Of a lab that shows a field and nothing else. `lab`: its name, as in its commands; `unit` of the field,
  /// `length_unit` of the scene, as "angstrom".
  FieldWindow(workbench::LabContext& context, std::string lab, const std::string& unit,
              const std::string& length_unit);
  FieldWindow(workbench::LabContext& context, FieldLab lab);
  ~FieldWindow() override;

  /// Of the picture: surface, slice, view. To be combined with the lab's own.
  parameters::ParameterSet& parameters() { return view_set_; }
  /// Sets one of them and brings the picture up to it.
  void set_parameter(std::string_view key, const parameters::Value& value);
  /// Narrows one of them to the field that is shown, for a lab that narrows its own beside them.
  void narrow(parameters::Description& description) const;
  /// For a lab that sets them itself, before `key` changes: whoever moves the isovalue wants the isovalue, and whoever
  /// moves the limit of the colours wants that. The mode follows, as a change of its own that can be undone.
  void follow_mode(std::string_view key);
  /// The same picture in another style.
  void restyle();
  /// As FieldScene::keep_in_view, but not while a picture is being dragged.
  void keep_in_view();

  /// Asks for the picture of this field, coloured by a second one where there is one, with large surfaces by
  /// `surfaces` unless that is null; it comes by a job, as a preview first unless `detail` says otherwise.
  void show(std::shared_ptr<const FieldSource> source, Detail detail = Detail::preview_then_refined,
            std::shared_ptr<const FieldSource> second = nullptr,
            std::shared_ptr<gpu::SurfaceEngine> surfaces = nullptr);
  /// Nothing is shown, and nothing asked for is waited for: the lab has another subject.
  void clear();
  /// A picture was asked for and has not come yet.
  bool awaiting() const { return awaiting_; }
  /// One that was cancelled will not come.
  void give_up_waiting() { awaiting_ = false; }
  /// Nothing before the first one.
  const std::optional<scene::FieldPicture>& picture() const { return picture_; }
  FieldDisplay& display() { return *display_; }

  /// The field's value there, in the status bar and for scripts; the place in the scene's unit. Throws Error before
  /// the first picture.
  nlohmann::json probe(const Eigen::Vector3d& place);
  /// A panel for `Lab::panels`: how often the field's values occur, and how they run along a line.
  /// `how_to_choose_a_line` stands in the place of the line's chart while there is none.
  workbench::LabPanel make_values_panel(const QString& how_to_choose_a_line);
  /// Between two places in the scene's unit.
  void choose_line(const Eigen::Vector3d& from, const Eigen::Vector3d& to, const QString& name = {});
  void choose_no_line();
  /// Between the two atoms that a person has chosen; of one, none or more of them there is no line, but one that was chosen
  /// by its places stays.
  void follow_atoms(std::span<const NamedPlace> atoms);
  /// What stands above the charts of the Values panel; empty: nothing.
  void set_note(const QString& note);

  /// As of a Lab, which passes it on.
  void write_image(const std::filesystem::path& path, const scene::ImageOptions& options);
  static QString export_filter();
  void export_file(const std::filesystem::path& path);
  void theme_changed() { restyle(); }
  /// A session has put the camera where it is: it stays there.
  void leave_camera();

  /// What `write_image` writes, of any picture or of what stands beside the field alone.
  vtkSmartPointer<vtkImageData> draw(const scene::ImageOptions& options,
                                     const std::optional<scene::FieldPicture>& picture) const;
  void write_image(const std::filesystem::path& path, const scene::ImageOptions& options,
                   const std::optional<scene::FieldPicture>& picture);
  /// As a job; the status bar says when the file is there, and `what` it holds.
  void write(const std::filesystem::path& path, jobs::JobRunner::Work work, const QString& what = {});

 private:
  struct Plain;
  FieldWindow(workbench::LabContext& context, std::shared_ptr<Plain> plain, std::string lab, std::string unit,
              std::string length_unit);
  void take(const scene::FieldPicture& picture);
  void follow_colours();
  bool eventFilter(QObject* watched, QEvent* event) override;
  bool show_tip(const QHelpEvent& help);
  void show_values();
  void show_line();
  void count_values();
  bool dark() const { return context_.dark && context_.dark(); }

  struct Line {
    Eigen::Vector3d from, to;
    QString name;
    bool of_atoms = false;
  };

  workbench::LabContext& context_;
  std::shared_ptr<Plain> plain_;  ///< what a lab without a view of its own refers to
  FieldLab lab_;
  parameters::NarrowedParameters view_set_;
  std::unique_ptr<FieldDisplay> display_;
  Pipeline pipeline_;
  std::shared_ptr<const FieldSource> source_;
  std::optional<scene::FieldPicture> picture_;
  int subject_ = 0;  ///< counts: pictures of an earlier one come too late
  QPointer<FieldPanel> values_;
  std::optional<Line> line_;
  QString note_;
  bool awaiting_ = false;
  bool camera_stays_ = false;
  QTimer camera_rest_;
};

}  // namespace isolume::fields
