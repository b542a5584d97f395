#include "app/labs/electrostatics/batch/batch_potential.h"

#include <cmath>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/parameter_flags.h"
#include "app/batch/shares.h"
#include "app/labs/electrostatics/batch/batch_places.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "app/labs/electrostatics/picture/pair_engines.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/electrostatics/maps/map_file.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/potential/average.h"
#include "core/electrostatics/surfaces/boundary_values.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/molecules/document.h"

namespace isolume::batch {

namespace es = electrostatics;

grid::Grid grid_of(Context& context, const PotentialArguments& options, const structures::Box& box) {
  if (!options.like.empty()) {
    Remarks remarks;
    auto grid = es::read_map_grid(options.like, {}, &remarks);
    report(context, options.like, remarks);
    return grid;
  }
  return es::grid_around(box, options.spacing, options.margin);
}

namespace {

/// One line for people, with seconds of the computing.
void tell_line(Context& context, const PotentialArguments& options, const ChargesInput& input,
               std::size_t points, double seconds, const std::string& who) {
  context.out << fmt::format("{}: {} atoms, charge {:.4f} e, {} points: {:.3f} s by {}\n", options.output,
                             input.charges.size(), structures::total_charge(input.charges), points, seconds,
                             who);
  if (!input.topology.empty()) context.out << fmt::format("charges of {}\n", input.topology.string());
}

/// As JSON, with what the method has to tell besides.
void tell_json(Context& context, const PotentialArguments& options, const ChargesInput& input,
               std::size_t points, const std::string& who, const nlohmann::ordered_json& besides) {
  nlohmann::ordered_json told{{"file", options.file},
                              {"output", options.output},
                              {"method", parameters::to_text(options.set.get("method"))},
                              {"unit", parameters::to_text(options.set.get("unit"))},
                              {"atoms", input.charges.size()},
                              {"charge", structures::total_charge(input.charges)},
                              {"without_parameters", input.without_parameters()},
                              {"atoms_without_parameters", input.atoms_without_parameters()},
                              {"remarks", json_of(context.remarks)},
                              {"points", points},
                              {"computed_by", who}};
  told.update(besides);
  if (!input.topology.empty()) told["topology"] = input.topology.string();
  if (input.preparation) told["preparation"] = to_json(*input.preparation);
  print(context.out, told);
}

/// What was computed, for people or as JSON.
template <class Values>
void tell(Context& context, const PotentialArguments& options, const ChargesInput& input,
          const es::Potential<Values>& found, std::size_t points, double read, double written) {
  if (!options.json) {
    tell_line(context, options, input, points, found.seconds_order + found.seconds_sums, found.report.who);
    return;
  }
  tell_json(
      context, options, input, points, found.report.who,
      {{"kernel",
        found.report.kernel.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(found.report.kernel)},
       {"reason", found.report.reason},
       {"devices", describe_shares(found.report)},
       {"seconds",
        {{"read", read}, {"order", found.seconds_order}, {"sums", found.seconds_sums}, {"write", written}}}});
}

/// Where the grid ends, nothing is known: throws Error for places beyond.
std::vector<double> read_from(const grid::ScalarField& field, const es::Places& places) {
  const double unit = 1 / grid::shown_per_unit(field.grid.unit);
  std::vector<double> values;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Eigen::Vector3d index =
        field.grid.index_at(unit * Eigen::Vector3d(places.x[i], places.y[i], places.z[i]));
    for (int axis = 0; axis < 3; ++axis) {
      constexpr double rounding = 1e-6;
      if (!(index[axis] >= -rounding &&
            index[axis] <= field.grid.dimensions[static_cast<std::size_t>(axis)] - 1 + rounding)) {
        throw Error(
            fmt::format("Point {} at {}, {}, {} angstrom lies outside the grid. Give a larger margin.", i + 1,
                        places.x[i], places.y[i], places.z[i]));
      }
    }
    values.push_back(grid::interpolate_at_index(field, index));
  }
  return values;
}

/// On a surface along the boundary of permittivities, as the colours of pictures are.
std::vector<double> read_on_surface(const grid::ScalarField& field, const es::Places& places,
                                    const structures::Charges& charges, const es::PotentialOptions& how,
                                    const jobs::Progress& progress) {
  auto values = read_from(field, places);
  std::vector<float> at;
  for (std::size_t i = 0; i < places.size(); ++i)
    for (const double each : {places.x[i], places.y[i], places.z[i]}) at.push_back(static_cast<float>(each));
  es::SolventSurfaces known;
  const auto near = es::BoundaryValues(field.grid, charges, how, known, progress).at(field, at);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(near[i])) values[i] = near[i];
  return values;
}

nlohmann::ordered_json json_of(const es::PolarSolvation& energy) {
  const auto& error = energy.error_kj_per_mol;
  return {{"polar_solvation_kj_per_mol", energy.kj_per_mol},
          {"error_estimate_kj_per_mol", error ? nlohmann::ordered_json(*error) : nlohmann::ordered_json()}};
}

void tell(Context& context, const PotentialArguments& options, const ChargesInput& input,
          const es::PoissonBoltzmannResult& found, std::size_t points, double read, double written) {
  const auto& seconds = found.seconds;
  if (!options.json) {
    const auto& error = found.energy->error_kj_per_mol;
    tell_line(context, options, input, points,
              seconds.surface + seconds.medium + seconds.faces + seconds.solution + seconds.reference +
                  seconds.estimate,
              found.report.by());
    context.out << fmt::format(
        "polar solvation energy {:.2f} kJ/mol, {}\n", found.energy->kj_per_mol,
        error ? fmt::format("estimated error {:.2f} (difference to twice the spacing)", *error)
              : "without an error estimate: the grid is too coarse, or its margin too small, for twice "
                "the spacing");
    return;
  }
  tell_json(context, options, input, points, found.report.who,
            {{"kernel", found.report.kernel.empty() ? nlohmann::ordered_json()
                                                    : nlohmann::ordered_json(found.report.kernel)},
             {"reason", found.report.reason},
             {"devices", describe_shares(found.report)},
             {"unknowns", found.unknowns},
             {"energy", json_of(*found.energy)},
             {"cycles", found.solve.cycles},
             {"newton_steps", found.solve.newton_steps},
             {"residual", found.solve.residual},
             {"seconds",
              {{"read", read},
               {"surface", seconds.surface},
               {"medium", seconds.medium},
               {"faces", seconds.faces},
               {"solution", seconds.solution},
               {"reference", seconds.reference},
               {"estimate", seconds.estimate},
               {"write", written}}}});
}

/// On a grid, from which the potential at places is read.
void solve(Context& context, const PotentialArguments& options, const ChargesInput& input,
           std::chrono::steady_clock::time_point start) {
  const auto& charges = input.charges;
  const auto solving = context.progress.part(0.1, 0.9), writing = context.progress.part(0.9, 1);
  const bool at_places = asks_for_places(options);
  const auto where =
      at_places ? asked_places(context, options, charges, context.progress.part(0.1, 0.1)) : AskedPlaces();
  const auto grid = grid_of(context, options, structures::box_of(charges));
  const double read = seconds_since(start);
  const std::size_t bytes = es::bytes_of_map(grid, charges, options.how);
  // Says that there are no parts.
  if (comes_in_parts(options, bytes)) es::parts_of(grid, charges, options.how, bytes_for_map(options));
  tell_memory(context, options.output, grid.point_count(), bytes);
  auto found = es::PoissonBoltzmann(charges, grid).solve(options.how, {}, solving);
  const auto from = std::chrono::steady_clock::now();
  if (at_places) {
    const auto values = where.surface
                            ? read_on_surface(found.potential, where.places, charges, options.how, writing)
                            : read_from(found.potential, where.places);
    write_at(where, values, options, writing);
  } else {
    es::write_map(std::move(found.potential), options.output, writing);
  }
  tell(context, options, input, found, at_places ? where.places.size() : grid.point_count(), read,
       seconds_since(from));
}

/// The mean over frames, on a grid around all of them or at places.
void average(Context& context, const PotentialArguments& options) {
  const auto opening = context.progress.part(0, 0.1), boxing = context.progress.part(0.1, 0.2),
             summing = context.progress.part(0.2, 0.95), writing = context.progress.part(0.95, 1);
  const auto frames = structures::open_charge_frames(
      options.file, options_for(options.file, options.structure), options.trajectory, opening);
  const auto chosen = structures::chosen_frames(
      options.frames, *frames, options.trajectory.empty() ? options.file : options.trajectory);
  if (chosen.size() > 1 && !options.average)
    throw UsageError(
        fmt::format("{} frames are chosen. Give --average for their mean, or choose one frame with --frames.",
                    chosen.size()));
  if (chosen.size() > 1 && !options.on_surface.empty())
    throw UsageError(
        "Each frame has its own surface, so --on-surface cannot be averaged. Choose one frame with "
        "--frames.");
  const auto first = frames->at(chosen.front());
  add_inputs(context, first.files);
  report(context, options.file, first.remarks);
  const bool at_places = asks_for_places(options);
  const auto where = at_places ? asked_places(context, options, first, boxing) : AskedPlaces();
  const auto tell_average = [&](std::size_t points, double seconds, const std::string& who) {
    const ChargesInput input{{first, std::nullopt, {}}};
    if (!options.json) {
      tell_line(context, options, input, points, seconds, who);
      context.out << fmt::format("mean over {} frames of {}\n", chosen.size(), frames->size());
      return;
    }
    tell_json(
        context, options, input, points, who,
        {{"frames", frames->size()}, {"frames_averaged", chosen.size()}, {"seconds", {{"sums", seconds}}}});
  };
  if (at_places && !es::is_poisson_boltzmann(options.how.method)) {
    const auto mean = es::average_at(where.places, *frames, chosen, options.how, summing);
    write_at(where, mean.values, options, writing);
    return tell_average(where.places.size(), mean.seconds, mean.who);
  }
  const auto grid =
      grid_of(context, options,
              options.like.empty() ? es::box_of(*frames, chosen, boxing) : structures::box_of(first));
  // The sum and the mean besides.
  tell_memory(
      context, options.output, grid.point_count(),
      es::bytes_of_map(grid, first, options.how) + grid.point_count() * (sizeof(double) + sizeof(float)));
  auto mean = es::average_on(grid, *frames, chosen, options.how, summing);
  if (at_places) {
    write_at(where, read_from(mean.values, where.places), options, writing);
  } else {
    es::write_map(std::move(mean.values), options.output, writing);
  }
  tell_average(at_places ? where.places.size() : grid.point_count(), mean.seconds, mean.who);
}

}  // namespace

std::size_t bytes_for_map(const PotentialArguments& options) {
  constexpr double gigabyte = 1e9;
  return options.memory_gb ? static_cast<std::size_t>(*options.memory_gb * gigabyte)
                           : dispatch::available_memory_bytes();
}

bool comes_in_parts(const PotentialArguments& options, std::size_t bytes) {
  if (options.resume) return true;
  if (bytes <= bytes_for_map(options)) return false;
  return options.memory_gb ||
         (!es::is_poisson_boltzmann(options.how.method) && es::takes_parts(options.output));
}

void tell_memory(Context& context, const std::string& output, std::size_t points, std::size_t bytes) {
  constexpr std::size_t worth_telling = 100'000'000;
  // What does not fit at all is an error that tells so.
  if (bytes < worth_telling || bytes > dispatch::available_memory_bytes()) return;
  complain(context.err, fmt::format("{}: {} points take {} of memory", output, points, format_bytes(bytes)));
}

std::vector<std::string> inputs_of(const PotentialArguments& options) {
  std::vector<std::string> inputs = files_of(options.file, options.structure);
  for (const auto& each : {options.points, options.like, options.trajectory}) {
    if (!each.empty()) inputs.push_back(each);
  }
  return inputs;
}

PartsWriter::PartsWriter(Context& context, const PotentialArguments& options, const grid::Grid& grid,
                         const es::Parts& parts, const molecules::Molecule& molecule)
    : kept_(options.output,
            computation_of(*options.command, {"output", "memory", "threads", "json", "resume"},
                           inputs_of(options)),
            grid, options.resume ? es::KeptParts::Start::continued : es::KeptParts::Start::fresh),
      writer_(options.output, grid, "electrostatic potential", std::string(es::to_text(options.how.unit)),
              molecule),
      all_planes_(grid.dimensions[0]) {
  complain(context.err,
           fmt::format("{}: {} points take {}; they are computed and written in {} parts of {}",
                       options.output, grid.point_count(), format_bytes(grid.point_count() * sizeof(float)),
                       parts.count, format_bytes(parts.bytes)));
}

std::string PartsWriter::what_is_kept() const {
  int planes = 0;
  for (const auto& each : kept_.parts()) planes += each.planes;
  return fmt::format("{} holds {} of {} planes of the map. Continue with the same command and --resume.",
                     kept_.path().string(), planes, all_planes_);
}

void PartsWriter::commit() {
  writer_.commit();
  kept_.discard();
}

void PartsWriter::put(const grid::ScalarField& planes, const jobs::Progress& progress) {
  const auto from = std::chrono::steady_clock::now();
  writer_.put(planes, progress);
  seconds_ += seconds_since(from);
}

namespace {

/// A map that is larger than the memory for it.
void sum_in_parts(Context& context, const PotentialArguments& options, const ChargesInput& input,
                  const grid::Grid& grid, double read, const jobs::Progress& progress) {
  const auto parts = es::parts_of(grid, input.charges, options.how, bytes_for_map(options));
  PartsWriter writer(context, options, grid, parts);
  auto found = writer.during([&] {
    return es::potential_in_parts(
        grid, input.charges, options.how, parts,
        [&](const grid::ScalarField& planes, const jobs::Progress& writing) { writer.put(planes, writing); },
        progress, writer.kept());
  });
  found.seconds_sums -= writer.seconds();
  writer.commit();
  tell(context, options, input, found, grid.point_count(), read, writer.seconds());
}

void potential(Context& context, PotentialArguments& options) {
  check_where(options);
  check_outputs(context, std::vector{options.output}, inputs_of(options));
  if (molecules::may_hold_orbitals(options.file)) return quantum_potential(context, options);
  check_charges_alone(*options.command);
  refuse_ignored(*options.command, context);
  options.how.engines = engines_for(options.how);
  if (options.resume &&
      (es::is_poisson_boltzmann(options.how.method) || asks_for_places(options) || options.average))
    throw UsageError(
        "--resume continues a map that is computed in parts; this one is not. Leave out --resume.");
  if (options.average || !options.frames.empty() || !options.trajectory.empty())
    return average(context, options);
  const auto start = std::chrono::steady_clock::now();
  const auto input = read_charges(context, options.file, options.structure, context.progress.part(0, 0.1));
  const auto& charges = input.charges;
  if (es::is_poisson_boltzmann(options.how.method)) return solve(context, options, input, start);
  const auto sums = context.progress.part(0.1, 0.9), writing = context.progress.part(0.9, 1);
  if (asks_for_places(options)) {
    const auto where = asked_places(context, options, charges, context.progress.part(0.1, 0.1));
    const double read = seconds_since(start);
    const auto found = es::potential_at(where.places, charges, options.how, sums);
    const auto from = std::chrono::steady_clock::now();
    write_at(where, found.values, options, writing);
    return tell(context, options, input, found, where.places.size(), read, seconds_since(from));
  }
  const auto grid = grid_of(context, options, structures::box_of(charges));
  const double read = seconds_since(start);
  const std::size_t bytes = es::bytes_of_map(grid, charges, options.how);
  if (comes_in_parts(options, bytes))
    return sum_in_parts(context, options, input, grid, read, context.progress.part(0.1, 1));
  tell_memory(context, options.output, grid.point_count(), bytes);
  auto found = es::potential_on(grid, charges, options.how, sums);
  const auto from = std::chrono::steady_clock::now();
  es::write_map(std::move(found.values), options.output, writing);
  tell(context, options, input, found, grid.point_count(), read, seconds_since(from));
}

}  // namespace

void add_electrostatics_potential(CLI::App& lab, Context& context) {
  auto options = std::make_shared<PotentialArguments>();
  auto& command = add_verb(
      lab, "potential", "Compute the electrostatic potential of a molecule's charges, or of a wavefunction.");
  options->command = &command;
  add_option(
      command, context, &options->file,
      commands::path("FILE",
                     fmt::format("Charges: {}; or a wavefunction, as the Orbitals lab reads it; plain or .gz",
                                 charge_files)));
  add_option(command, context, &options->output,
             commands::path("output",
                            "File to write: .csv for --points, --plane and --on-surface, .vtp for the "
                            "latter, otherwise a map: .dx, .dx.gz, .ccp4, .mrc, .map, .vti, .nrrd or .cube"));
  add_place_options(command, context, options);
  add_option(
      command, context, &options->like,
      commands::path(
          "like",
          "Compute the potential on the grid of this map: OpenDX, CCP4 (.ccp4, .mrc, .map), VTI or cube")
          .group("Where")
          .shown_as("MAP")
          .optional());
  add_grid_options(command, context, options->spacing, options->margin);
  auto memory =
      commands::number("memory",
                       "Memory for the map; by default all free memory. A larger map is computed and written "
                       "in parts, but not by pb-linear or pb-nonlinear, nor to gzipped CCP4")
          .group("Where")
          .unit("GB")
          .range(1e-6, 1e6)
          .optional();
  const auto take_memory = [options, of = memory.description](const std::string& text) {
    options->memory_gb = std::get<double>(parameters::parse(of, text));
  };
  add_option(command, context, take_memory, std::move(memory));
  add_option(command, context, &options->trajectory,
             commands::path("trajectory", "Trajectory of the charges, a DCD or XTC file")
                 .group("Frames")
                 .shown_as("DCD|XTC")
                 .optional());
  add_option(command, context, &options->frames,
             commands::text("frames",
                            "Frames of the trajectory or models, counted from 1; each part may be omitted "
                            "(::10); by default all")
                 .group("Frames")
                 .shown_as("FIRST:LAST:STEP")
                 .optional());
  add_flag(command, "average", options->average, "Write the mean over the frames");
  add_structure_options(command, context, options->structure);
  add_option(command, context, &options->structure.topology,
             commands::path("topology",
                            "GROMACS topology (TOP or ITP) with the charges of a GRO file; by default "
                            "NAME.top, NAME.itp or topol.top in the same folder")
                 .group("Structure")
                 .shown_as("TOP")
                 .optional());
  add_wavefunction_options(command, context, options->wavefunction);
  add_flag(command, "resume", options->resume,
           "Continue an interrupted map in parts: repeat the same command with this option; finished parts "
           "are in NAME.parts");
  add_flag(command, "json", options->json, "Print what was computed as JSON");
  add_parameter_flags(command, options->set, context);
  on_call(
      command, context, [options, &context] { potential(context, *options); }, Ignored::refused_by_action);
}

}  // namespace isolume::batch
