// What has been recorded: a trajectory that is shown, and the run as one that is written.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/labs/nbody/nbody_lab.h"
#include "app/labs/nbody/session_course.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"
#include "core/base/shown_number.h"
#include "core/nbody/files/recorded_run.h"

namespace isolume::labs::nbody {
namespace {

/// What the runner gives when it comes to it; a person who waits may cancel meanwhile.
template <class Result>
Result awaited(std::future<Result> future, const jobs::Progress& progress) {
  while (future.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) progress.check();
  return future.get();
}

std::string no_recording() {
  return workbench::said(QObject::tr("No recording is shown. Open a trajectory."));
}

}  // namespace

void NBodyLab::add_recording_commands() {
  auto& commands = context_.commands;
  commands.bind(
      "nbody.record",
      [this](const commands::Arguments& arguments) {
        record(arguments.text("file"), arguments.large_integer("every"),
               arguments.has("last") ? std::optional(arguments.large_integer("last")) : std::nullopt);
      },
      [this] { return without_bodies(); });
  commands.bind(
      "nbody.recording", [this](const auto&) { show_recording(); },
      [this] { return read_.trajectory ? std::string() : no_recording(); });
  commands.bind(
      "nbody.diagnose", [this](const auto&) { compute_diagnostics(); },
      [this] { return recorded() && runner_ ? std::string() : no_recording(); });
}

/// A recording ends: there time stops, or comes in again at its other end. What is computed goes on.
std::int64_t NBodyLab::step_to_show(double time) {
  const std::int64_t step = std::llround(time);
  if (!recorded()) return step;
  const std::int64_t last = runner_->recorded().last;
  if (step >= 0 && step <= last) return step;
  const bool before = step < 0;
  const bool loops = playback_.clock().at_end() == simulation::Clock::AtEnd::loop && playback_.playing();
  const std::int64_t end = before != loops ? 0 : last;
  if (!loops) playback_.pause();
  playback_.show_time(static_cast<double>(end));
  return end;
}

QString NBodyLab::told_step(std::int64_t step) const {
  if (!recorded()) return QObject::tr("Step %1").arg(QString::fromStdString(typeset(std::to_string(step))));
  return QObject::tr("Snapshot %1 of 0 to %2, step %3")
      .arg(step)
      .arg(runner_->recorded().last)
      .arg(read_.trajectory->step()[static_cast<std::size_t>(step)], 0, 'f', 0);
}

/// Of a recording they are others once a parameter is, and so is what follows from them.
void NBodyLab::forget_earlier_forces() {
  if (!picture_.empty()) extent_ = picture_.drawing().extent;
  ++system_;  // drawings that are on their way are of before
  frame_.reset();
  shown_ = nothing;
  if (panel_) panel_->forget_after(-1);
  want(static_cast<double>(wanted_));
}

/// A frame that was made before the parameter acted.
bool NBodyLab::is_of_before(const science::NBodyFrame& frame) const {
  if (!recorded()) return false;
  return std::ranges::any_of(science::differing_keys(frame.options, run_), [this](const std::string& key) {
    return !(key == "dt" && !step_chosen_) && !(key == "softening" && !softening_chosen_);
  });
}

/// What goes on from another moment would begin anew, or the branch's first step is forgotten.
void NBodyLab::require_branch_stays(std::int64_t back_to) const {
  if (!branch_ || !(recorded() || back_to < branch_->plan().step)) return;
  throw Error(workbench::said(
      QObject::tr("The branch begins at step %1, which would be discarded. Close or keep the branch first."),
      std::to_string(branch_->plan().step)));
}

/// The same view of what is made next.
void NBodyLab::keep_view() {
  if (picture_.empty()) return;
  extent_ = picture_.drawing().extent;
  camera_kept_ = true;
}

void NBodyLab::go_on_from_recorded() {
  from_moment_ = static_cast<std::size_t>(shown_);
  first_step_ = shown_;
  first_wanted_.reset();
  first_course_.reset();
  keep_view();
  make_bodies();
}

void NBodyLab::show_recording() {
  if (!from_moment_) return;
  first_wanted_ = static_cast<std::int64_t>(*std::exchange(from_moment_, std::nullopt));
  first_step_ = 0;
  first_course_.reset();
  keep_view();
  make_bodies();
}

/// Of all moments, those that nobody has looked at among them.
void NBodyLab::compute_diagnostics() {
  context_.jobs.submit(
      workbench::said(QObject::tr("Diagnostics of all snapshots")), "nbody.diagnose",
      [this, trajectory = read_.trajectory, run = run_, engines = engines_, of = system_, chosen = chosen(),
       to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        science::RecordedRun moments(trajectory, run, chosen, engines);
        const std::int64_t last = *moments.recorded_until();
        for (;;) {
          const double done = static_cast<double>(moments.step()) / static_cast<double>(last + 1);
          const auto frame = moments.frame(science::frame_diagnostics, progress.part(done, done));
          const bool is_last = moments.step() == last;
          to_gui(workbench::guarded(this, [this, frame, of, is_last] {
            if (of != system_ || !panel_) return;  // other forces, or other bodies
            panel_->add(*frame);
            if (is_last) panel_->show(shown_);
          }));
          if (is_last) return;
          progress.check();
          moments.advance(1);
        }
      });
}

std::string NBodyLab::made_by() const {
  return file_ ? file_->string() : science::flags_of(scene_);
}

namespace {

/// Of all bodies that are there at one step or at the other, later one: those that merge or are added meanwhile among them.
science::BodyLabels labels_of_both(const science::NBodySimulation& first,
                                   const science::NBodySimulation& last, std::vector<double>& mass) {
  science::BodyLabels labels = *first.labels();
  mass = first.bodies().mass;
  const science::BodyLabels& later = *last.labels();
  labels.origins = later.origins;  // the same ones, and after them those of added bodies
  const std::uint64_t highest = std::ranges::max(labels.id);
  for (std::size_t i = 0; i < later.id.size(); ++i) {
    if (later.id[i] <= highest) continue;  // added bodies have the highest numbers
    labels.id.push_back(later.id[i]);
    labels.origin.push_back(later.origin[i]);
    labels.mass.push_back(later.mass[i]);
    if (!later.radius.empty()) labels.radius.push_back(later.radius[i]);
    mass.push_back(last.bodies().mass[i]);
  }
  return labels;
}

}  // namespace

/// Steps that are not in memory are computed again on the way, bit for bit.
void NBodyLab::record(const std::filesystem::path& path, std::int64_t every,
                      std::optional<std::int64_t> wanted_last) {
  if (recorded())
    throw Error(workbench::said(QObject::tr("This document shows the recording %1 itself. Copy that file, or "
                                            "continue from one of its snapshots first (nbody.rewind)."),
                                file_->filename().string()));
  const auto [first, computed, epoch] = runner_->recorded();
  const std::int64_t last = wanted_last.value_or(computed);
  if (last < first)
    throw Error(
        workbench::said(QObject::tr("The run begins at step %1. Give a last step that is not before it."),
                        std::to_string(first)));
  const bool changes = !run_.added.empty() || run_.collisions != science::Collisions::none;  // of the bodies
  context_.jobs.submit(
      workbench::said(QObject::tr("Record %1"), path.filename().string()), {},
      [this, path, every, last, runner = runner_, first = first, computed = computed, made_by = made_by(),
       changes, bodies = start_->bodies.size(),
       to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        const auto moments = static_cast<std::uint64_t>((last - first) / every + 2);
        science::TrajectoryWriter::require_space(
            path, bodies, moments,
            workbench::said(
                QObject::tr("Record fewer snapshots, e.g. every tenth step, or choose another folder.")));
        std::optional<science::TrajectoryWriter> writer;
        const auto add_all = [&] {
          for (std::int64_t step = first;; step = std::min(step + every, last)) {
            progress.check();
            progress.report(static_cast<double>(step - first) / static_cast<double>(last - first + 1));
            const auto made = awaited(runner->branch(step), progress);
            const auto& simulation = dynamic_cast<const science::NBodySimulation&>(*made);
            if (!writer && changes) {
              const auto later = awaited(runner->branch(std::min(last, computed)), progress);
              std::vector<double> mass;
              const auto labels =
                  labels_of_both(simulation, dynamic_cast<const science::NBodySimulation&>(*later), mass);
              writer.emplace(path, labels, mass, made_by, true);
            } else if (!writer) {
              writer.emplace(path, simulation, made_by);
            }
            writer->add(simulation);
            if (step == last) break;
          }
          progress.check();
        };
        try {
          add_all();
        } catch (const Cancelled&) {
          // What was there before stays: it may be the whole of what is now a part.
          if (!writer || writer->moments() < 2 || std::filesystem::exists(path)) throw;
          const std::int64_t kept = writer->last_step();
          writer->finish();
          to_gui(workbench::guarded(this, [this, kept, name = path.filename().string()] {
            context_.show_warning(QString::fromStdString(workbench::said(
                QObject::tr("The recording was cancelled: %1 holds the steps up to %2."), name, kept)));
          }));
          throw;
        }
        writer->finish();
      });
}

/// How the bodies have come to be as they are; null where that is not known yet.
std::function<nlohmann::json()> NBodyLab::course_for_session() const {
  if (recorded()) return nullptr;
  if (preparing_ && first_course_) return [course = *first_course_] { return to_json(course); };
  if (preparing_ || !runner_) return nullptr;
  const auto course = std::make_shared<std::future<simulation::Course>>(runner_->course());
  return [runner = runner_, course] { return to_json(course->get()); };
}

}  // namespace isolume::labs::nbody
