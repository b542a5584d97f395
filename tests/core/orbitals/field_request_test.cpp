// Fields of wavefunctions against Psi4's cubes, and against formulas.
#include "core/orbitals/field_request.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/molecules/document.h"
#include "core/orbitals/parameters.h"
#include "core/orbitals/reference_engine.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::orbitals {
namespace {

using molecules::Spin;

std::shared_ptr<const molecules::Wavefunction> sample(const std::string& name) {
  return molecules::read_document(resource("samples/" + name + ".fchk.gz")).wavefunction;
}

FieldRequest request_of(FieldKind kind) {
  FieldRequest request;
  request.kind = kind;
  return request;
}

struct CubeCase {
  const char* sample;
  const char* cube;
  FieldKind kind;
  const char* orbital;
  Spin spin;
};

class PsiCubes : public testing::TestWithParam<CubeCase> {};

/// A value is right within the six printed digits, the cube's rounded places (1e-6 bohr times the gradient,
/// which near a nucleus of charge Z is 2 Z times the value), and float rounding.
TEST_P(PsiCubes, Agree) {
  const auto& [name, cube, kind, orbital, spin] = GetParam();
  const auto wavefunction = sample(name);
  const auto document = molecules::read_document(std::filesystem::path(ISOLUME_TEST_REFERENCES) / "cubes" /
                                                 (std::string(cube) + ".cube.gz"));
  const auto& expected = *document.fields.front();
  FieldRequest request = request_of(kind);
  if (kind == FieldKind::orbital)
    request.orbital = molecules::find_orbital(wavefunction->sets[0], orbital, spin);
  const auto field = compute_field(*wavefunction, request, expected.grid, *make_cpu_engine()).values;
  const double overlap = grid::inner_product(field, expected);
  const double sign = kind == FieldKind::orbital && overlap < 0 ? -1 : 1;
  // Where alpha and beta cancel, what was rounded is their sum.
  const auto total =
      compute_field(*wavefunction, request_of(FieldKind::density), expected.grid, *make_cpu_engine()).values;
  const auto range = grid::value_range(expected);
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  for (std::size_t n = 0; n < field.values.size(); ++n) {
    const double magnitude = kind == FieldKind::spin_density ? total.values[n] : std::abs(expected.values[n]);
    ASSERT_NEAR(sign * field.values[n], expected.values[n],
                2.5e-5 * magnitude + 3e-6 * std::min(largest, 1.0))
        << "point " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PsiCubes,
    testing::Values(
        CubeCase{"water-631gs", "water-631gs-Psi_a_5", FieldKind::orbital, "homo", Spin::alpha},
        CubeCase{"water-631gs", "water-631gs-Dt", FieldKind::density, "", Spin::alpha},
        CubeCase{"water-def2tzvp", "water-def2tzvp-Psi_a_5", FieldKind::orbital, "5", Spin::alpha},
        CubeCase{"water-def2tzvp", "water-def2tzvp-Dt", FieldKind::density, "", Spin::alpha},
        CubeCase{"water-ccpvqz", "water-ccpvqz-Psi_a_5", FieldKind::orbital, "homo", Spin::alpha},
        CubeCase{"water-ccpvqz", "water-ccpvqz-Dt", FieldKind::density, "", Spin::alpha},
        CubeCase{"oxygen-triplet", "oxygen-triplet-Psi_b_7", FieldKind::orbital, "homo", Spin::beta},
        CubeCase{"oxygen-triplet", "oxygen-triplet-Da", FieldKind::alpha_density, "", Spin::alpha},
        CubeCase{"oxygen-triplet", "oxygen-triplet-Db", FieldKind::beta_density, "", Spin::alpha},
        CubeCase{"oxygen-triplet", "oxygen-triplet-Ds", FieldKind::spin_density, "", Spin::alpha},
        CubeCase{"benzene", "benzene-631gs-Dt", FieldKind::density, "", Spin::alpha}),
    [](const auto& each) {
      std::string name = each.param.cube;
      std::ranges::replace(name, '-', '_');
      return name;
    });

/// Errors of the default screening and of float on real wavefunctions, as parts of the field's maximum.
TEST(Fields, SamplesAgreeWithTheReferenceEngine) {
  for (const char* name : {"benzene", "water-ccpvqz", "oxygen-triplet"}) {
    const auto wavefunction = sample(name);
    BoxOptions options;
    options.spacing_bohr = 0.45;
    options.margin_bohr = 4;
    for (const FieldKind kind : {FieldKind::orbital, FieldKind::density, FieldKind::spin_density}) {
      FieldRequest request = request_of(kind);
      request.orbital = molecules::find_orbital(wavefunction->sets[0], "homo", Spin::alpha);
      const auto grid = enclosing_grid(*wavefunction, request, options);
      const auto field = compute_field(*wavefunction, request, grid, *make_cpu_engine()).values;
      const auto expected = compute_field(*wavefunction, request, grid, *make_reference_engine()).values;
      const auto range = grid::value_range(expected);
      const double largest = std::max(std::abs(range.low), std::abs(range.high));
      for (std::size_t n = 0; n < field.values.size(); ++n) {
        ASSERT_NEAR(field.values[n], expected.values[n], 1e-6 * largest) << name << ", " << to_string(kind);
      }
    }
  }
}

grid::Grid wide_grid(const molecules::Wavefunction& wavefunction, double spacing, double margin) {
  BoxOptions options;
  options.spacing_bohr = spacing;
  options.margin_bohr = margin;
  return enclosing_grid(wavefunction, request_of(FieldKind::density), options);
}

TEST(Fields, OrbitalsAreOrthonormalOnAFineWideGrid) {
  const auto wavefunction = sample("water-def2tzvp");
  const auto& set = wavefunction->sets[0];
  const auto grid = wide_grid(*wavefunction, 0.15, 10);
  std::vector<grid::ScalarField> fields;
  for (const char* name : {"homo-1", "homo", "lumo", "lumo+1"}) {
    FieldRequest request = request_of(FieldKind::orbital);
    request.orbital = molecules::find_orbital(set, name, Spin::alpha);
    fields.push_back(compute_field(*wavefunction, request, grid, *make_cpu_engine()).values);
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_NEAR(grid::inner_product(fields[i], fields[j]), i == j ? 1 : 0, 1e-4) << i << ", " << j;
    }
  }
}

TEST(Fields, SpinDensityOfTripletOxygenHoldsTwoElectrons) {
  const auto wavefunction = sample("oxygen-triplet");
  const auto grid = wide_grid(*wavefunction, 0.15, 8);
  const auto spin =
      compute_field(*wavefunction, request_of(FieldKind::spin_density), grid, *make_cpu_engine()).values;
  EXPECT_NEAR(grid::integral(spin), 2, 2e-3);
}

/// One normalised primitive a function, against the closed formulas with norms written out by hand.
TEST(Fields, SingleGaussiansFollowTheirFormulas) {
  molecules::Wavefunction wavefunction;
  wavefunction.molecule = test::atoms_at({{0.1, -0.2, 0.3}});
  const double a = 0.7;
  for (int l = 0; l <= 2; ++l) wavefunction.basis.shells.push_back(test::shell(0, l, false, {a}, {1.0}));
  const double s_norm = std::pow(2 * a / M_PI, 0.75);
  const double p_norm = std::pow(128 * std::pow(a, 5) / std::pow(M_PI, 3), 0.25);
  const double d_xx_norm = std::pow(2048 * std::pow(a, 7) / (9 * std::pow(M_PI, 3)), 0.25);
  const double d_xy_norm = std::pow(2048 * std::pow(a, 7) / std::pow(M_PI, 3), 0.25);
  const Eigen::Matrix3Xd point = Eigen::Vector3d(0.8, 0.5, -0.4);
  const Eigen::Vector3d r = point.col(0) - wavefunction.molecule.atoms[0].position_bohr;
  const double e = std::exp(-a * r.squaredNorm());
  Eigen::VectorXd expected(10);
  expected << s_norm, p_norm * r.x(), p_norm * r.y(), p_norm * r.z(), d_xx_norm * r.x() * r.x(),
      d_xy_norm * r.x() * r.y(), d_xy_norm * r.x() * r.z(), d_xx_norm * r.y() * r.y(),
      d_xy_norm * r.y() * r.z(), d_xx_norm * r.z() * r.z();
  expected *= e;
  const Eigen::MatrixXd one_each = Eigen::MatrixXd::Identity(10, 10);
  const Eigen::MatrixXf values =
      make_cpu_engine()
          ->amplitudes_at(wavefunction.molecule, wavefunction.basis, one_each, point, {}, {})
          .values;
  for (int k = 0; k < 10; ++k) EXPECT_NEAR(values(0, k), expected[k], 2e-7) << "function " << k;
}

/// STO-6G fits of hydrogen's 1s (Hehre, Stewart and Pople, J. Chem. Phys. 51, 2657 (1969), zeta = 1): near
/// the exact orbital exp(-r)/sqrt(pi) away from the cusp.
TEST(Fields, SixGaussiansMakeHydrogens1s) {
  molecules::Wavefunction wavefunction;
  wavefunction.molecule = test::atoms_at({{0, 0, 0}});
  wavefunction.basis.shells.push_back(test::shell(
      0, 0, false, {23.10303149, 4.235915534, 1.185056519, 0.4070988982, 0.1580884151, 0.06510953954},
      {0.009163596280, 0.04936149294, 0.1685383049, 0.3705627997, 0.4164915298, 0.1303340841}));
  Eigen::Matrix3Xd points(3, 12);
  for (int n = 0; n < 12; ++n) points.col(n) = Eigen::Vector3d(0.6, -0.64, 0.48) * (0.4 + 0.3 * n);
  const Eigen::MatrixXf values = make_cpu_engine()
                                     ->amplitudes_at(wavefunction.molecule, wavefunction.basis,
                                                     Eigen::MatrixXd::Ones(1, 1), points, {}, {})
                                     .values;
  for (int n = 0; n < 12; ++n) {
    EXPECT_NEAR(values(n, 0), std::exp(-points.col(n).norm()) / std::sqrt(M_PI), 4e-3) << n;
  }
}

/// Two s functions on one atom as "orbitals" with energies; not orthogonal, which the formulas do not need.
molecules::Wavefunction two_levels() {
  molecules::Wavefunction made;
  made.molecule = test::atoms_at({{0, 0, 0}});
  made.basis.shells = {test::shell(0, 0, false, {1.0}, {1.0}), test::shell(0, 1, false, {0.5}, {1.0})};
  molecules::OrbitalSet set;
  set.coefficients = Eigen::MatrixXd::Identity(4, 4);
  set.orbitals.resize(4);
  for (int i = 0; i < 4; ++i) set.orbitals[i].energy_hartree = -0.5 + 0.25 * i;
  set.orbitals[0].occupation = 2;
  set.orbitals[1].occupation = 1;
  made.sets.push_back(std::move(set));
  return made;
}

TEST(Combine, SuperpositionTurnsWithItsEnergies) {
  const auto wavefunction = two_levels();
  FieldRequest request = request_of(FieldKind::superposition_density);
  request.terms = {{0, 3}, {1, -4}};
  request.time_atomic_units = 1.7;
  const Combination density = combine(wavefunction, request);
  ASSERT_TRUE(density.quadratic);
  ASSERT_EQ(density.coefficients.cols(), 2);
  // |c0 f0 e^(-i E0 t) + c1 f1 e^(-i E1 t)|^2 = c0^2 f0^2 + c1^2 f1^2 + 2 c0 c1 f0 f1 cos((E1 - E0) t)
  const double f0 = 0.3;
  const double f1 = -0.8;
  const Eigen::Vector2d psi = density.coefficients.topRows(2).transpose() * Eigen::Vector2d(f0, f1);
  EXPECT_NEAR(psi.cwiseAbs2().dot(density.weights),
              0.36 * f0 * f0 + 0.64 * f1 * f1 - 2 * 0.48 * f0 * f1 * std::cos(0.25 * 1.7), 1e-12);
  request.kind = FieldKind::superposition;
  const Combination amplitude = combine(wavefunction, request);
  ASSERT_FALSE(amplitude.quadratic);
  EXPECT_NEAR(amplitude.coefficients(0, 0), 0.6 * std::cos(-0.5 * 1.7), 1e-12);
  EXPECT_NEAR(amplitude.coefficients(1, 0), -0.8 * std::cos(-0.25 * 1.7), 1e-12);
}

TEST(Combine, OpenShellOfOneDeterminantIsAlpha) {
  const auto wavefunction = two_levels();
  const Combination spin = combine(wavefunction, request_of(FieldKind::spin_density));
  ASSERT_EQ(spin.weights.size(), 1);
  EXPECT_EQ(spin.weights[0], 1);
  EXPECT_EQ(spin.coefficients(1, 0), 1);
  EXPECT_EQ(combine(wavefunction, request_of(FieldKind::density)).weights.sum(), 3);
  EXPECT_EQ(combine(wavefunction, request_of(FieldKind::beta_density)).weights.sum(), 1);
}

TEST(Combine, RefusesWhatIsNotThere) {
  auto wavefunction = two_levels();
  FieldRequest request = request_of(FieldKind::orbital);
  request.orbital = 4;
  EXPECT_THROW(combine(wavefunction, request), Error);
  request.orbital = -1;
  EXPECT_THROW(combine(wavefunction, request), Error);
  request = request_of(FieldKind::superposition);
  EXPECT_THROW(combine(wavefunction, request), Error) << "no terms";
  request.terms = {{0, 0}};
  EXPECT_THROW(combine(wavefunction, request), Error) << "no weight";
  request.terms = {{0, 1}};
  wavefunction.sets[0].orbitals[0].energy_hartree = std::nan("");
  EXPECT_THROW(combine(wavefunction, request), Error) << "no energy";
  request = request_of(FieldKind::density);
  request.set = 1;
  EXPECT_THROW(combine(wavefunction, request), Error);
}

/// Largest magnitude on the faces of the box.
double largest_on_faces(const grid::ScalarField& field) {
  const auto [nx, ny, nz] = field.grid.dimensions;
  double largest = 0;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const bool face = i == 0 || j == 0 || k == 0 || i == nx - 1 || j == ny - 1 || k == nz - 1;
        if (face) largest = std::max(largest, std::abs(static_cast<double>(field.at(i, j, k))));
      }
    }
  }
  return largest;
}

TEST(EnclosingGrid, HoldsTheIsosurface) {
  for (const char* name : {"benzene", "water-ccpvqz", "oxygen-triplet"}) {
    const auto wavefunction = sample(name);
    for (const char* orbital : {"1", "homo", "lumo", "lumo+3"}) {
      FieldRequest request = request_of(FieldKind::orbital);
      request.orbital = molecules::find_orbital(wavefunction->sets[0], orbital, Spin::alpha);
      BoxOptions options;
      options.spacing_bohr = 0.4;
      for (const double isovalue : {0.002, 0.02, 0.1}) {
        options.isovalue = isovalue;
        const auto grid = enclosing_grid(*wavefunction, request, options);
        const auto field = compute_field(*wavefunction, request, grid, *make_cpu_engine()).values;
        EXPECT_LT(largest_on_faces(field), isovalue) << name << " " << orbital << " " << isovalue;
      }
    }
    for (const FieldKind kind : {FieldKind::density, FieldKind::spin_density}) {
      BoxOptions options;
      options.spacing_bohr = 0.4;
      options.isovalue = 0.001;
      const auto grid = enclosing_grid(*wavefunction, request_of(kind), options);
      const auto field = compute_field(*wavefunction, request_of(kind), grid, *make_cpu_engine()).values;
      EXPECT_LT(largest_on_faces(field), options.isovalue) << name;
    }
  }
}

Eigen::Vector3d extent(const grid::Grid& grid) {
  return grid.step * Eigen::Vector3d(grid.dimensions[0] - 1, grid.dimensions[1] - 1, grid.dimensions[2] - 1);
}

TEST(EnclosingGrid, CoreOrbitalsGetSmallBoxesAndDiffuseOnesLargeOnes) {
  molecules::Wavefunction wavefunction = two_levels();
  wavefunction.basis.shells[0].exponents = {100.0};
  wavefunction.basis.shells[1].exponents = {0.005};
  BoxOptions options;
  options.isovalue = 0.001;
  FieldRequest request = request_of(FieldKind::orbital);
  // N exp(-a r^2) = isovalue, N = (2a/pi)^(3/4): r = 0.341 bohr
  const double norm = std::pow(200 / M_PI, 0.75);
  const double radius = std::sqrt(std::log(norm / options.isovalue) / 100);
  EXPECT_NEAR(extent(enclosing_grid(wavefunction, request, options)).x(), 2 * radius,
              2 * options.spacing_bohr);
  request.orbital = 1;
  options.spacing_bohr = 0.5;
  EXPECT_GT(extent(enclosing_grid(wavefunction, request, options)).minCoeff(), 40);
  options.margin_bohr = 2;
  const double wider = extent(enclosing_grid(wavefunction, request, options)).x();
  options.margin_bohr = 0;
  EXPECT_NEAR(wider - extent(enclosing_grid(wavefunction, request, options)).x(), 4, 0.51);
}

TEST(FieldParameters, KeysAreTheFlags) {
  std::vector<std::string> keys;
  for (const auto& each : field_schema().fields()) {
    keys.push_back(each.description.key);
    EXPECT_FALSE(each.description.help.empty()) << each.description.key;
    EXPECT_FALSE(each.description.label.empty()) << each.description.key;
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"field", "set", "orbital", "spin", "other-orbital",
                                            "superposition", "time", "spacing", "margin", "engine", "kernel",
                                            "devices", "threads"}));
}

TEST(FieldParameters, EveryFieldKindHasItsName) {
  const auto& description = field_schema().at("field").description;
  for (std::size_t i = 0; i < description.choices.size(); ++i) {
    EXPECT_EQ(description.choices[i].key, to_string(static_cast<FieldKind>(i)));
  }
}

TEST(FieldParameters, DensitiesAreNamedAsTheirChoices) {
  const auto wavefunction = sample("oxygen-triplet");
  const auto& choices = field_schema().at("field").description.choices;
  for (const FieldKind kind :
       {FieldKind::density, FieldKind::alpha_density, FieldKind::beta_density, FieldKind::spin_density}) {
    std::string label = choices[static_cast<std::size_t>(kind)].label;
    label[0] = static_cast<char>(std::tolower(label[0]));
    EXPECT_EQ(field_name(*wavefunction, request_of(kind)), label);
  }
}

TEST(FieldParameters, BecomeARequest) {
  const auto wavefunction = sample("benzene");
  FieldParameters parameters;
  EXPECT_EQ(to_request(parameters, *wavefunction).orbital, 20);
  EXPECT_EQ(field_name(*wavefunction, to_request(parameters, *wavefunction)), "HOMO (21)");
  parameters.field = FieldKind::superposition;
  parameters.superposition = "homo:1, lumo:0.5";
  parameters.time_femtoseconds = 1;
  const FieldRequest request = to_request(parameters, *wavefunction);
  ASSERT_EQ(request.terms.size(), 2U);
  EXPECT_EQ(request.terms[1].orbital, 21);
  EXPECT_EQ(request.terms[1].weight, 0.5);
  EXPECT_NEAR(request.time_atomic_units, 41.341, 1e-3);
  for (const char* wrong : {"", "homo:", "homo:x", "homo:1,", "nothing:1", "homo:nan", "homo:1e999"}) {
    parameters.superposition = wrong;
    EXPECT_THROW(to_request(parameters, *wavefunction), Error) << wrong;
  }
  parameters = {};
  parameters.set = 2;
  EXPECT_THROW(to_request(parameters, *wavefunction), Error);
}

TEST(FieldParameters, ASuperpositionBeginsAgainWhereItsPhasesComeBack) {
  molecules::Wavefunction wavefunction;
  molecules::OrbitalSet set;
  const double gap_hartree = 0.2;
  set.orbitals = {{Spin::alpha, 2, -0.5, ""}, {Spin::alpha, 0, -0.5 + gap_hartree, ""}};
  wavefunction.sets.push_back(set);
  FieldParameters parameters;
  parameters.field = FieldKind::superposition_density;
  // The density beats with the gap: h / (0.2 Eh) = 0.7599 fs.
  const double period = 2 * M_PI / gap_hartree * 0.024188843265857;
  const double loop = loop_femtoseconds(parameters, wavefunction);
  EXPECT_NEAR(loop, std::round(loop / period) * period, 2e-3);
  EXPECT_GE(loop, 0.5);
  EXPECT_LE(loop, 2.0);
  // A slow one takes its time: 0.05 Eh, 3.04 fs.
  wavefunction.sets[0].orbitals[1].energy_hartree = -0.45;
  EXPECT_NEAR(loop_femtoseconds(parameters, wavefunction), 4 * period, 2e-3);
  wavefunction.sets[0].orbitals[1].energy_hartree = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(loop_femtoseconds(parameters, wavefunction), 2.0);
}

TEST(FieldRequest, DensitiesThatTheFileLeavesOpenAreRefused) {
  molecules::Wavefunction wavefunction = *sample("water-631gs");
  auto& set = wavefunction.sets[0];
  EXPECT_NO_THROW(combine(wavefunction, request_of(FieldKind::spin_density)));
  set.open_shells = molecules::OpenShells::unknown;
  for (const FieldKind kind : {FieldKind::spin_density, FieldKind::alpha_density, FieldKind::beta_density})
    EXPECT_THROW(combine(wavefunction, request_of(kind)), Error);
  EXPECT_NO_THROW(combine(wavefunction, request_of(FieldKind::density)));
  set.occupations_known = false;
  EXPECT_THROW(combine(wavefunction, request_of(FieldKind::density)), Error);
  EXPECT_NO_THROW(combine(wavefunction, request_of(FieldKind::orbital)));
}

}  // namespace
}  // namespace isolume::orbitals
