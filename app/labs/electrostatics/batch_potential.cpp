#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/electrostatics/batch_verbs.h"
#include "app/labs/electrostatics/structure_input.h"
#include "core/base/clock.h"
#include "core/electrostatics/lattice_around.h"
#include "core/electrostatics/opendx.h"
#include "core/electrostatics/points_csv.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/molecules/document.h"
#include "core/molecules/writers.h"

namespace isolume::batch {
namespace {

namespace es = electrostatics;

struct Options {
  std::string file, output, points, like;
  double spacing = 0.5, margin = 10;
  StructureOptions structure;
  bool json = false;
  es::PotentialOptions how;
  parameters::StructParameters<es::PotentialOptions> set{es::potential_schema(), how};
  const CLI::App* command = nullptr;
};

bool ends_with(const std::string& path, std::string_view suffix) {
  return path.size() > suffix.size() && path.ends_with(suffix);
}
bool is_table(const std::string& path) {
  return ends_with(path, ".csv");
}
bool is_opendx(const std::string& path) {
  return ends_with(path, ".dx") || ends_with(path, ".dx.gz");
}
bool is_cube(const std::string& path) {
  return ends_with(path, ".cube");
}

void check_lattice(const Options& options) {
  if (!options.like.empty() && (given(*options.command, "spacing") || given(*options.command, "margin")))
    throw UsageError("--like, and --spacing with --margin each say which lattice. Give one of them.");
}

/// Throws UsageError where what is asked for does not go together.
void check_words(const Options& options) {
  if (!is_table(options.output) && !is_opendx(options.output) && !is_cube(options.output)) {
    throw UsageError(
        fmt::format("{}: the name says no format. Give one that ends with .csv (with --points), .dx, .dx.gz "
                    "or .cube.",
                    options.output));
  }
  if (is_table(options.output) == options.points.empty()) {
    throw UsageError(
        options.points.empty()
            ? "A table has the potential at places. Give --points, or an output that ends with .dx or .cube."
            : "The potential at places goes into a table. Give an output that ends with .csv.");
  }
  // Places are looked up on the lattice that the equation is solved on.
  if (!options.points.empty() && es::is_poisson_boltzmann(options.how.method)) return check_lattice(options);
  const bool box = given(*options.command, "spacing") || given(*options.command, "margin");
  if (static_cast<int>(!options.points.empty()) + static_cast<int>(!options.like.empty()) +
          static_cast<int>(box) >
      1)
    throw UsageError("--points, --like, and --spacing with --margin each say where. Give one of them.");
}

lattice::Lattice lattice_of(const Options& options, const structures::Charges& charges) {
  if (!options.like.empty()) {
    if (is_opendx(options.like)) return es::read_opendx_lattice(options.like);
    const auto document = molecules::read_document(options.like);
    if (document.fields.empty()) {
      throw InputError(options.like, 0, "there is no field in it", "Give an OpenDX or a cube file.");
    }
    return document.fields.front()->lattice;
  }
  return es::lattice_around(charges, options.spacing, options.margin);
}

/// Cube files are in bohr.
lattice::ScalarField in_bohr(lattice::ScalarField field) {
  if (field.lattice.unit != lattice::LengthUnit::angstrom) return field;
  const double bohr = 1 / lattice::shown_per_unit(lattice::LengthUnit::bohr);
  field.lattice.origin *= bohr;
  field.lattice.step *= bohr;
  field.lattice.unit = lattice::LengthUnit::bohr;
  return field;
}

void write_map(lattice::ScalarField field, const Options& options, const jobs::Progress& progress) {
  if (is_opendx(options.output)) return es::write_opendx(field, options.output, progress);
  const std::string comment = fmt::format("electrostatic potential ({})", field.unit);
  const auto map = in_bohr(std::move(field));
  const std::vector<const lattice::ScalarField*> fields{&map};
  molecules::write_cube({}, fields, {}, comment, options.output, progress);
}

/// One line for people, with seconds of the computing.
void tell_line(Context& context, const Options& options, const ChargesInput& input, std::size_t points,
               double seconds, const std::string& who) {
  context.out << fmt::format("{}: {} atoms, charge {:.4f} e, {} points: {:.3f} s by {}\n", options.output,
                             input.charges.size(), structures::total_charge(input.charges), points, seconds,
                             who);
}

/// As JSON, with what the method has to tell besides.
void tell_json(Context& context, const Options& options, const ChargesInput& input, std::size_t points,
               const std::string& who, const nlohmann::ordered_json& besides) {
  nlohmann::ordered_json told{{"file", options.file},
                              {"output", options.output},
                              {"method", parameters::to_text(options.set.get("method"))},
                              {"unit", parameters::to_text(options.set.get("unit"))},
                              {"atoms", input.charges.size()},
                              {"charge", structures::total_charge(input.charges)},
                              {"without_parameters", input.without_parameters()},
                              {"points", points},
                              {"computed_by", who}};
  told.update(besides);
  if (input.preparation) told["preparation"] = to_json(*input.preparation);
  print(context.out, told);
}

/// What was computed, for people or as JSON.
template <class Values>
void tell(Context& context, const Options& options, const ChargesInput& input,
          const es::Potential<Values>& found, std::size_t points, double read, double written) {
  if (!options.json) {
    tell_line(context, options, input, points, found.seconds_order + found.seconds_sums, found.report.who);
    return warn(context, input);
  }
  tell_json(
      context, options, input, points, found.report.who,
      {{"seconds",
        {{"read", read}, {"order", found.seconds_order}, {"sums", found.seconds_sums}, {"write", written}}}});
}

/// Where the lattice ends, nothing is known: throws Error for places beyond.
std::vector<double> read_from(const lattice::ScalarField& field, const es::Places& places) {
  const double unit = 1 / lattice::shown_per_unit(field.lattice.unit);
  std::vector<double> values;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Eigen::Vector3d index =
        field.lattice.index_of(unit * Eigen::Vector3d(places.x[i], places.y[i], places.z[i]));
    for (int axis = 0; axis < 3; ++axis) {
      constexpr double rounding = 1e-6;
      if (!(index[axis] >= -rounding &&
            index[axis] <= field.lattice.dimensions[static_cast<std::size_t>(axis)] - 1 + rounding)) {
        throw Error(
            fmt::format("Place {}: {}, {}, {} angstrom lies outside of the lattice. Give a larger margin.",
                        i + 1, places.x[i], places.y[i], places.z[i]));
      }
    }
    values.push_back(lattice::interpolate_at_index(field, index));
  }
  return values;
}

nlohmann::ordered_json json_of(const es::PolarSolvation& energy) {
  const auto& error = energy.error_kj_per_mol;
  return {{"polar_solvation_kj_per_mol", energy.kj_per_mol},
          {"error_estimate_kj_per_mol", error ? nlohmann::ordered_json(*error) : nlohmann::ordered_json()}};
}

void tell(Context& context, const Options& options, const ChargesInput& input,
          const es::PoissonBoltzmannResult& found, std::size_t points, double read, double written) {
  const auto& seconds = found.seconds;
  if (!options.json) {
    const auto& error = found.energy.error_kj_per_mol;
    tell_line(context, options, input, points,
              seconds.surface + seconds.medium + seconds.faces + seconds.solution + seconds.reference +
                  seconds.estimate,
              found.who);
    context.out << fmt::format("polar solvation energy {:.2f} kJ/mol, {}\n", found.energy.kj_per_mol,
                               error ? fmt::format("{:.2f} from that by twice the spacing", *error)
                                     : "without an estimate of its error: the lattice is too coarse or its "
                                       "margin too small for one of twice the spacing");
    return warn(context, input);
  }
  tell_json(context, options, input, points, found.who,
            {{"unknowns", found.unknowns},
             {"energy", json_of(found.energy)},
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

/// On a lattice, from which the potential at places is read.
void solve(Context& context, const Options& options, const ChargesInput& input,
           std::chrono::steady_clock::time_point start) {
  const auto& charges = input.charges;
  const auto solving = context.progress.part(0.1, 0.9), writing = context.progress.part(0.9, 1);
  const auto places = options.points.empty() ? es::Places() : es::read_places(options.points);
  const auto lattice = lattice_of(options, charges);
  const double read = seconds_since(start);
  const auto found = es::PoissonBoltzmann(charges, lattice).solve(options.how, {}, solving);
  const auto from = std::chrono::steady_clock::now();
  if (options.points.empty()) {
    write_map(found.potential, options, writing);
  } else {
    es::write_potentials(places, read_from(found.potential, places), es::to_text(options.how.unit),
                         options.output, writing);
  }
  tell(context, options, input, found, options.points.empty() ? lattice.point_count() : places.size(), read,
       seconds_since(from));
}

void potential(Context& context, const Options& options) {
  check_words(options);
  std::vector<std::string> inputs{options.file};
  for (const auto& each : {options.points, options.like, options.structure.charges}) {
    if (!each.empty()) inputs.push_back(each);
  }
  check_outputs(std::vector{options.output}, inputs);
  const auto start = std::chrono::steady_clock::now();
  const auto input = read_charges(options.file, options.structure, context.progress.part(0, 0.1));
  const auto& charges = input.charges;
  if (es::is_poisson_boltzmann(options.how.method)) return solve(context, options, input, start);
  const auto sums = context.progress.part(0.1, 0.9), writing = context.progress.part(0.9, 1);
  if (!options.points.empty()) {
    const auto places = es::read_places(options.points);
    const double read = seconds_since(start);
    const auto found = es::potential_at(places, charges, options.how, sums);
    const auto from = std::chrono::steady_clock::now();
    es::write_potentials(places, found.values, es::to_text(options.how.unit), options.output, writing);
    return tell(context, options, input, found, places.size(), read, seconds_since(from));
  }
  const auto lattice = lattice_of(options, charges);
  const double read = seconds_since(start);
  const auto found = es::potential_on(lattice, charges, options.how, sums);
  const auto from = std::chrono::steady_clock::now();
  write_map(found.values, options, writing);
  tell(context, options, input, found, lattice.point_count(), read, seconds_since(from));
}

}  // namespace

void add_electrostatics_potential(CLI::App& lab, Context& context) {
  auto options = std::make_shared<Options>();
  auto& command = add_verb(lab, "potential", "Compute the electrostatic potential of a molecule's charges.");
  options->command = &command;
  add_option(
      command, context, &options->file,
      commands::path("FILE", "Charges and radii: a PQR file; or a structure, PDB or mmCIF; plain or .gz"));
  add_option(command, context, &options->output,
             commands::path("output", "What to write: .csv for --points, otherwise .dx, .dx.gz or .cube"));
  add_option(
      command, context, &options->points,
      commands::path("points", "Compute it at these places: a table with the columns x,y,z in angstrom")
          .group("Where")
          .shown_as("CSV")
          .optional());
  add_option(command, context, &options->like,
             commands::path("like", "Compute it on the lattice of this map, an OpenDX or cube file")
                 .group("Where")
                 .shown_as("MAP")
                 .optional());
  add_option(command, context, &options->spacing,
             commands::number("spacing", "Between points of a lattice around the molecule")
                 .group("Where")
                 .unit("angstrom")
                 .range(0.01, 100));
  add_option(command, context, &options->margin,
             commands::number("margin", "From the outermost atoms to the edge of that lattice")
                 .group("Where")
                 .unit("angstrom")
                 .range(0, 1000));
  add_structure_options(command, context, options->structure);
  add_flag(command, "json", options->json, "Print what was computed as JSON");
  add_parameter_flags(command, options->set, context);
  on_call(command, context, [options, &context] { potential(context, *options); });
}

}  // namespace isolume::batch
