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
#include "app/scene/files/image.h"
#include "app/workbench/contract/lab.h"
#include "core/fields/pipeline.h"
#include "core/jobs/activity.h"
#include "core/parameters/narrowed.h"

class QHelpEvent;
class vtkImageData;

namespace isolume::fields {

/// In the scene's unit.
struct NamedPlace {
  Eigen::Vector3d place;
  QString name;
};

/// The field of a lab in its view: the parameters of its picture, the picture itself, and exports. A lab sets
/// a new source whenever the field changes. For use on the GUI thread.
class FieldWindow final : public QObject {
  Q_OBJECT
 public:
  /// For a lab that shows only a field. `lab`: its name, as in its commands; `unit` of the field,
  /// `length_unit` of the scene, as "angstrom".
  FieldWindow(workbench::LabContext& context, std::string lab, const std::string& unit,
              const std::string& length_unit);
  FieldWindow(workbench::LabContext& context, FieldLab lab);
  ~FieldWindow() override;

  /// Parameters of the picture: surface, slice, view. To be combined with those of the lab.
  parameters::ParameterSet& parameters() { return view_set_; }
  /// Sets one of them and updates the picture.
  void set_parameter(std::string_view key, const parameters::Value& value);
  /// Narrows a parameter's range to the shown field, for a lab that also narrows its own.
  void narrow(parameters::Description& description) const;
  /// For a lab that sets the parameters itself; to be called before `key` changes. Setting the isovalue or
  /// the colour limit switches to the mode that uses it, as a separate change that can be undone.
  void follow_mode(std::string_view key);
  /// Applies a new style to the same picture.
  void restyle();
  /// As FieldScene::keep_in_view, except during a drag.
  void keep_in_view();

  /// Requests the picture of this field, coloured by a second one if given, with large surfaces extracted by
  /// `surfaces` unless null. A job computes it, as a preview first unless `detail` excludes that.
  void show(std::shared_ptr<const FieldSource> source, Detail detail = Detail::preview_then_refined,
            std::shared_ptr<const FieldSource> second = nullptr,
            std::shared_ptr<gpu::SurfaceEngine> surfaces = nullptr);
  /// Clears the picture and drops pending requests, for a new subject of the lab.
  void clear();
  /// The same where the picture depends on any other field, surface engine or view than the one that was requested
  /// last; else only restyles it. To be called after any change of parameters. Returns whether it was requested.
  bool follow(std::shared_ptr<const FieldSource> source, std::shared_ptr<const FieldSource> second = nullptr,
              std::shared_ptr<gpu::SurfaceEngine> surfaces = nullptr);
  /// Whether a requested picture is pending.
  bool awaiting() const { return awaiting_; }
  /// To be called when the request was cancelled.
  void give_up_waiting() { awaiting_ = false; }
  /// Throws the error of the requested picture if it could not be computed: the one that is shown belongs to other
  /// settings.
  void require_no_failure() const;
  /// Empty before the first picture.
  const std::optional<scene::FieldPicture>& picture() const { return picture_; }
  FieldDisplay& display() { return *display_; }

  /// Reports the field's value at a position in the scene's unit, in the status bar and to scripts: computed there in
  /// a job, or interpolated if the source takes no lines. Null if the job reports it. Throws Error before the first
  /// picture.
  nlohmann::json probe(const Eigen::Vector3d& place);
  /// Binds the commands of `field_declarations`; `unavailable` as in Command.
  void bind(const std::string& prefix, const std::function<std::string()>& unavailable = nullptr);
  /// A panel for `Lab::panels`: histogram and profile of the field. `how_to_choose_a_line` is shown in place
  /// of the profile while no line is chosen.
  workbench::LabPanel make_values_panel(const QString& how_to_choose_a_line);
  /// Chooses a line between two positions in the scene's unit.
  void choose_line(const Eigen::Vector3d& from, const Eigen::Vector3d& to, const QString& name = {});
  void choose_no_line();
  /// Chooses the line between the two selected atoms. With any other number of atoms there is no such line;
  /// one chosen by positions stays.
  void follow_atoms(std::span<const NamedPlace> atoms);
  /// Text above the charts of the Values panel; may be empty.
  void set_note(const QString& note);

  /// As in Lab, which forwards it. Throws as require_no_failure.
  void write_image(const std::filesystem::path& path, const scene::ImageOptions& options);
  static QString export_filter();
  void export_file(const std::filesystem::path& path);
  void theme_changed() { restyle(); }
  void panels_seen() { show_values(); }
  /// As FieldScene::take_camera.
  void take_camera() { display_->field().take_camera(); }
  /// Keeps the camera as restored from a session.
  void leave_camera();

  /// Image written by `write_image`, of any picture or of the other objects alone.
  vtkSmartPointer<vtkImageData> draw(const scene::ImageOptions& options,
                                     const std::optional<scene::FieldPicture>& picture) const;
  void write_image(const std::filesystem::path& path, const scene::ImageOptions& options,
                   const std::optional<scene::FieldPicture>& picture);
  /// Writes in a job; the status bar then reports the file and `what` it holds.
  void write(const std::filesystem::path& path, jobs::JobRunner::Work work, const QString& what = {});

 private:
  struct Plain;
  FieldWindow(workbench::LabContext& context, std::shared_ptr<Plain> plain, std::string lab, std::string unit,
              std::string length_unit);
  /// All that a picture depends on.
  struct Asked {
    const void* subject;
    std::string key, second_key;
    std::shared_ptr<gpu::SurfaceEngine> surfaces;
    scene::PictureChoices choices;
    bool operator==(const Asked&) const = default;
  };
  Asked asked_for(const FieldSource& source, const FieldSource* second,
                  std::shared_ptr<gpu::SurfaceEngine> surfaces) const;
  void take(const scene::FieldPicture& picture, int request);
  jobs::Activity::Pointer activity_of_request();
  void end_request(int request, const std::string& error);
  void show_readings();
  void follow_colours();
  bool eventFilter(QObject* watched, QEvent* event) override;
  bool show_tip(const QHelpEvent& help);
  /// Nothing is computed for a panel that is out of sight.
  void show_values();
  void show_line();
  void compute_line();
  void show_profile(const Profile& profile);
  void count_values();
  bool dark() const { return context_.dark && context_.dark(); }

  struct Line {
    Eigen::Vector3d from, to;
    QString name;
    bool of_atoms = false;
  };

  workbench::LabContext& context_;
  std::shared_ptr<Plain> plain_;  ///< view of a lab without one of its own
  FieldLab lab_;
  parameters::NarrowedParameters view_set_;
  std::unique_ptr<FieldDisplay> display_;
  Pipeline pipeline_;
  std::shared_ptr<const FieldSource> source_, second_;
  std::optional<Asked> asked_;  ///< empty where the next change requests a picture in any case
  std::optional<scene::FieldPicture> picture_;
  int subject_ = 0;  ///< counter; pictures of an earlier subject are dropped
  QPointer<FieldPanel> values_;
  std::optional<Line> line_;
  QString note_;
  int requests_ = 0;     ///< so far
  std::string failure_;  ///< of the picture that is awaited
  bool awaiting_ = false;
  bool surface_in_readings_ = true;  ///< whether the status says at which isovalue it is
  bool camera_stays_ = false;
  QTimer camera_rest_;
};

}  // namespace isolume::fields
