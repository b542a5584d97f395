#include "core/electrostatics/sums/options.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/LU>

#include "core/base/error.h"
#include "core/base/number_list.h"
#include "core/electrostatics/sums/inverse_split.h"
#include "core/parameters/relevance.h"

namespace isolume::electrostatics {

bool is_poisson_boltzmann(Method method) {
  return method == Method::pb_linear || method == Method::pb_nonlinear;
}

bool has_engines(Method method) {
  return is_pair_sum(method) || method == Method::multilevel || method == Method::pme ||
         is_poisson_boltzmann(method);
}

bool is_pair_sum(Method method) {
  return method == Method::direct || method == Method::cutoff || method == Method::debye_hueckel;
}

bool takes_dielectric(Method method) {
  return method == Method::direct || method == Method::cutoff;
}

std::string relevant_text(PotentialOptions options) {
  const parameters::StructParameters<PotentialOptions> set(potential_schema(), options);
  std::string text;
  for (const auto& key : parameters::relevant_keys(set))
    text += key + "=" + parameters::to_text(set.get(key)) + "|";
  return text;
}

PotentialOptions by_method(PotentialOptions options, Method method) {
  if (!takes_dielectric(options.method)) options.dielectric = Dielectric::constant;
  options.method = method;
  return options;
}

const parameters::Schema<PotentialOptions>& potential_schema() {
  using O = PotentialOptions;
  using parameters::field;
  static const parameters::Schema<O> schema(
      {field("method", &O::method, "Method",
             {{"direct", "Direct sum"},
              {"cutoff", "Cut-off"},
              {"debye-hueckel", "Debye-Hückel"},
              {"fmm", "Fast multipole method"},
              {"multilevel", "Multilevel summation"},
              {"pme", "Particle-mesh Ewald"},
              {"pb-linear", "Poisson-Boltzmann, linear"},
              {"pb-nonlinear", "Poisson-Boltzmann, non-linear"}})
           .group("Method")
           .help(
               "How the potential is computed: a sum over all charges, directly or by a fast method, or the "
               "Poisson-Boltzmann equation with a dielectric boundary."),
       field("unit", &O::unit, "Unit",
             {{"kT/e", "kT/e"}, {"mV", "mV"}, {"kcal/mol/e", "kcal/mol/e"}, {"Eh/e", "Eh/e"}})
           .group("Method")
           .help("Unit of the potential."),
       field("dielectric", &O::dielectric, "Dielectric",
             {{"constant", "Constant"}, {"distance", "Proportional to distance"}})
           .only_when("method", {"direct", "cutoff"})
           .group("Method")
           .help("Relative permittivity between a charge and a point: the solute's everywhere, or the "
                 "solute's times their distance in ångström."),
       field("solute-dielectric", &O::solute_dielectric, "Solute dielectric")
           .range(1, 1000)
           .usual(1, 20)
           .only_when("method", {"direct", "cutoff", "fmm", "multilevel", "pme", "pb-linear", "pb-nonlinear"})
           .group("Method")
           .help("Relative permittivity of the solute: 1 to 2 for fixed atoms, 2 to 4 for proteins, up to 20 "
                 "for pKa values."),
       field("solvent-dielectric", &O::solvent_dielectric, "Solvent dielectric")
           .range(1, 1000)
           .usual(1, 100)
           .only_when("method", {"debye-hueckel", "pb-linear", "pb-nonlinear"})
           .group("Method")
           .help("Relative permittivity of the solvent: 78.5 for water at 25 °C."),
       field("salt", &O::salt_molar, "Salt")
           .unit("mol/l")
           .range(0, 10)
           .usual(0, 1)
           .only_when("method", {"debye-hueckel", "pb-linear", "pb-nonlinear"})
           .group("Method")
           .help("Ionic strength of the solvent: 0.15 mol/l in the body."),
       field("temperature", &O::temperature_kelvin, "Temperature")
           .unit("K")
           .range(1, 10000)
           .usual(250, 400)
           .group("Method")
           .help("Temperature, for kT and the ionic screening."),
       field("cutoff", &O::cutoff_angstrom, "Cut-off")
           .unit("angstrom")
           .range(0.1, 1000)
           .usual(2, 30)
           .only_when("method", {"cutoff", "multilevel", "pme"})
           .group("Method")
           .help("Charges farther away than this add nothing, nearer ones less by the switching function "
                 "(1 - (r / cut-off)^2)^2. With multilevel and pme, they are summed on meshes, which are the "
                 "coarser the larger it is."),
       field("error", &O::error, "Error")
           .range(1e-12, 0.1)
           .usual(1e-8, 1e-2)
           .logarithmic()
           .only_when("method", {"fmm", "multilevel", "pme"})
           .group("Method")
           .help("Relative error of the result: of the field at 99 of 100 points (fmm), or root mean square "
                 "of the potential (multilevel, pme)."),
       field("box", &O::box, "Box")
           .unit("angstrom")
           .only_when("method", {"pme"})
           .group("Method")
           .help("Edges of the periodic box along x, y and z, as in 62,62,70, or edges and angles in "
                 "degrees, as in 62,62,70,90,90,120. Empty: the box of the file."),
       field("surface", &O::surface, "Surface",
             {{"ses", "Solvent-excluded"}, {"vdw", "Van der Waals"}, {"spline", "Spline"}})
           .only_when("method", {"pb-linear", "pb-nonlinear"})
           .group("Method")
           .help("Boundary between solute and solvent: solvent-excluded surface, van der Waals spheres, or a "
                 "smooth spline across the spheres."),
       field("interface", &O::interface, "Interface", {{"harmonic", "Harmonic mean"}, {"sharp", "Sharp"}})
           .only_when("surface", {"ses", "vdw"})
           .group("Method")
           .help("Permittivity between two grid points on either side of the surface: the harmonic mean of "
                 "both, or the value at the midpoint."),
       field("probe", &O::probe_angstrom, "Probe")
           .unit("angstrom")
           .range(0, 10)
           .usual(0, 3)
           .only_when("surface", {"ses"})
           .group("Method")
           .help("Radius of the probe that rolls over the atoms: 1.4 Å for water."),
       field("spline-window", &O::spline_window_angstrom, "Spline window")
           .unit("angstrom")
           .range(0.01, 5)
           .usual(0.05, 1)
           .only_when("surface", {"spline"})
           .group("Method")
           .help("Half-width of the shell about each sphere in which the permittivity changes smoothly."),
       field("ion-radius", &O::ion_radius_angstrom, "Ion radius")
           .unit("angstrom")
           .range(0, 20)
           .usual(0, 5)
           .only_when("method", {"pb-linear", "pb-nonlinear"})
           .group("Method")
           .help("Width of the Stern layer: centres of ions come no closer to the atoms' spheres than this."),
       field("charge-spline", &O::charge_spline, "Charge spline",
             {{"linear", "Linear"}, {"quadratic", "Quadratic"}, {"quartic", "Quartic"}})
           .only_when("method", {"pb-linear", "pb-nonlinear"})
           .group("Method")
           .help("Spline that spreads each charge over grid points: 2, 3 or 5 along each axis."),
       field("focusing", &O::focusing, "Focusing")
           .range(1, 100)
           .usual(1, 10)
           .only_when("method", {"pb-linear", "pb-nonlinear"})
           .group("Method")
           .help("Length of a coarse grid divided by that of the fine one. The coarse solution gives the "
                 "boundary condition; 1 solves on the fine grid alone.")},
      dispatch::compute_schema());
  return schema;
}

double scale_of(const PotentialOptions& options) {
  const double permittivity =
      options.method == Method::debye_hueckel ? options.solvent_dielectric : options.solute_dielectric;
  return coulomb_constant(options.unit, options.temperature_kelvin) / permittivity;
}

PairTerms terms_of(const PotentialOptions& options) {
  const bool constant = options.dielectric == Dielectric::constant;
  switch (options.method) {
    case Method::direct:
      return {.law = constant ? PairLaw::coulomb : PairLaw::distance};
    case Method::cutoff:
      return {.law = constant ? PairLaw::cutoff : PairLaw::distance_cutoff,
              .cutoff = options.cutoff_angstrom};
    case Method::debye_hueckel:
      return {.law = PairLaw::screened,
              .kappa = inverse_debye_length(options.salt_molar, options.solvent_dielectric,
                                            options.temperature_kelvin)};
    case Method::multilevel:
      return multilevel_terms(options.cutoff_angstrom);
    case Method::pme:
      return ewald_split_of(options).terms;
    default:
      return {};
  }
}

EwaldSplit ewald_split_of(const PotentialOptions& options) {
  // Truncation at the cut-off adds up in crystals; and part of the error is due to the mesh.
  return ewald_split(options.cutoff_angstrom, options.error / 10);
}

namespace {

/// Box edges, in angstrom. Files of structures that are not crystals have a dummy cell of 1.
constexpr double least_length = 1, most_length = 1e5;
/// A box flatter than this, relative to the volume of a right-angled one with its edges, has images closer than any
/// cut-off.
constexpr double least_volume = 0.05;

bool spans_a_box(const Eigen::Matrix3d& cell) {
  const Eigen::Vector3d lengths = cell.colwise().norm();
  return lengths.maxCoeff() <= most_length && std::abs(cell.determinant()) >= least_volume * lengths.prod();
}

Eigen::Matrix3d period_of_cell(const std::optional<Eigen::Matrix3d>& cell) {
  if (!cell || !(cell->colwise().norm().minCoeff() > least_length)) {
    throw Error(
        "Particle-mesh Ewald needs a box, and the file states none. Give its lengths along x, y and z in "
        "angstrom, as in 62,62,70.");
  }
  if (!spans_a_box(*cell)) {
    throw Error(
        "The file's cell is too large or too flat to be repeated. Give the edges of another box in angstrom, "
        "as in 62,62,70 or, with angles, 62,62,70,90,90,120.");
  }
  return *cell;
}

}  // namespace

Eigen::Matrix3d period_of(const PotentialOptions& options, const structures::Charges& charges) {
  if (options.box.empty()) return period_of_cell(charges.cell);
  auto numbers = numbers_in(options.box);
  if (numbers.size() == 3) numbers.insert(numbers.end(), 3, 90.0);
  if (numbers.size() == 6) {
    const auto cell =
        structures::cell_of({numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]});
    const bool long_enough = *std::min_element(numbers.begin(), numbers.begin() + 3) >= least_length;
    if (cell && long_enough && spans_a_box(*cell)) return *cell;
  }
  throw Error(
      "The box is " + isolume::quoted(options.box) +
      ". Give its edges in angstrom, three numbers from 1 to 100000, as in 62,62,70, and three angles in "
      "degrees that span a box where they are not all right, as in 62,62,70,90,90,120.");
}

void check(const PotentialOptions& options) {
  // Ranges are checked by the schema.
  PotentialOptions checked = options;
  parameters::StructParameters<PotentialOptions> set(potential_schema(), checked);
  for (const auto& each : set.descriptions()) set.set(each.key, set.get(each.key));
  const bool by_cpu = (options.engine == "auto" || options.engine == "cpu") && options.kernel == "auto" &&
                      (options.devices == "all" || options.devices == "0");
  if (by_cpu || has_engines(options.method)) return;
  throw Error(
      "Potentials by the method " + parameters::to_text(set.get("method")) +
      " are computed on the CPU. Choose the engine \"auto\" or \"cpu\", the kernel \"auto\" and the devices "
      "\"all\"; or one of the methods direct, cutoff, debye-hueckel, multilevel, pme, pb-linear and "
      "pb-nonlinear.");
}

}  // namespace isolume::electrostatics
