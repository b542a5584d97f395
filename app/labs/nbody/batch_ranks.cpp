#include "app/labs/nbody/batch_ranks.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/on_ranks.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/nbody/distributed/simulation_on_ranks.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/files/csv.h"

namespace isolume::batch {
namespace {

/// Bodies whose forces are compared with exact ones at moments of a run.
constexpr std::size_t run_samples = 64;

/// How evenly bodies and work are divided, known to all ranks.
nlohmann::ordered_json shares_of(const Ranks& ranks, std::size_t bodies, double sums) {
  const std::array own = {static_cast<double>(bodies), sums};
  const auto all = ranks.gather<double>(own);
  auto shares = nlohmann::ordered_json::array();
  for (int rank = 0; rank < ranks.count(); ++rank) {
    const auto of_rank = all.of(rank);
    shares.push_back({{"bodies", static_cast<std::size_t>(of_rank[0])}, {"sums", of_rank[1]}});
  }
  return shares;
}

/// The longest of all ranks.
nbody::ForceSeconds longest(const Ranks& ranks, const nbody::ForceSeconds& own) {
  std::array seconds = {own.sort, own.tree, own.sums};
  ranks.greatest(seconds);
  return {seconds[0], seconds[1], seconds[2]};
}

nlohmann::ordered_json phases_of(const nbody::ForceSeconds& seconds) {
  return {{"order", seconds.sort}, {"tree", seconds.tree}, {"sums", seconds.sums}};
}

void require_bodies(std::size_t bodies) {
  if (bodies == 0) throw Error("There are no bodies to divide among the ranks. Give at least one body.");
}

double told_by_first(const Ranks& ranks, double value) {
  return ranks.gather<double>(std::array{value}).of(0)[0];
}

void require_no_places(const ForcesRequest& request) {
  if (request.at.empty()) return;
  throw Error(
      "Forces at points (--at) cannot be computed on several ranks. Leave out --at, or start the program "
      "without mpirun.");
}

void compute_forces(Context& context, const ForcesRequest& request, const Ranks& ranks) {
  nbody::Bodies all;
  std::optional<nbody::Units> units;
  Remarks remarks;
  nbody::ForceOptions force = request.force;
  ranks.together([&] {
    require_no_places(request);
    nbody::check_on_ranks(force);
    if (!ranks.is_first()) return;
    check_outputs(context, std::array{request.output}, std::array{request.file});
    nbody::InitialConditions read = nbody::read_bodies(
        request.file, std::nullopt, context.progress.part(0, 0.1), request.file_options.units);
    force = softened_as_recorded(force, *request.command, read, read.remarks);
    nbody::ForceOptions in_its_box = force;
    if (read.box) in_its_box.period = read.box->side;
    nbody::check_on_ranks(in_its_box);
    report(context, request.file, read.remarks);
    add_inputs(context, read.files);
    remarks = std::move(read.remarks);
    all = std::move(read.bodies);
    units = read.units;
    require_bodies(all.size());
  });
  force.softening = told_by_first(ranks, force.softening);
  const std::size_t count = all.size();
  // The number is the first rank's, and all ranks have to choose the same bodies.
  const std::size_t samples =
      nbody::bodies_to_compare(static_cast<std::size_t>(told_by_first(ranks, static_cast<double>(count))));
  nbody::OwnBodies own = nbody::dealt(ranks, all);
  all = {};
  const auto start = std::chrono::steady_clock::now();
  own = nbody::divided(ranks, own, context.progress);
  const double division = seconds_since(start);
  const auto compare = [&](const nbody::Forces& found) {
    return nbody::sampled_errors(ranks, own, found, force.softening, samples, context.progress.part(0.9, 1));
  };
  force.solver = nbody::solver_on_ranks(force.solver);
  const auto [forces, kept] = nbody::forces_within_error(
      force,
      [&](const nbody::ForceOptions& stricter) {
        return nbody::forces_on_ranks(ranks, own, stricter, context.progress.part(0.1, 0.9));
      },
      compare);
  const double seconds = seconds_since(start);
  const nbody::Forces of_all = nbody::collected(ranks, own, forces);
  ranks.together([&] {
    if (ranks.is_first()) nbody::write_forces_csv(of_all, request.output, context.progress, units);
  });
  const nbody::SampledErrors errors = kept.asked > 0 ? kept.reached : compare(forces);
  const nbody::ForceSeconds longest_seconds = longest(ranks, forces.seconds);
  std::array pairs = {static_cast<double>(forces.body_pairs), static_cast<double>(forces.cell_pairs)};
  ranks.sum(pairs);
  const auto shares = shares_of(ranks, own.size(), forces.seconds.sums);
  if (!ranks.is_first()) return;
  const Remarks of_error = nbody::remarks_on(kept);
  report(context, request.file, of_error);
  remarks.add(of_error);
  if (!request.json) {
    context.out << fmt::format(
        "{}, {}: {:.3f} s (division {:.3f}, order {:.3f}, tree and exchange {:.3f}, sums {:.3f}); "
        "relative force error, sampled at {}: median {:.1e}, 99 % below {:.1e}\n",
        counted(count, "body", "bodies"), forces.report.who, seconds, division, longest_seconds.sort,
        longest_seconds.tree, longest_seconds.sums, counted(errors.samples, "body", "bodies"), errors.median,
        errors.p99);
    return;
  }
  auto phases = phases_of(longest_seconds);
  phases["all"] = seconds;
  phases["division"] = division;
  print(context.out, {{"bodies", count},
                      {"computed_by", forces.report.who},
                      {"ranks", shares},
                      {"body_pairs", static_cast<std::uint64_t>(pairs[0])},
                      {"cell_pairs", static_cast<std::uint64_t>(pairs[1])},
                      {"seconds", phases},
                      {"sampled_bodies", errors.samples},
                      {"median_error", errors.median},
                      {"p99_error", errors.p99},
                      {"remarks", json_of(remarks)}});
}

/// What a run begins with.
struct Start {
  nbody::OwnBodies own = {};
  std::uint64_t bodies = 0;  ///< of all ranks
  double time = 0;
  nbody::RunOptions run;
  /// On the first rank. Numbers and origins of bodies are empty where they are 1, 2, 3 ... and the first.
  nbody::BodyLabels labels = {};
  Remarks remarks = {};
};

/// The first rank tells the others what it has found out.
void share(const Ranks& ranks, Start& start) {
  const auto told = ranks.gather<double>(
      std::array{start.run.dt, start.run.softening, start.time, static_cast<double>(start.bodies)});
  const auto first = told.of(0);
  start.run.dt = first[0];
  start.run.softening = first[1];
  start.time = first[2];
  start.bodies = static_cast<std::uint64_t>(first[3]);
}

/// Each rank makes some of them.
Start start_in_parts(Context& context, const RunRequest& request, const nbody::SceneOptions& scene,
                     const Ranks& ranks) {
  Start start{.bodies = static_cast<std::uint64_t>(scene.bodies), .run = request.run};
  nbody::InitialConditions part;
  nbody::BlockSums sums;
  std::size_t first = 0;
  ranks.together([&] {
    nbody::check_on_ranks(request.run);
    if (ranks.is_first()) {
      check_outputs(context, request.recording.files(), request.source.files());
      request.recording.require_space(start.bodies);
    }
    constexpr std::size_t block = nbody::bodies_of_a_sum;
    const std::size_t blocks = (start.bodies + block - 1) / block;
    const auto begin = [&](int rank) {
      const auto of = static_cast<std::size_t>(rank), all = static_cast<std::size_t>(ranks.count());
      return std::min<std::size_t>(start.bodies, block * (blocks / all * of + std::min(of, blocks % all)));
    };
    first = begin(ranks.rank());
    part = nbody::make_scene_part(scene, first, begin(ranks.rank() + 1));
    start.run = suited(request.run, *request.command, part);
    nbody::check_on_ranks(start.run);
    sums = nbody::block_sums(part.bodies);
    start.labels.origins = part.origins;
  });
  const auto all_sums = ranks.gather<nbody::BlockSums::value_type>(sums);
  if (start.bodies > 1) nbody::centre(part.bodies, all_sums.values);
  start.own.number.resize(part.bodies.size());
  std::iota(start.own.number.begin(), start.own.number.end(), first);
  start.own.work.resize(part.bodies.size());
  start.own.bodies = std::move(part.bodies);
  return start;
}

/// The first rank reads or makes them all.
Start start_dealt(Context& context, const RunRequest& request, const Ranks& ranks) {
  Start start{.run = request.run};
  nbody::Bodies all;
  ranks.together([&] {
    nbody::check_on_ranks(request.run);
    if (!ranks.is_first()) return;
    check_outputs(context, request.recording.files(), request.source.files());
    nbody::InitialConditions found = request.source.bodies(*request.command, context.progress.part(0, 0.02));
    require_bodies(found.bodies.size());
    request.recording.require_space(found.bodies.size());
    start.run = suited(request.run, *request.command, found);
    nbody::check_on_ranks(start.run);
    start.time = found.time;
    start.bodies = found.bodies.size();
    start.remarks = found.remarks;
    start.labels = nbody::labels_of(found);
    all = std::move(found.bodies);
  });
  share(ranks, start);
  start.own = nbody::dealt(ranks, all);
  return start;
}

Start start_of(Context& context, const RunRequest& request, const Ranks& ranks) {
  const auto scene = request.source.scene_in_parts();
  return scene ? start_in_parts(context, request, *scene, ranks) : start_dealt(context, request, ranks);
}

class RecordingOnRanks {
 public:
  RecordingOnRanks(const Ranks& ranks, const RunRequest& request, const Start& start)
      : ranks_(ranks), options_(request.recording), labels_(start.labels), bodies_(start.bodies) {
    ranks.together([&] {
      if (ranks.is_first())
        recording_.emplace(request.recording, labels_, bodies_, request.source.name(), start.run);
    });
  }
  void add(const nbody::SimulationOnRanks& simulation, const jobs::Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    const nbody::Diagnostics now = simulation.diagnostics();
    std::optional<nbody::SampledErrors> error;
    if (options_.measures_error(simulation.step(), false)) {
      error = nbody::sampled_errors(ranks_, simulation.own(), simulation.forces(),
                                    simulation.options().softening, run_samples, progress);
    }
    ranks_.together([&] {
      if (!recording_) return;
      recording_->set_computed_by(simulation.forces().report.who);
      recording_->begin(
          {.step = simulation.step(), .time = simulation.time(), .options = simulation.options()}, now,
          error);
    });
    if (!options_.output.empty()) add_bodies(simulation.own());
    seconds_ += seconds_since(start);
  }
  void finish() {
    ranks_.together([&] {
      if (recording_) recording_->finish();
    });
  }
  /// What all ranks do together; see Recording::during.
  template <class Work>
  void during(const Work& work) {
    if (!recording_) return work();
    bool all_know = false;
    try {
      recording_->during([&] {
        try {
          work();
        } catch (const FailedOnRank&) {
          all_know = true;
          throw;
        }
      });
    } catch (const Error& error) {
      if (all_know) throw FailedOnRank(error.what());
      throw;
    }
  }
  /// On the first rank.
  const Recording& recording() const { return *recording_; }
  double seconds() const { return seconds_; }

 private:
  /// Part by part, so that the first rank never has them all.
  void add_bodies(const nbody::OwnBodies& own) {
    const nbody::BodiesInOrder in_order(ranks_, own);
    constexpr std::size_t most = nbody::TrajectoryWriter::bodies_a_part;
    for (std::uint64_t first = 0; first < bodies_; first += most) {
      const nbody::Bodies part = in_order.part(first, std::min(bodies_, first + most));
      ranks_.together([&] {
        if (!recording_) return;
        if (!labelled_) add_labels(first, part);
        recording_->trajectory()->add_part(first, part);
      });
    }
    labelled_ = true;
  }
  void add_labels(std::uint64_t first, const nbody::Bodies& part) {
    std::vector<std::uint64_t> id(part.size());
    std::vector<std::uint8_t> origin(part.size());
    std::iota(id.begin(), id.end(), first + 1);
    if (!labels_.id.empty())
      std::copy_n(labels_.id.begin() + static_cast<std::ptrdiff_t>(first), id.size(), id.begin());
    if (!labels_.origin.empty())
      std::copy_n(labels_.origin.begin() + static_cast<std::ptrdiff_t>(first), origin.size(), origin.begin());
    recording_->trajectory()->add_labels(first, part.mass, id, origin);
  }

  const Ranks& ranks_;
  const RecordingOptions& options_;
  const nbody::BodyLabels& labels_;
  std::uint64_t bodies_;
  bool labelled_ = false;
  std::optional<Recording> recording_;
  double seconds_ = 0;
};

void tell(Context& context, const RunRequest& request, const Ranks& ranks,
          const nbody::SimulationOnRanks& simulation, const RecordingOnRanks& recording, double all,
          const Remarks& remarks, const std::optional<nbody::Units>& units) {
  std::array count = {static_cast<double>(simulation.own().size())};
  ranks.sum(count);
  const nbody::SecondsOnRank& seconds = simulation.seconds();
  auto phases = phases_of(longest(ranks, seconds.forces));
  const auto shares = shares_of(ranks, simulation.own().size(), seconds.forces.sums);
  if (!ranks.is_first()) return;
  const auto bodies = static_cast<std::size_t>(count[0]);
  const std::int64_t steps = *request.recording.steps;
  const double rate = all > 0 ? static_cast<double>(steps) / all : 0;
  const nbody::Diagnostics& last = recording.recording().last();
  const double energy_error = recording.recording().energy_error();
  const nbody::SampledErrors& errors = recording.recording().force_error();
  if (!request.json) {
    context.out << fmt::format(
        "{}, {} to time {:.6g}, {}: {:.3f} s, {:.3g} steps/s; energy drift {:.1e}, virial ratio "
        "{:.4g}; relative force error, sampled at {}: median {:.1e}, 99 % below {:.1e}\n",
        counted(bodies, "body", "bodies"), counted(static_cast<std::size_t>(steps), "step"),
        simulation.time(), simulation.forces().report.who, all, rate, energy_error, last.virial_ratio(),
        counted(errors.samples, "body", "bodies"), errors.median, errors.p99);
    return;
  }
  phases["all"] = all;
  phases["division"] = seconds.division;
  phases["integration"] = seconds.integration;
  phases["write"] = recording.seconds();
  const double gravitation = units ? units->gravitation : 1;  // by which masses are multiplied
  const auto vector = [gravitation](const Eigen::Vector3d& v) {
    return std::vector{v.x() / gravitation, v.y() / gravitation, v.z() / gravitation};
  };
  print(context.out, {{"bodies", bodies},
                      {"steps", steps},
                      {"dt", simulation.options().dt},
                      {"time", simulation.time()},
                      {"computed_by", simulation.forces().report.who},
                      {"ranks", shares},
                      {"steps_per_second", rate},
                      {"seconds", phases},
                      {"energy", last.energy() / gravitation},
                      {"energy_error", energy_error},
                      {"virial_ratio", last.virial_ratio()},
                      {"momentum", vector(last.momentum)},
                      {"angular_momentum", vector(last.angular_momentum)},
                      {"units", json_of(units)},
                      {"sampled_bodies", errors.samples},
                      {"median_error", errors.median},
                      {"p99_error", errors.p99},
                      {"remarks", json_of(remarks)}});
}

void add_remarks(Context& context, const RunRequest& request, const Ranks& ranks, const Remarks& found,
                 Start& start) {
  if (!ranks.is_first()) return;
  report(context, request.source.name(), found);
  start.remarks.add(found);
}

/// Bodies that have moved may be harder to sum than those that the run began with.
std::optional<nbody::KeptError> error_at_end(const Ranks& ranks, const nbody::SimulationOnRanks& simulation,
                                             const Start& start, const jobs::Progress& progress) {
  if (simulation.kept_error().asked == 0 || !simulation.kept_error().is_kept() || simulation.step() == 0)
    return std::nullopt;
  const nbody::SampledErrors reached =
      nbody::sampled_errors(ranks, simulation.own(), simulation.forces(), start.run.softening,
                            nbody::bodies_to_compare(start.bodies), progress);
  const nbody::KeptError& at_start = simulation.kept_error();
  return nbody::KeptError{at_start.asked, at_start.factor, reached, at_start.solver};
}

void run_together(Context& context, const RunRequest& request, const Ranks& ranks) {
  Start start = start_of(context, request, ranks);
  RecordingOnRanks recording(ranks, request, start);
  const auto began = std::chrono::steady_clock::now();
  nbody::SimulationOnRanks simulation(ranks, std::move(start.own), start.run, start.time, context.progress);
  add_remarks(context, request, ranks, nbody::remarks_on(simulation.kept_error()), start);
  const std::int64_t steps = *request.recording.steps, every = request.recording.interval();
  recording.during([&] {
    recording.add(simulation, context.progress);
    while (simulation.step() < steps) {
      const auto part = [&](std::int64_t at) {
        return 0.02 + 0.98 * static_cast<double>(at) / static_cast<double>(steps);
      };
      const std::int64_t step = simulation.step();
      simulation.advance(context.progress.part(part(step), part(step + 1)));
      if (simulation.step() % every == 0 || simulation.step() == steps)
        recording.add(simulation, context.progress);
    }
  });
  const double all = seconds_since(began);
  recording.finish();
  if (const auto now = error_at_end(ranks, simulation, start, context.progress))
    add_remarks(context, request, ranks, nbody::remarks_on(*now, true), start);
  if (ranks.is_first())
    add_remarks(context, request, ranks, nbody::remarks_on_energy(recording.recording().energy_error()),
                start);
  tell(context, request, ranks, simulation, recording, all, start.remarks, start.labels.units);
}

}  // namespace

bool forces_on_ranks(Context& context, const ForcesRequest& request) {
  if (!are_several()) return false;
  on_ranks(context, [&](const Ranks& ranks) { compute_forces(context, request, ranks); });
  return true;
}

bool run_on_ranks(Context& context, const RunRequest& request) {
  if (!are_several()) return false;
  request.source.check(*request.command);
  on_ranks(context, [&](const Ranks& ranks) { run_together(context, request, ranks); });
  return true;
}

}  // namespace isolume::batch
