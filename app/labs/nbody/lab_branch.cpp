// A second run beside the first one.
#include <QSplitter>
#include <QUndoCommand>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/labs/nbody/nbody_lab.h"
#include "app/scene/props/points_drawing.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::nbody {
namespace {

/// From one plan to another; nothing: no branch.
class BranchChange final : public QUndoCommand {
 public:
  using Plan = std::optional<BranchPlan>;
  using Put = std::function<void(const Plan& plan)>;
  BranchChange(const QString& text, Put put, Plan before, Plan after, int gesture)
      : QUndoCommand(text),
        put_(std::move(put)),
        before_(std::move(before)),
        after_(std::move(after)),
        gesture_(gesture) {}

  void undo() override { put_(before_); }
  void redo() override { put_(after_); }
  int id() const override { return gesture_ > 0 ? gesture_ : -1; }
  bool mergeWith(const QUndoCommand* other) override {
    // Entries of other kinds stand on the same stack, and number what merges by themselves.
    const auto* const later = dynamic_cast<const BranchChange*>(other);
    if (later == nullptr) return false;
    after_ = later->after_;
    return true;
  }

 private:
  Put put_;
  Plan before_, after_;
  int gesture_;
};

/// "opening-angle=0.9"
void add_change(const std::string& text, BranchPlan& plan) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw Error(workbench::said(
        QObject::tr("%1 is not a parameter change. Write NAME=VALUE, e.g. opening-angle=0.9."), text));
  const auto& description = science::run_schema().at(text.substr(0, equals)).description;
  plan.changes.insert_or_assign(
      description.key,
      parameters::validated(description, parameters::parse(description, text.substr(equals + 1))));
}

std::string no_branch() {
  return workbench::said(QObject::tr("There is no branch. Start one with nbody.branch."));
}

}  // namespace

nlohmann::json to_json(const BranchPlan& plan) {
  nlohmann::json changes = nlohmann::json::object();
  for (const auto& [key, value] : plan.changes) changes[key] = parameters::to_text(value);
  return {{"step", plan.step}, {"changes", changes}};
}

BranchPlan branch_plan_of_session(const nlohmann::json& json) {
  BranchPlan plan{.step = json.at("step").get<std::int64_t>()};
  for (const auto& [key, value] : json.at("changes").items())
    add_change(key + "=" + value.get<std::string>(), plan);
  return plan;
}

void NBodyLab::add_branch_commands() {
  auto& commands = context_.commands;
  const auto without = [this] { return branch_ ? std::string() : no_branch(); };
  commands.bind(
      "nbody.branch",
      [this](const commands::Arguments& arguments) {
        BranchPlan plan{.step = shown_};
        if (arguments.has("change")) {
          for (const std::string& each : arguments.texts("change")) add_change(each, plan);
        }
        require_possible(plan, picture_.drawing().frame->options);
        change_branch(QObject::tr("Branch from step %1").arg(shown_), std::move(plan));
      },
      [this] { return picture_.empty() || shown_ == nothing ? not_there_yet() : std::string(); },
      {.shortcut = "Ctrl+B"});
  commands.bind(
      "nbody.branch-set",
      [this](const commands::Arguments& arguments) {
        BranchPlan plan = branch_->plan();
        add_change(arguments.text("name") + "=" + arguments.text("value"), plan);
        require_possible(plan, branch_->first_options());
        change_branch(QObject::tr("Branch: %1").arg(QString::fromStdString(arguments.text("name"))),
                      std::move(plan));
      },
      without);
  commands.bind(
      "nbody.branch-keep", [this](const auto&) { keep_branch(); }, without);
  commands.bind("nbody.branch-close",
                [this](const auto&) { change_branch(QObject::tr("Close the branch"), std::nullopt); },
                without, {.shortcut = "Ctrl+Shift+B"});
}

/// Of a run that had these options before.
void NBodyLab::require_possible(const BranchPlan& plan, const science::RunOptions& options) const {
  const science::RunOptions wanted = changed(options, plan);
  science::check(wanted);
  engines_->find(wanted.engine);
}

BranchPanel* NBodyLab::make_branch_panel() {
  const auto run = [this](const char* command, const std::vector<std::string>& arguments) {
    bool taken = true;
    try {
      context_.commands.run(command, arguments);
    } catch (const Error& error) {
      taken = false;
      context_.show_status(QString::fromUtf8(error.what()));
      show_branch_panel();  // a refused value must not stay in its editor
    }
    context_.availability_changed();
    return taken;
  };
  return new BranchPanel(
      [run](const char* command) { run(command, {}); },
      {.set =
           [run](const std::string& key, const std::string& value) {
             return run("nbody.branch-set", {key, value});
           },
       .reset =
           [this, run](const std::string& key) {
             const auto& field = science::run_schema().at(key);
             run("nbody.branch-set", {key, parameters::to_text(field.get(branch_->first_options()))});
           },
       .begin_gesture = [this] { branch_gesture_ = ++last_branch_gesture_; },
       .end_gesture = [this] { branch_gesture_ = 0; }});
}

void NBodyLab::change_branch(const QString& what, std::optional<BranchPlan> plan) {
  std::optional<BranchPlan> before;
  if (branch_) before = branch_->plan();
  if (before == plan) return;
  context_.undo.push(new BranchChange(
      what, [this](const auto& each) { put_branch(each); }, std::move(before), std::move(plan),
      branch_gesture_));
}

void NBodyLab::put_branch(const std::optional<BranchPlan>& plan) {
  if (!plan) return close_branch();
  if (!branch_ || !branch_->change(*plan)) return begin_branch(*plan);
  if (panel_) panel_->clear_branch();
  if (!branch_->settled() && jobs::Activity::current()) awaited_by_ = jobs::Activity::current();
  show_captions();
  show_branch_panel();
}

/// For a session: with all values in which the runs differ. The first run may have changed at that step since, and a
/// course does not tell when.
BranchPlan NBodyLab::lasting_plan() const {
  BranchPlan plan = branch_->plan();
  const science::RunOptions& options = branch_->options();
  for (const auto& field : science::run_schema().fields()) {
    const auto value = field.get(options);
    if (field.description.key != "added-bodies" && value != field.get(run_))
      plan.changes.insert_or_assign(field.description.key, value);
  }
  return plan;
}

/// The runner's thread goes back to the step, which may be computed again on the way.
void NBodyLab::begin_branch(const BranchPlan& plan) {
  if (!runner_) return;  // it begins anew
  const auto copy =
      std::make_shared<std::future<std::unique_ptr<simulation::Simulation>>>(runner_->branch(plan.step));
  const auto way = std::make_shared<std::future<simulation::Course>>(runner_->course(plan.step));
  context_.jobs.submit(
      workbench::said(QObject::tr("Branch from step %1"), std::to_string(plan.step)), "nbody.branch",
      [this, copy, way, plan, of = system_, recorded = recorded(),
       to_gui = context_.on_gui_thread](const jobs::Progress&) {
        auto made = copy->get();
        simulation::Course course;  // of what goes on from a recording: it begins there
        if (!recorded) course = way->get();
        if (!recorded && !plan.changes.empty()) course.way.push_back({plan.step, plan.changes});
        auto& simulation = dynamic_cast<science::NBodySimulation&>(*made);
        const auto start = std::make_shared<Branch::Start>(
            Branch::Start{plan, simulation.time(), simulation.options(), nullptr});
        simulation.set_options(changed(start->options, plan));
        start->runner = std::make_unique<simulation::Runner>(std::move(made), runner_options(), course);
        to_gui(workbench::guarded(this, [this, start, of] {
          if (system_ == of) take_branch(std::move(*start));
        }));
      });
}

void NBodyLab::take_branch(Branch::Start start) {
  close_branch();
  if (!views_) return;
  auto* view = new scene::ViewWidget;
  view->keep_resolution_of_drafts();
  view->setAccessibleName(QObject::tr("View of the branch"));
  context_.adopt_view(*view);
  branch_ = std::make_unique<Branch>(context_, *view, std::move(start));
  connect(view, &scene::ViewWidget::clicked, this,
          [this](double x, double y) { click(branch_->picture(), x, y); });
  connect(branch_.get(), &Branch::computed, this, [this](const science::NBodyFrame& frame) {
    if (panel_) panel_->add_of_branch(frame);
  });
  connect(branch_.get(), &Branch::shown, this, [this] {
    if (all_shown()) awaited_by_.reset();
    if (panel_) panel_->show(shown_);
    show_read_outs();
  });
  branch_->picture().set_on_lost([this, of = branch_.get(), to_gui = context_.on_gui_thread] {
    to_gui(workbench::guarded(this, [this, of] {
      if (branch_.get() == of) of->draw_again();
    }));
  });
  connect(branch_.get(), &Branch::troubled, this, [this](const QString& why) {
    playback_.pause();
    if (const auto activity = std::exchange(awaited_by_, nullptr)) activity->fail(why.toStdString());
    context_.show_warning(why);
  });
  views_->addWidget(view);
  views_->setSizes({1, 1});
  if (panel_) panel_->clear_branch();
  accompany();
  show_branch_panel();
  context_.availability_changed();
}

/// What is shown of the first run, for the branch to show beside it.
void NBodyLab::accompany() {
  if (branch_ && shown_ != nothing) {
    const BodiesDrawing& drawing = picture_.drawing();
    branch_->accompany({.frame = drawing.frame,
                        .look = drawing.look,
                        .extent = drawing.extent,
                        .history = history(*drawing.frame),
                        .colour_range = drawing.points->range,
                        .from_device = from_device_});
    if (!branch_->settled() && jobs::Activity::current()) awaited_by_ = jobs::Activity::current();
  }
  show_captions();
}

void NBodyLab::show_captions() {
  Captions told;
  if (branch_) {
    const QString from = QObject::tr("from step %1").arg(branch_->plan().step);
    told = captions(run_, branch_->options());
    if (told.first.isEmpty()) told = {QObject::tr("First run"), QObject::tr("Branch, same parameters")};
    branch_->set_caption(QStringLiteral("%1, %2").arg(told.second, from));
  }
  if (panel_) panel_->set_names(told.first, told.second);
  if (told.first != std::exchange(caption_, told.first)) {
    picture_.set_caption(told.first.toStdString());
    context_.view.request_render();
  }
}

void NBodyLab::show_branch_panel() {
  if (!branch_panel_) return;
  if (!branch_) return branch_panel_->show_branch({}, nullptr);
  science::RunOptions options = branch_->options();
  parameters::StructParameters set(science::run_schema(), options);
  parameters::NarrowedParameters narrowed(set, {}, [&](auto& each) { narrow(each, options); });
  branch_panel_->show_branch(
      QObject::tr("Branch from step %1 with these parameters. A change restarts it from that step.")
          .arg(branch_->plan().step),
      &narrowed);
}

/// A step or a drawing that is under way may take a moment to let go: not on this thread.
void NBodyLab::end_in_job(std::shared_ptr<void> what) {
  const auto held = std::make_shared<std::shared_ptr<void>>(std::move(what));
  context_.jobs.submit(
      workbench::said(QObject::tr("End a run")), {}, [held](const jobs::Progress&) { held->reset(); },
      jobs::Waited::by_nobody);
}

void NBodyLab::close_branch() {
  if (branch_) forget(branch_->let_go());
}

/// Of the branch.
void NBodyLab::forget(Branch::Parts parts) {
  end_in_job(std::shared_ptr<simulation::Runner>(std::move(parts.runner)));
  end_in_job(std::shared_ptr<BodiesDrawer>(std::move(parts.drawings)));
  delete branch_->view();  // while its picture lives, so that OpenGL's part of that ends in its context
  branch_.reset();
  if (panel_) panel_->clear_branch();
  if (all_shown()) awaited_by_.reset();
  show_captions();
  show_branch_panel();
  context_.availability_changed();
}

/// The branch takes the first run's place; what is recorded begins where it branched.
void NBodyLab::keep_branch() {
  const std::int64_t step = branch_->step();
  const science::RunOptions options = branch_->options();
  const std::int64_t begin = branch_->plan().step;
  step_chosen_ = step_chosen_ || options.dt != run_.dt;
  softening_chosen_ = softening_chosen_ || options.softening != run_.softening;
  steps_chosen_ = steps_chosen_ || options.integrator != run_.integrator ||
                  options.time_steps != run_.time_steps || options.accuracy != run_.accuracy;
  if (panel_) panel_->keep_branch();
  Branch::Parts parts = branch_->let_go();
  auto kept = std::move(parts.runner);
  forget(std::move(parts));
  playback_.pause();
  ++system_;
  end_in_job(std::exchange(runner_, std::move(kept)));
  if (recorded()) {
    from_moment_ = static_cast<std::size_t>(begin);
    first_step_ = begin;
    if (panel_) {
      panel_->forget_before(begin);  // moments, and no steps
      panel_->set_counted(DiagnosticsPanel::tr("Step"));
    }
  }
  observe_runner();
  extent_ = picture_.drawing().extent;
  frame_.reset();
  shown_ = nothing;
  taken_ = begin - 1;
  take_parameters_of_runner();
  want(static_cast<double>(step));
  playback_.show_time(static_cast<double>(step));
}

}  // namespace isolume::labs::nbody
