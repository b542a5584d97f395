#include "core/electrostatics/potential/potential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <stop_token>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/electrostatics/potential/points_csv.h"
#include "core/electrostatics/sums/pair_field.h"
#include "core/structures/pqr.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

using structures::Charges;
using structures::read_pqr;

using Eigen::Matrix3d;
using Eigen::Vector3d;

const std::filesystem::path references = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "electrostatics";

Charges made(const std::vector<std::array<double, 5>>& atoms) {
  Charges charges;
  for (const auto& [x, y, z, charge, radius] : atoms) {
    charges.x.push_back(x);
    charges.y.push_back(y);
    charges.z.push_back(z);
    charges.charge.push_back(charge);
    charges.radius.push_back(radius);
  }
  return charges;
}

/// What the law says, in double precision, and the same of the charges' magnitudes.
struct Expected {
  double value = 0, magnitude = 0;
};
Expected brute_force(const Vector3d& place, const Charges& charges, const PotentialOptions& options) {
  const double permittivity =
      options.method == Method::debye_hueckel ? options.solvent_dielectric : options.solute_dielectric;
  const double scale = coulomb_constant(options.unit, options.temperature_kelvin) / permittivity;
  const double kappa =
      inverse_debye_length(options.salt_molar, options.solvent_dielectric, options.temperature_kelvin);
  Expected sum;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double r = (charges.place(i) - place).norm();
    if (r < 1e-4) continue;
    double part = scale / r;
    if (options.dielectric == Dielectric::distance) part /= r;
    if (options.method == Method::cutoff) {
      const double x = r / options.cutoff_angstrom;
      part *= x < 1 ? (1 - x * x) * (1 - x * x) : 0;
    }
    if (options.method == Method::debye_hueckel)
      part *= std::exp(-kappa * (r - charges.radius[i])) / (1 + kappa * charges.radius[i]);
    sum.value += charges.charge[i] * part;
    // A place that is wrong by so much counts the more, the nearer the charge.
    sum.magnitude += std::abs(charges.charge[i]) * part * std::max(1.0, 0.5 / r);
  }
  return sum;
}

grid::Grid around(const Charges& charges, double spacing) {
  const auto box = box_of(charges);
  return grid::cover_box(box.low - Vector3d::Constant(5), box.high + Vector3d::Constant(5), spacing,
                         grid::LengthUnit::angstrom);
}

TEST(Units, AreThoseOfTheLiterature) {
  EXPECT_NEAR(coulomb_constant(PotentialUnit::kt_per_e, 298.15), 560.4593221475, 1e-9);
  EXPECT_NEAR(coulomb_constant(PotentialUnit::kcal_per_mol_e, 298.15), 332.0637, 1e-4);
  EXPECT_NEAR(coulomb_constant(PotentialUnit::hartree_per_e, 298.15), 0.529177210903, 1e-9);
  EXPECT_NEAR(coulomb_constant(PotentialUnit::millivolt, 298.15), 14399.645, 1e-2);
  // 3.04 angstrom / sqrt(I) in water at 25 C.
  EXPECT_NEAR(1 / inverse_debye_length(1, 78.54, 298.15), 3.04, 0.01);
  EXPECT_EQ(inverse_debye_length(0, 78.54, 298.15), 0);
}

TEST(Points, AreFoundByTheNamesOfTheirColumns) {
  const isolume::testing::TemporaryFolder folder;
  const auto read = [&](const std::string& text, Remarks& remarks) {
    return read_places(folder.write("points.csv", text), remarks);
  };
  Remarks remarks;
  const auto found = read("id,\"X (A)\",y_angstrom,Z,colour\n7,1,2,3,red\n8,4,5,6,blue\n", remarks);
  EXPECT_EQ(found.x, (decltype(found.x){1, 4}));
  EXPECT_EQ(found.z, (decltype(found.z){3, 6}));
  EXPECT_EQ(remarks.text(), "Columns that are not used: id, colour.");
  Remarks none;
  EXPECT_EQ(read("a,b,c\n1,2,3\n", none).y, (decltype(found.y){2}));
  EXPECT_EQ(read("1;2;3\n", none).z, (decltype(found.z){3}));
  EXPECT_TRUE(none.empty()) << none.text();
  EXPECT_THROW(read("id,east,north,up\n1,2,3,4\n", none), InputError);
  EXPECT_THROW(read("y,x,z\n1,2\n", none), InputError);
}

TEST(Potential, AtPointsIsThatOfAnotherProgramInLongDouble) {
  const auto charges = read_pqr(references / "1FAS.pqr");
  Remarks remarks;
  const auto places = read_places(references / "1FAS-coulomb-points.csv", remarks);
  ASSERT_EQ(places.size(), 200U);
  EXPECT_EQ(remarks.text(), "Columns that are not used: number 4.");
  const auto found = potential_at(places, charges, {});
  // Its fourth column, read as a place.
  std::ifstream file(references / "1FAS-coulomb-points.csv");
  std::string line;
  std::getline(file, line);
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_TRUE(std::getline(file, line));
    const double expected = std::stod(line.substr(line.rfind(',') + 1));
    EXPECT_NEAR(found.values[i], expected, 1e-9 * std::abs(expected) + 1e-9) << i;
  }
}

struct MethodCase {
  Method method;
  Dielectric dielectric = Dielectric::constant;

  operator Method() const { return method; }
};
class OfMethod : public ::testing::TestWithParam<MethodCase> {};

TEST_P(OfMethod, GridIsTheDoubleSum) {
  const auto charges = read_pqr(references / "1AJJ.pqr");
  PotentialOptions options;
  options.method = GetParam();
  options.dielectric = GetParam().dielectric;
  options.solute_dielectric = 2;
  options.cutoff_angstrom = 7;
  options.error = 1e-6;
  const auto grid = around(charges, 0.9);
  const auto found = potential_on(grid, charges, options).values;
  EXPECT_EQ(found.unit, "kT/e");
  const auto& n = grid.dimensions;
  double most = 0;
  for (int k = 0; k < n[2]; k += 2) {
    for (int j = 0; j < n[1]; j += 2) {
      for (int i = 0; i < n[0]; ++i) {
        const auto expected = brute_force(grid.position(i, j, k), charges, options);
        // A place of single precision is wrong by up to 1e-6 angstrom, and the nearest charge less than 1 away.
        ASSERT_NEAR(found.at(i, j, k), expected.value, 3e-6 * expected.magnitude + 1e-6)
            << i << ' ' << j << ' ' << k;
        most = std::max(most, std::abs(expected.value));
      }
    }
  }
  EXPECT_GT(most, 1) << "there is something to compare";
}

/// Computes the map in parts of at most so many bytes, and compares each with the one piece.
void expect_parts_have_the_bits_of_one_piece(const grid::Grid& grid, const Charges& charges,
                                             const PotentialOptions& options, std::size_t bytes,
                                             int least_count) {
  const auto whole = potential_on(grid, charges, options).values;
  const auto parts = parts_of(grid, charges, options, bytes);
  EXPECT_LE(parts.bytes, bytes);
  int next = 0;
  const auto found = potential_in_parts(
      grid, charges, options, parts, [&](const grid::ScalarField& planes, const jobs::Progress&) {
        const auto& m = planes.grid.dimensions;
        EXPECT_TRUE(planes.grid.position(1, 2, 3).isApprox(grid.position(next + 1, 2, 3), 1e-12));
        for (int k = 0; k < m[2]; ++k) {
          for (int j = 0; j < m[1]; ++j) {
            for (int i = 0; i < m[0]; ++i) ASSERT_EQ(planes.at(i, j, k), whole.at(next + i, j, k));
          }
        }
        next += m[0];
      });
  EXPECT_EQ(next, grid.dimensions[0]);
  EXPECT_EQ(found.values, parts.count);
  EXPECT_GE(parts.count, least_count);
}

std::size_t bytes_of_planes(const grid::Grid& grid, int planes) {
  return sizeof(float) * grid.point_count() / static_cast<std::size_t>(grid.dimensions[0]) *
         static_cast<std::size_t>(planes);
}

TEST_P(OfMethod, InPartsItHasTheBitsOfOnePiece) {
  const auto charges = read_pqr(references / "1AJJ.pqr");
  PotentialOptions options;
  options.method = GetParam();
  options.dielectric = GetParam().dielectric;
  options.cutoff_angstrom = 7;
  if (options.method == Method::fmm) GTEST_SKIP() << "its parts are larger: a test of its own";
  grid::Grid straight = around(charges, 0.4), turned = around(charges, 3);
  turned.step = Eigen::AngleAxisd(0.3, Vector3d(1, 2, 3).normalized()) * turned.step;
  expect_parts_have_the_bits_of_one_piece(straight, charges, options, bytes_of_planes(straight, 40), 3);
  expect_parts_have_the_bits_of_one_piece(turned, charges, options, bytes_of_planes(turned, 40), 1);
  EXPECT_THROW(parts_of(straight, charges, options, bytes_of_planes(straight, 1)), ResourceError);
}

TEST(Potential, OfFmmAndOfPmeInPartsHasTheBitsOfOnePiece) {
  auto charges = read_pqr(references / "1AJJ.pqr");
  PotentialOptions options;
  options.method = Method::fmm;
  options.error = 1e-3;
  const auto fine = around(charges, 0.25);
  ASSERT_GT(fine.point_count(), 2'000'000U) << "so that fmm takes it in several goes";
  const std::size_t least = bytes_of_map(fine, charges, options) - fine.point_count() * sizeof(float);
  expect_parts_have_the_bits_of_one_piece(fine, charges, options, least + 1'200'000 * sizeof(float), 2);
  EXPECT_THROW(parts_of(fine, charges, options, least), ResourceError);
  options.method = Method::pme;
  for (const std::string box : {"40,41,42", "40,41,42,90,100,90"}) {
    options.box = box;
    grid::Grid straight = around(charges, 0.8), turned = around(charges, 3);
    turned.step = Eigen::AngleAxisd(0.3, Vector3d(1, 2, 3).normalized()) * turned.step;
    expect_parts_have_the_bits_of_one_piece(straight, charges, options, bytes_of_planes(straight, 16), 3);
    expect_parts_have_the_bits_of_one_piece(turned, charges, options, bytes_of_planes(turned, 16), 1);
  }
  options.method = Method::pb_linear;
  EXPECT_THROW(parts_of(fine, charges, options, 1'000'000'000), Error);
}

TEST_P(OfMethod, PointsAreTheDoubleSum) {
  const auto charges = read_pqr(references / "1AJJ.pqr");
  PotentialOptions options;
  options.method = GetParam();
  options.dielectric = GetParam().dielectric;
  options.error = options.method == Method::multilevel ? 1e-6 : 1e-9;
  Places places;
  for (int i = 0; i < 333; ++i) {
    places.x.push_back(-20 + 0.13 * i);
    places.y.push_back(10 * std::sin(i));
    places.z.push_back(10 + 15 * std::cos(0.7 * i));
  }
  const auto found = potential_at(places, charges, options);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto expected = brute_force({places.x[i], places.y[i], places.z[i]}, charges, options);
    EXPECT_NEAR(found.values[i], expected.value,
                (options.method == Method::fmm          ? 1e-8
                 : options.method == Method::multilevel ? 1e-7
                                                        : 1e-12) *
                    expected.magnitude)
        << i;
  }
}

TEST_P(OfMethod, IsTheSameOnAnyNumberOfThreads) {
  const auto charges = read_pqr(references / "1AJJ.pqr");
  PotentialOptions options;
  options.method = GetParam();
  options.dielectric = GetParam().dielectric;
  const auto grid = around(charges, 1.5);
  options.threads = 1;
  const auto one = potential_on(grid, charges, options).values;
  options.threads = 3;
  const auto three = potential_on(grid, charges, options).values;
  for (std::size_t i = 0; i < one.values.size(); ++i) ASSERT_EQ(one.values[i], three.values[i]) << i;
}

TEST_P(OfMethod, IsTheSameOnAGridInBohrAndOnOneThatIsTurned) {
  const auto charges = read_pqr(references / "1AJJ.pqr");
  PotentialOptions options;
  options.method = GetParam();
  options.dielectric = GetParam().dielectric;
  auto grid = around(charges, 2);
  const auto plain = potential_on(grid, charges, options).values;
  auto in_bohr = grid;
  const double bohr = 1 / grid::shown_per_unit(grid::LengthUnit::bohr);
  in_bohr.origin *= bohr;
  in_bohr.step *= bohr;
  in_bohr.unit = grid::LengthUnit::bohr;
  const auto same = potential_on(in_bohr, charges, options).values;
  // The first axis of the turned one is the second of the other.
  auto turned = grid;
  turned.step.col(0).swap(turned.step.col(1));
  std::swap(turned.dimensions[0], turned.dimensions[1]);
  const auto swapped = potential_on(turned, charges, options).values;
  for (int k = 0; k < grid.dimensions[2]; ++k) {
    for (int j = 0; j < grid.dimensions[1]; ++j) {
      for (int i = 0; i < grid.dimensions[0]; ++i) {
        const double magnitude = brute_force(grid.position(i, j, k), charges, options).magnitude;
        ASSERT_NEAR(same.at(i, j, k), plain.at(i, j, k), 1e-4 * magnitude + 1e-6);
        ASSERT_NEAR(swapped.at(j, i, k), plain.at(i, j, k), 1e-4 * magnitude + 1e-6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, OfMethod,
    ::testing::Values(MethodCase{Method::direct}, MethodCase{Method::direct, Dielectric::distance},
                      MethodCase{Method::cutoff}, MethodCase{Method::cutoff, Dielectric::distance},
                      MethodCase{Method::debye_hueckel}, MethodCase{Method::fmm},
                      MethodCase{Method::multilevel}),
    [](const auto& made) {
      std::string name(potential_schema()
                           .at("method")
                           .description.choices.at(static_cast<std::size_t>(made.param.method))
                           .key);
      std::ranges::replace(name, '-', '_');
      return name + (made.param.dielectric == Dielectric::distance ? "_by_distance" : "");
    });

TEST(Potential, OfOneIonIsTheFormula) {
  const auto charges = made({{1, 2, 3, 2, 1.5}});
  const Places places{{1, 1, 6}, {2, 2, 2}, {8, 3 + 1e-5, 3}};
  PotentialOptions options;
  options.unit = PotentialUnit::kcal_per_mol_e;
  const auto direct = potential_at(places, charges, options).values;
  EXPECT_NEAR(direct[0], 332.0637 * 2 / 5, 1e-4);
  EXPECT_EQ(direct[1], 0) << "at the charge itself it adds nothing";
  options.dielectric = Dielectric::distance;
  options.solute_dielectric = 4;
  const auto growing = potential_at(places, charges, options).values;
  EXPECT_NEAR(growing[0], 332.0637 * 2 / (4 * 5) / 5, 1e-5) << "as ChimeraX's coulombic has it";
  EXPECT_EQ(growing[1], 0);
  options.method = Method::debye_hueckel;
  options.salt_molar = 0.1;
  const double kappa = std::sqrt(0.1) / 3.04;
  const auto screened = potential_at(places, charges, options).values;
  EXPECT_NEAR(screened[0], 332.0637 * 2 / 5 / 78.54 * std::exp(-kappa * 3.5) / (1 + kappa * 1.5), 2e-3);
  options.salt_molar = 0;
  EXPECT_NEAR(potential_at(places, charges, options).values[0], 332.0637 * 2 / 5 / 78.54, 1e-6);
  options.dielectric = Dielectric::constant;
  options.solute_dielectric = 1;
  options.method = Method::cutoff;
  options.cutoff_angstrom = 5;
  const auto cut = potential_at(places, charges, options).values;
  EXPECT_EQ(cut[0], 0);
  EXPECT_EQ(cut[2], 0);
  options.cutoff_angstrom = 10;
  EXPECT_NEAR(potential_at(places, charges, options).values[0], 332.0637 * 2 / 5 * 0.75 * 0.75, 1e-4);
}

/// Gauss: the flux of the field through a closed box is 4 pi C times the charge in it.
TEST(Potential, ObeysGausssLaw) {
  const auto charges = made({{0.5, 0, 0, 1, 1}, {-1, 1, 0.3, 1, 1}, {0, -1, -1, -0.5, 1}, {9, 0, 0, 3, 1}});
  constexpr double half = 5, h = 1e-3;
  constexpr int cells = 80;
  Places places;
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2;
    for (int a = 0; a < cells; ++a) {
      for (int b = 0; b < cells; ++b) {
        for (const double side : {-h, h}) {
          Vector3d place;
          place[axis] = face % 2 == 0 ? half + side : -half - side;
          place[(axis + 1) % 3] = half * ((2 * a + 1.0) / cells - 1);
          place[(axis + 2) % 3] = half * ((2 * b + 1.0) / cells - 1);
          places.x.push_back(place.x());
          places.y.push_back(place.y());
          places.z.push_back(place.z());
        }
      }
    }
  }
  PotentialOptions options;
  options.solute_dielectric = 4;
  const auto found = potential_at(places, charges, options).values;
  double flux = 0;
  for (std::size_t i = 0; i < found.size(); i += 2) flux += (found[i] - found[i + 1]) / (2 * h);
  flux *= std::pow(2 * half / cells, 2);
  EXPECT_NEAR(flux, 4 * std::numbers::pi * 560.4593221475 / 4 * 1.5, 0.5);
}

/// Cubes of ions with the parts of those on their faces that are inside (Evjen, Phys. Rev. 39, 675 (1932)).
TEST(Potential, AtAnIonOfSaltIsMadelungs) {
  constexpr int n = 12;
  Charges charges;
  for (int i = -n; i <= n; ++i) {
    for (int j = -n; j <= n; ++j) {
      for (int k = -n; k <= n; ++k) {
        const double part =
            (std::abs(i) == n ? 0.5 : 1) * (std::abs(j) == n ? 0.5 : 1) * (std::abs(k) == n ? 0.5 : 1);
        const double sign = (i + j + k) % 2 == 0 ? 1 : -1;
        charges.x.push_back(2.82 * i);
        charges.y.push_back(2.82 * j);
        charges.z.push_back(2.82 * k);
        charges.charge.push_back(sign * part);
        charges.radius.push_back(1);
      }
    }
  }
  const auto found = potential_at({{0}, {0}, {0}}, charges, {}).values;
  EXPECT_NEAR(found[0] / 560.4593221475 * 2.82, -1.7475645946, 1e-4);
}

TEST(Potential, LeavesADielectricBehindThatTheMethodKnowsNothingOf) {
  PotentialOptions options;
  options.dielectric = Dielectric::distance;
  for (const Method other : {Method::debye_hueckel, Method::fmm, Method::multilevel, Method::pme}) {
    options.method = other;
    EXPECT_NE(terms_of(options).law, PairLaw::distance);
    EXPECT_EQ(terms_of(by_method(options, Method::direct)).law, PairLaw::coulomb);
  }
  options.method = Method::cutoff;
  EXPECT_EQ(terms_of(by_method(options, Method::direct)).law, PairLaw::distance);
}

TEST(Potential, OfManyIsTheSumOfEach) {
  const auto one = made({{0, 0, 0, 1e5, 1}}), two = made({{3, 1, 2, -1e5, 0}}),
             both = made({{0, 0, 0, 1e5, 1}, {3, 1, 2, -1e5, 0}});
  const grid::Grid grid = grid::centred({1, 1, 1}, {9, 8, 7}, 0.77, grid::LengthUnit::angstrom);
  const auto a = potential_on(grid, one, {}).values, b = potential_on(grid, two, {}).values,
             c = potential_on(grid, both, {}).values;
  for (std::size_t i = 0; i < c.values.size(); ++i)
    EXPECT_NEAR(c.values[i], a.values[i] + b.values[i],
                1e-5 * (std::abs(a.values[i]) + std::abs(b.values[i])));
}

TEST(Potential, IsTheSameFarFromTheOrigin) {
  const auto charges = made({{0, 0, 0, 1, 1}, {2, 1, 0.5, -1, 1}});
  auto far = charges;
  for (auto* values : {&far.x, &far.y, &far.z}) {
    for (double& value : *values) value += 65536;
  }
  auto grid = grid::centred({1, 1, 1}, {20, 9, 9}, 0.5, grid::LengthUnit::angstrom);
  const auto near = potential_on(grid, charges, {}).values;
  grid.origin += Vector3d::Constant(65536);
  const auto moved = potential_on(grid, far, {}).values;
  for (std::size_t i = 0; i < near.values.size(); ++i)
    EXPECT_NEAR(moved.values[i], near.values[i], 1e-4 * std::abs(near.values[i]) + 1e-3);
}

TEST(Potential, OfNoChargeIsZeroAndOfNothingIsRefused) {
  const auto grid = grid::centred({0, 0, 0}, {5, 5, 5}, 1, grid::LengthUnit::angstrom);
  for (const Method method :
       {Method::direct, Method::cutoff, Method::debye_hueckel, Method::fmm, Method::multilevel}) {
    PotentialOptions options;
    options.method = method;
    const auto found = potential_on(grid, made({{0, 0, 0, 0, 1}}), options).values;
    for (const float value : found.values) EXPECT_EQ(value, 0);
    EXPECT_THROW(potential_on(grid, {}, options), Error);
    EXPECT_THROW(potential_on(grid, made({{0, 0, NAN, 1, 1}}), options), Error);
    EXPECT_THROW(potential_on(grid, made({{0, 0, 0, INFINITY, 1}}), options), Error);
    EXPECT_THROW(potential_on(grid, made({{0, 0, 0, 1, -1}}), options), Error);
  }
  PotentialOptions options;
  options.temperature_kelvin = 0;
  EXPECT_THROW(potential_on(grid, made({{0, 0, 0, 1, 1}}), options), Error);
  auto huge = grid;
  huge.dimensions = {100000, 100000, 100000};
  EXPECT_THROW(potential_on(huge, made({{0, 0, 0, 1, 1}}), {}), ResourceError);
}

TEST(Potential, AtPlacesTooFarOrOfAtomsTooLargeIsRefused) {
  const auto one = made({{3, 0, 0, 1, 1}});
  for (const Method method :
       {Method::direct, Method::cutoff, Method::debye_hueckel, Method::fmm, Method::multilevel}) {
    PotentialOptions options;
    options.method = method;
    for (const double far : {1e160, double{NAN}, -double{INFINITY}})
      EXPECT_THROW(potential_at({{0, far}, {0, 0}, {0, 0}}, one, options), Error) << far;
    auto grid = grid::centred({0, 0, 0}, {5, 5, 5}, 1, grid::LengthUnit::angstrom);
    grid.origin.x() = 1e160;
    EXPECT_THROW(potential_on(grid, one, options), Error);
  }
  PotentialOptions options;
  options.method = Method::debye_hueckel;
  options.salt_molar = 10;
  EXPECT_THROW(potential_at({{0}, {0}, {0}}, made({{3, 0, 0, 1, 800}}), options), Error);
  const auto found = potential_at({{0}, {0}, {0}}, made({{3, 0, 0, 1, 40}}), options).values;
  EXPECT_TRUE(std::isfinite(found[0]));
}

/// Far apart, or all on a line or at one place: the bins are no more than the charges.
TEST(Potential, WithACutOffTakesChargesAnywhere) {
  PotentialOptions options;
  options.method = Method::cutoff;
  options.cutoff_angstrom = 0.5;
  Charges charges = made({{-9e5, 0, 0, 1, 1}, {9e5, 0, 0, 1, 1}, {0.1, 0, 0, 1, 1}, {0.1, 0, 0, 1, 1}});
  const auto found = potential_at({{0, 9e5, 5e5}, {0, 0.25, 0}, {0, 0, 0}}, charges, options).values;
  EXPECT_NEAR(found[0], 2 * 560.4593221475 / 0.1 * std::pow(1 - 0.04, 2), 1e-6);
  EXPECT_NEAR(found[1], 560.4593221475 / 0.25 * std::pow(1 - 0.25, 2), 1e-6);
  EXPECT_EQ(found[2], 0);
}

TEST(Potential, IsCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const auto grid = grid::centred({0, 0, 0}, {50, 50, 50}, 1, grid::LengthUnit::angstrom);
  for (const Method method : {Method::direct, Method::cutoff, Method::multilevel, Method::pme}) {
    PotentialOptions options;
    options.method = method;
    options.box = "50,50,50";
    EXPECT_THROW(potential_on(grid, made({{0, 0, 0, 1, 1}}), options, jobs::Progress(stop.get_token(), {})),
                 Cancelled);
  }
}

TEST_P(OfMethod, PlanesAloneAreThoseOfTheWhole) {
  const auto charges = read_pqr(references / "1AJJ.pqr");
  PotentialOptions options;
  options.method = GetParam();
  options.dielectric = GetParam().dielectric;
  if (!is_pair_sum(options.method)) GTEST_SKIP() << "it sums more than pairs";
  const auto terms = terms_of(options);
  const Bins bins(sources_of(charges, terms), terms.cutoff);
  const auto grid = around(charges, 1.7);
  const int planes = grid.dimensions[2];
  std::vector<float> whole(grid.point_count()), parts(grid.point_count());
  sum_pairs_on(grid, bins, terms, 2, whole.data(), {});
  for (int first = 0; first < planes; first += layers_at_once)
    sum_pairs_on_layers(grid, first, std::min(layers_at_once, planes - first), bins, terms, 2, parts.data(),
                        {});
  EXPECT_EQ(whole, parts);
}

TEST(Potential, IsRefusedByEnginesThatAreNotThere) {
  const auto charges = made({{3, 0, 0, 1, 1}});
  const auto grid = around(charges, 2);
  const auto expect_refused = [&](Method method, const std::string& engine, const std::string& kernel,
                                  const std::string& devices, const std::string& word) {
    PotentialOptions options;
    options.method = method;
    options.engine = engine;
    options.kernel = kernel;
    options.devices = devices;
    try {
      potential_on(grid, charges, options);
      ADD_FAILURE() << engine << ' ' << kernel << ' ' << devices << " was not refused";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  expect_refused(Method::direct, "cuda", "auto", "all", "no engine named \"cuda\"");
  expect_refused(Method::direct, "cpu", "shared", "all", "kernel");
  expect_refused(Method::cutoff, "auto", "auto", "1", "devices");
  expect_refused(Method::multilevel, "cuda", "auto", "all", "no engine named \"cuda\"");
  expect_refused(Method::fmm, "auto", "shared", "all", "fmm");
  expect_refused(Method::pb_linear, "auto", "auto", "1,2", "devices");
  expect_refused(Method::pb_nonlinear, "cuda", "auto", "all", "no engine named \"cuda\"");
}

TEST(RelevantText, ChangesWithWhatMattersToTheMethodAlone) {
  PotentialOptions options;
  options.method = Method::direct;
  const auto text_with = [&options](auto change) {
    PotentialOptions changed = options;
    change(changed);
    return relevant_text(changed);
  };
  const auto probe = [](PotentialOptions& o) { o.probe_angstrom = 2; };
  const auto interface = [](PotentialOptions& o) { o.interface = DielectricInterface::sharp; };
  const auto salt = [](PotentialOptions& o) { o.salt_molar = 1; };
  const auto solute = [](PotentialOptions& o) { o.solute_dielectric = 4; };
  const std::string direct = relevant_text(options);
  EXPECT_EQ(text_with(probe), direct);
  EXPECT_EQ(text_with(interface), direct);
  EXPECT_EQ(text_with(salt), direct);
  EXPECT_NE(text_with(solute), direct);
  options.method = Method::pb_linear;
  const std::string equation = relevant_text(options);
  EXPECT_NE(equation, direct);
  EXPECT_NE(text_with(probe), equation);
  EXPECT_NE(text_with(interface), equation);
  EXPECT_NE(text_with(salt), equation);
  options.surface = DielectricSurface::spline;  // which no probe rolls over
  EXPECT_EQ(text_with(probe), relevant_text(options));
}

}  // namespace
}  // namespace isolume::electrostatics
