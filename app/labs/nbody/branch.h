#pragma once

#include <QObject>
#include <QPointer>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <vtkCallbackCommand.h>
#include <vtkNew.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>

#include "app/labs/nbody/bodies_drawer.h"
#include "app/labs/nbody/bodies_picture.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/lab.h"
#include "core/jobs/activity.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/simulation/runner.h"

namespace isolume::labs::nbody {

/// Where a second run leaves a first one, and which parameters of a run (run_schema) have other values from there on.
struct BranchPlan {
  std::int64_t step = 0;
  std::map<std::string, parameters::Value> changes = {};
  bool operator==(const BranchPlan&) const = default;
};
/// Throws Error where a value is not allowed; nothing is said of values that do not go together.
isolume::nbody::RunOptions changed(isolume::nbody::RunOptions options, const BranchPlan& plan);

/// What differs between runs, of each: "Opening angle 0.3", "Opening angle 0.9"; empty where nothing does.
struct Captions {
  QString first, second;
};
Captions captions(const isolume::nbody::RunOptions& first, const isolume::nbody::RunOptions& second);

/// A second run of the same bodies, from a moment of a first one on, which is drawn in a view beside it: at each time
/// that the first one is shown at, on the same scale and with the same colours. Before its start the two are one. On the
/// GUI thread.
class Branch final : public QObject {
  Q_OBJECT
 public:
  using Runner = std::unique_ptr<simulation::Runner>;
  struct Start {
    BranchPlan plan;
    double time = 0;                          ///< of its step
    isolume::nbody::RunOptions options = {};  ///< of the first run there
    Runner runner;                            ///< at that step, with the plan's changes
  };
  /// The camera of the lab's view becomes that of `view`, too.
  Branch(workbench::LabContext& context, scene::ViewWidget& view, Start start);
  ~Branch() override;

  const BranchPlan& plan() const { return start_.plan; }
  /// Of the first run where it begins.
  const isolume::nbody::RunOptions& first_options() const { return start_.options; }
  /// How it is followed.
  const isolume::nbody::RunOptions& options() const { return options_; }
  /// From the same step on with other changes, which differ in one parameter at most; what has been computed is
  /// forgotten. False, and nothing is done, where they differ in more. Throws Error where they are not allowed.
  bool change(const BranchPlan& plan);

  /// The first run will come to that time soon: it is computed meanwhile.
  void expect(double time);
  /// The first run is shown like this.
  void accompany(BodiesRequest first);
  /// Whether it shows the same time as the first one, or cannot.
  bool settled() const { return (!due_ && shown_ == asked_) || !trouble_.empty() || undrawn_; }
  /// Bodies could not be had from their device: see NBodyLab::draw_again.
  void draw_again();
  void set_caption(const QString& text);
  BodiesPicture& picture() { return *picture_; }
  scene::ViewWidget* view() const { return view_; }
  /// Of the step that is shown.
  std::int64_t step() const;
  double steps_per_second() const { return start_.runner->status().steps_per_second; }
  /// What computes and draws it, and may take a moment to end; without them it is of no more use.
  struct Parts {
    Runner runner;
    std::unique_ptr<BodiesDrawer> drawings;
  };
  Parts let_go();

 Q_SIGNALS:
  /// Of its own steps, each once it is there, in order.
  void computed(const isolume::nbody::NBodyFrame& frame);
  void shown();
  /// It stops there.
  void troubled(const QString& why);

 private:
  using Frame = std::shared_ptr<const isolume::nbody::NBodyFrame>;

  std::int64_t step_at(double time) const;
  bool before_start() const { return first_.frame->time < start_.time; }
  void follow_camera();
  Frame frame(std::int64_t step) const;
  void follow();
  void take(const DrawingRequest& request, const BodiesDrawing& drawing);
  std::vector<Frame> history() const;

  workbench::LabContext& context_;
  QPointer<scene::ViewWidget> view_;
  vtkSmartPointer<vtkRenderer> renderer_;  ///< the view may be gone first
  Start start_;
  isolume::nbody::RunOptions options_;
  vtkNew<vtkCallbackCommand> camera_moved_;
  std::string camera_;  ///< where it was last
  std::unique_ptr<BodiesPicture> picture_;
  BodiesRequest first_;
  std::int64_t taken_, ahead_;  ///< steps: the last one that has been told of, and that is computed already
  bool due_ = false;            ///< a drawing is asked for as soon as there is its frame
  std::uint64_t asked_ = 0, shown_ = 0;  ///< drawings, counted
  bool undrawn_ = false;                 ///< there was no memory for the last one
  std::string trouble_;
  std::unique_ptr<BodiesDrawer> drawings_;
};

}  // namespace isolume::labs::nbody
