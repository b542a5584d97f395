/// What the lab shows, without a window: the key's words, what a preview costs, numbers of whole pictures, and baselines.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <vtkCellArray.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkRenderer.h>
#include <vtkTypeInt64Array.h>

#include "app/labs/electrostatics/picture/atom_labels.h"
#include "app/labs/electrostatics/picture/map_scene.h"
#include "app/labs/electrostatics/picture/method_text.h"
#include "app/labs/electrostatics/picture/picture_numbers.h"
#include "app/labs/electrostatics/picture/picture_request.h"
#include "app/labs/electrostatics/picture/potentials_at_atoms.h"
#include "app/labs/electrostatics/picture/residue_outline.h"
#include "app/scene/cameras/camera.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/electrostatics/sums/units.h"
#include "core/fields/pipeline.h"
#include "core/grid/point_number.h"
#include "core/structures/charged_file.h"
#include "tests/app/scene/baseline.h"

namespace isolume::labs::electrostatics {
namespace {

using Eigen::Vector3d;
using MoleculePointer = std::shared_ptr<const ChargedMolecule>;

const std::filesystem::path references = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics";

MoleculePointer read_molecule(const std::string& name) {
  return open_molecule(references / name, structures::ChargedFileOptions(), {}, {}).molecule;
}

MoleculePointer of_charges(const std::vector<std::pair<Vector3d, double>>& charges, double radius = 1.5) {
  structures::Charges all;
  for (const auto& [place, charge] : charges)
    add_atom(all, place, charge, radius, {.atom = "X", .residue = "ION", .chain = "A", .number = 1});
  return charged_molecule("charges.pqr", std::move(all), std::nullopt);
}

/// Its no-break spaces as plain ones.
std::string words(std::string text) {
  const std::string joined = "\u00a0";
  for (auto at = text.find(joined); at != text.npos; at = text.find(joined))
    text.replace(at, joined.size(), " ");
  return text;
}

/// By Coulomb's law each of two charges, of +1 and -1 e, is at the potential of the other one, of opposite sign.
TEST(PotentialsAtAtoms, AreComputedOnceForAMap) {
  const auto request = [] {
    auto made = first_request(of_charges({{{0, 0, 0}, 1}, {{2, 0, 0}, -1}}));
    made.how.method = science::Method::direct;
    return made;
  }();
  const auto map = std::make_shared<const grid::ScalarField>(),
             other = std::make_shared<const grid::ScalarField>();
  PotentialsAtAtoms potentials;
  const auto first = potentials.of(request, map, {});
  ASSERT_EQ(first->size(), 2U);
  EXPECT_LT((*first)[0], 0);
  EXPECT_DOUBLE_EQ((*first)[0], -(*first)[1]);
  EXPECT_EQ(potentials.of(request, map, {}), first);
  EXPECT_NE(potentials.of(request, other, {}), first);
}

TEST(FieldLines, OfADifferenceAreNotThoseOfRounding) {
  auto request = first_request(of_charges({{{0, 0, 0}, 1}, {{4, 0, 0}, -1}, {{2, 3, 0}, 0.5}}));
  request.where = {.spacing_angstrom = 1, .margin_angstrom = 6};
  const auto lines = [&] {
    const auto source = field_of(request);
    return lines_along_field(request, *source->compute(source->grid(), {}).field, {});
  };
  EXPECT_EQ(lines()->left_out, "");
  for (const auto method : {science::Method::pb_linear, science::Method::pb_nonlinear,
                            science::Method::direct, science::Method::debye_hueckel}) {
    request.how.method = method;
    request.where.compare = science::Compared::nothing;
    request.how.salt_molar = 0.5;
    EXPECT_FALSE(lines()->all.empty());  // solvers go on from its solution
    request.how.salt_molar = 0.15;
    request.where.compare = method == science::Method::pb_linear      ? science::Compared::pb_linear
                            : method == science::Method::pb_nonlinear ? science::Compared::pb_nonlinear
                            : method == science::Method::direct       ? science::Compared::direct
                                                                      : science::Compared::debye_hueckel;
    const auto none = lines();
    EXPECT_TRUE(none->all.empty()) << static_cast<int>(method);
    EXPECT_NE(none->left_out.find("accuracy"), std::string::npos) << none->left_out;
  }
  for (const auto other : {science::Compared::pb_linear, science::Compared::pb_nonlinear}) {
    request.how.method = science::Method::debye_hueckel;
    request.where.compare = other;
    EXPECT_FALSE(lines()->all.empty());
  }
}

TEST(MethodText, NamesMethodAndMainSettings) {
  const auto molecule = of_charges({{Vector3d::Zero(), 1}});
  const auto shown = grid::centred(Vector3d::Zero(), {11, 11, 11}, 0.5, grid::LengthUnit::angstrom);
  auto how = usual_options();
  const auto said = [&](science::Compared compare = science::Compared::nothing) {
    return words(method_text(*molecule, how, compare, shown));
  };
  EXPECT_EQ(said(), "Poisson-Boltzmann, linear, 0.15 mol/l, ε 2/78.54, 298.15 K, 0.5 Å");
  EXPECT_EQ(
      said(science::Compared::half_spacing),
      "Poisson-Boltzmann, linear minus the same at half the spacing, 0.15 mol/l, ε 2/78.54, 298.15 K, 0.5 Å");
  how.method = science::Method::debye_hueckel;
  how.salt_molar = 0.1;
  EXPECT_EQ(said(), "Debye-Hückel, 0.1 mol/l, ε 78.54, 298.15 K, 0.5 Å");
  how.method = science::Method::cutoff;
  how.cutoff_angstrom = 10;
  EXPECT_EQ(said(), "Cut-off, 10 Å, ε 2, 298.15 K, 0.5 Å") << "kT/e is that of a temperature";
  how.unit = science::PotentialUnit::millivolt;
  EXPECT_EQ(said(), "Cut-off, 10 Å, ε 2, 0.5 Å");
  how.method = science::Method::direct;
  EXPECT_EQ(said(science::Compared::pb_linear), "Direct sum minus linear Poisson-Boltzmann, ε 2, 0.5 Å");
}

TEST(MethodText, NamesWhoseChargesAStructureHas) {
  const auto molecule = read_molecule("glycan.pdb");
  ASSERT_TRUE(molecule->preparation);
  const auto shown = grid::centred(Vector3d::Zero(), {11, 11, 11}, 1, grid::LengthUnit::angstrom);
  EXPECT_TRUE(
      method_text(*molecule, usual_options(), science::Compared::nothing, shown).ends_with(", AMBER ff14SB"));
}

TEST(MethodText, IsThatOfThePictureAndOfItsGrid) {
  PictureRequest request = first_request(of_charges({{{0.1, 0.2, 0.3}, 1}, {{2.1, 0.2, 0.3}, -1}}));
  request.how.method = science::Method::direct;
  request.where.margin_angstrom = 4;
  const auto source = field_of(request);
  const auto coarse = grid::coarsened(source->grid(), 3);
  EXPECT_TRUE(words(source->compute(source->grid(), {}).method).ends_with(", 0.5 Å"));
  EXPECT_EQ(words(source->compute(coarse, {}).method),
            "Direct sum, ε 2, 298.15 K, " + words(spacing_text(coarse)));
  EXPECT_EQ(compute_picture(request, {}).method, source->compute(source->grid(), {}).method);
}

/// Against the lines of the file: LYS 32 has 22 atoms, NZ with -0.3854 e and 1.824 Å.
TEST(AtomTexts, AreThoseOfTheSelectedAtomsAndNotTooMany) {
  const auto molecule = read_molecule("1FAS.pqr");
  const auto selected = select_atoms(*molecule, "residue LYS and number 32");
  const auto texts = [&](AtomLabels what) { return atom_texts(*molecule, what, selected.get()).labels; };
  const auto names = texts(AtomLabels::name);
  ASSERT_EQ(names.size(), 22U);
  const auto nz = std::ranges::find(names, "NZ", &scene::Label::text);
  ASSERT_NE(nz, names.end());
  const auto at = static_cast<std::size_t>(nz - names.begin());
  EXPECT_EQ(texts(AtomLabels::charge)[at].text, "−0.3854 e");
  EXPECT_EQ(texts(AtomLabels::radius)[at].text, "1.824 Å");
  EXPECT_EQ(texts(AtomLabels::element)[at].text.front(), 'N');
  EXPECT_EQ(texts(AtomLabels::charge)[at].place, nz->place);
  const auto residue = texts(AtomLabels::residue);
  ASSERT_EQ(residue.size(), 1U);
  EXPECT_EQ(residue.front().text, "LYS A 32");
  EXPECT_EQ(atom_texts(*molecule, AtomLabels::residue, nullptr).labels.size(), 61U);
  const auto all = atom_texts(*molecule, AtomLabels::name, nullptr);
  EXPECT_TRUE(all.labels.empty());
  EXPECT_NE(all.refused.find("300"), std::string::npos) << all.refused;
}

TEST(FirstRequest, OfALargeMoleculeHasAsManyPointsAsAPictureNeeds) {
  const auto spacing_of = [](double side) {
    const PictureRequest request = first_request(of_charges({{{0, 0, 0}, 1}, {{side, side, side}, -1}}));
    return std::pair(request.where.spacing_angstrom, grid::point_number(field_of(request)->grid()));
  };
  EXPECT_EQ(spacing_of(50).first, 0.5);
  for (const double side : {200.0, 400.0, 900.0}) {
    const auto [spacing, points] = spacing_of(side);
    EXPECT_GT(spacing, 0.5) << side;
    EXPECT_LE(points, 16e6) << side;
    EXPECT_GT(points, 9e6) << side << ": no coarser than it must be";
  }
}

// What a preview costs.

TEST(PointsWithin, AreFewerTheMoreAtomsAllPairsAreOf) {
  std::vector<std::pair<Vector3d, double>> many;
  for (int i = 0; i < 1000; ++i) many.push_back({Vector3d(i % 10, i / 10 % 10, i / 100) * 2.0, 0.1});
  const auto points = [](const MoleculePointer& molecule, science::Method method,
                         science::Compared compare = science::Compared::nothing) {
    auto how = usual_options();
    how.method = method;
    MapGrid where;
    where.compare = compare;
    return potential_source(molecule, how, where)->points_within(0.08);
  };
  using science::Compared;
  using science::Method;
  const auto few = of_charges({many.begin(), many.begin() + 10}), all = of_charges(many);
  EXPECT_NEAR(points(few, Method::direct) / points(all, Method::direct), 100, 1e-6);
  EXPECT_TRUE(std::isinf(points(all, Method::cutoff)));
  EXPECT_NEAR(points(all, Method::direct) / points(all, Method::direct, Compared::half_spacing), 9, 1e-6);
  EXPECT_EQ(points(all, Method::cutoff, Compared::direct), points(all, Method::direct));
  EXPECT_EQ(points(all, Method::direct, Compared::debye_hueckel), points(all, Method::direct) / 2);
  // Where a probe rolls around an atom takes as long as two points and a half of the equation; down to what is needed to see anything.
  EXPECT_NEAR(points(few, Method::pb_linear) - points(all, Method::pb_linear), 990 * 2.5, 1e-6);
  while (many.size() < 40'000) many.push_back({many.back().first + Vector3d(0, 0, 2), 0.1});
  EXPECT_EQ(points(of_charges(many), Method::pb_linear), 20'000);
  EXPECT_EQ(points(all, Method::cutoff, Compared::pb_linear), points(all, Method::pb_linear));
  // What was measured goes before the guess.
  all->costs->record(static_cast<int>(Method::direct), 1000, 2);
  EXPECT_NEAR(points(all, Method::direct), 0.08 * 500, 1e-9);
}

TEST(PointCosts, AreThoseOfTheLastMapOfThisMethod) {
  PointCosts costs;
  EXPECT_EQ(costs.of(1, 7), 7);
  costs.record(1, 1000, 2);
  EXPECT_DOUBLE_EQ(costs.of(1, 7), 0.002);
  costs.record(1, 1000, 3);
  EXPECT_DOUBLE_EQ(costs.of(1, 7), 0.003);
  EXPECT_EQ(costs.of(2, 7), 7) << "another way";
  costs.record(1, 1000, 1e-6);
  EXPECT_DOUBLE_EQ(costs.of(1, 7), 0.003) << "too short for the clock";
  costs.record(1, 0, 3);
  EXPECT_DOUBLE_EQ(costs.of(1, 7), 0.003);
}

// Numbers of whole pictures.

/// Of the cut-off's sum less the direct one: by both formulas, at every point.
TEST(PictureDifference, IsThatOfTheFormulasAtEveryPoint) {
  const std::vector<std::pair<Vector3d, double>> charges{{{0.13, 0.21, 0.34}, 1}, {{3.27, 0.11, 0.05}, -0.7}};
  PictureRequest request = first_request(of_charges(charges));
  request.how.method = science::Method::cutoff;
  request.how.cutoff_angstrom = 6;
  request.where = {.spacing_angstrom = 0.5, .margin_angstrom = 4, .compare = science::Compared::direct};
  EXPECT_TRUE(is_difference(request));
  const auto picture = compute_picture(request, {});
  const auto found = picture_difference(picture);
  EXPECT_EQ(found.unit, "kT/e");
  const double constant = science::scale_of(request.how);
  const auto& grid = picture.field->grid;
  double squares = 0, sum = 0, largest = 0;
  for (int k = 0; k < grid.dimensions[2]; ++k) {
    for (int j = 0; j < grid.dimensions[1]; ++j) {
      for (int i = 0; i < grid.dimensions[0]; ++i) {
        double difference = 0;
        for (const auto& [place, charge] : charges) {
          const double r = (grid.position(i, j, k) - place).norm();
          const double within = r < 6 ? std::pow(1 - r * r / 36, 2) : 0;
          difference += constant * charge * (within - 1) / r;
        }
        sum += difference;
        squares += difference * difference;
        if (std::abs(difference) > std::abs(largest)) largest = difference;
      }
    }
  }
  const auto count = static_cast<double>(grid.point_count());
  EXPECT_EQ(found.map.count, grid.point_count());
  EXPECT_NEAR(found.map.rms, std::sqrt(squares / count), 1e-4 * std::sqrt(squares / count));
  EXPECT_NEAR(found.map.mean, sum / count, 1e-4 * std::sqrt(squares / count));
  EXPECT_NEAR(found.map.largest, largest, 1e-4 * std::abs(largest));
  const auto on_surface = read_surface(picture);
  ASSERT_TRUE(on_surface && found.surface);
  EXPECT_EQ(found.surface->count, on_surface->vertices);
  EXPECT_DOUBLE_EQ(found.surface->rms, on_surface->rms);
  EXPECT_EQ(std::abs(found.surface->largest), std::max(on_surface->highest, -on_surface->lowest));
  const auto json = to_json(found);
  EXPECT_EQ(json["map"]["count"], grid.point_count());
  EXPECT_EQ(json["unit"], "kT/e");
  request.view.shown = Shown::nothing;
  EXPECT_TRUE(to_json(picture_difference(compute_picture(request, {})))["surface"].is_null());
}

TEST(DifferenceNumbers, LeaveOutWhatIsNotKnown) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{3, nan, -4, std::numeric_limits<float>::infinity()};
  const auto numbers = science::difference_numbers(values);
  EXPECT_EQ(numbers.count, 2U);
  EXPECT_DOUBLE_EQ(numbers.rms, std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(numbers.mean, -0.5);
  EXPECT_EQ(numbers.largest, -4);
  EXPECT_EQ(science::difference_numbers({}).count, 0U);
}

/// In a preview, the spheres of very many atoms stand in for the surface that a probe leaves, until that is known.
TEST(Preview, OfManyAtomsDoesNotWaitForARollingProbe) {
  constexpr int along = 28;
  std::vector<std::pair<Vector3d, double>> atoms;
  for (int i = 0; i < along * along * along; ++i) {
    const Vector3d place(i % along, i / along % along, i / (along * along));
    atoms.emplace_back(3.1 * place, i % 2 == 0 ? 0.3 : -0.3);
  }
  const auto molecule = of_charges(atoms);
  const MapGrid where{.spacing_angstrom = 3, .margin_angstrom = 6};
  const auto source =
      surface_source(molecule, {.form = science::MolecularSurface::ses, .how = usual_options()}, where);
  const auto coarse = fields::preview_grid(source->grid(), 20'000);
  const auto plain = [&](science::MolecularSurface form) {
    return science::molecular_surface(coarse, molecule->charges, form, 1.4).field.values;
  };
  const auto spheres = plain(science::MolecularSurface::vdw), rolled = plain(science::MolecularSurface::ses);
  ASSERT_NE(spheres, rolled);
  EXPECT_EQ(source->preview(coarse, {}).field->values, spheres);
  // As the equation sees it, too.
  const auto equation = potential_source(molecule, usual_options(), where);
  auto how = usual_options();
  const auto solved = [&] {
    return science::PoissonBoltzmann(molecule->charges, coarse)
        .solve(how, {.energy = false})
        .potential.values;
  };
  const auto first = equation->preview(coarse, {});
  EXPECT_FALSE(polar_solvation(*molecule, *first.field));
  how.surface = science::DielectricSurface::vdw;
  EXPECT_EQ(first.field->values, solved());
  EXPECT_EQ(source->compute(coarse, {}).field->values, rolled) << "on whatever grid, where it stays";
  EXPECT_EQ(source->preview(coarse, {}).field->values, rolled) << "now that it is known";
}

/// A charge in a sphere in water: Born's energy, which the map's equation gives without another solution, and its error,
/// which twice the spacing gives.
TEST(PolarSolvation, IsThatOfThePictureAndItsErrorThatOfTwiceTheSpacing) {
  PictureRequest request = first_request(of_charges({{{0.1, -0.2, 0.15}, 1}}, 3));
  request.how.solute_dielectric = 1;
  request.how.salt_molar = 0;
  request.where = {.spacing_angstrom = 0.4, .margin_angstrom = 8};
  const auto made = field_of(request)->compute(field_of(request)->grid(), {});
  const auto energy = polar_solvation(*request.molecule, *made.field);
  ASSERT_TRUE(energy);
  EXPECT_FALSE(energy->solvation.error_kj_per_mol);
  const double coulomb = science::coulomb_constant(science::PotentialUnit::kcal_per_mol_e, 298.15) * 4.184;
  const double born = -coulomb / (2 * 3) * (1 - 1 / 78.54);
  EXPECT_NEAR(energy->solvation.kj_per_mol, born, 0.03 * std::abs(born));
  const auto error = polar_solvation_error(*request.molecule, *made.field, *energy, {});
  ASSERT_TRUE(error);
  const auto together = science::PoissonBoltzmann(request.molecule->charges, made.field->grid)
                            .solve(request.how, {.estimate_error = true, .keep = false});
  EXPECT_NEAR(energy->solvation.kj_per_mol, together.energy->kj_per_mol, 1e-3 * std::abs(born));
  EXPECT_NEAR(*error, *together.energy->error_kj_per_mol, 2e-3 * std::abs(born));
  EXPECT_GT(*error, 0);
  // Of sums there is none.
  request.how.method = science::Method::direct;
  const auto sum = field_of(request)->compute(field_of(request)->grid(), {});
  EXPECT_FALSE(polar_solvation(*request.molecule, *sum.field));
}

/// Of two equal spheres, what is nearer to one of them ends at the plane in the middle.
TEST(SurfaceOfAtoms, EndsInThePlaneBetweenTwoSpheres) {
  PictureRequest request = first_request(of_charges({{{-1.1, 0, 0}, 1}, {{1.1, 0, 0}, -1}}, 2));
  request.how.method = science::Method::direct;
  request.where = {.spacing_angstrom = 0.5, .margin_angstrom = 4};
  const auto picture = compute_picture(request, {});
  const std::vector<bool> first{true, false};
  const auto part = surface_of_atoms(picture.lobes, *request.molecule, first).positive;
  auto& mesh = *part.mesh;
  ASSERT_GT(mesh.GetNumberOfPolys(), 100);
  ASSERT_EQ(part.values->GetNumberOfTuples(), mesh.GetNumberOfPoints());
  std::map<std::pair<vtkIdType, vtkIdType>, int> edges;
  const auto* corners = mesh.GetPolys()->GetConnectivityArray64()->GetPointer(0);
  for (vtkIdType i = 0; i < 3 * mesh.GetNumberOfPolys(); ++i) {
    const vtkIdType a = corners[i], b = corners[i % 3 == 2 ? i - 2 : i + 1];
    ++edges[std::minmax(a, b)];
  }
  int at_border = 0;
  for (const auto& [edge, count] : edges) {
    if (count == 2) continue;
    ++at_border;
    double place[3];
    part.mesh->GetPoint(edge.first, place);
    EXPECT_NEAR(place[0], 0, 0.02);
    EXPECT_NEAR(part.values->GetValue(edge.first), 0, 8) << "as on the plane, where the potential is 0";
  }
  EXPECT_GT(at_border, 20);
  EXPECT_LT(mesh.GetBounds()[1], 0.02);
  const auto outline = atoms_outline(picture.lobes, *request.molecule, first).places;
  ASSERT_FALSE(outline.empty());
  for (std::size_t i = 0; i < outline.size(); i += 3) EXPECT_NEAR(outline[i], 0, 0.05);
  // Each part begins where another one ends: where two ends meet, OpenGL leaves a gap.
  std::set<std::array<float, 3>> begins, ends;
  for (std::size_t i = 0; i < outline.size(); i += 6) {
    begins.insert({outline[i], outline[i + 1], outline[i + 2]});
    ends.insert({outline[i + 3], outline[i + 4], outline[i + 5]});
  }
  EXPECT_EQ(begins, ends);
}

/// The colours on a sphere with a charge in its centre are those of Born's potential, although the map has a kink
/// there.
TEST(SurfaceColours, AreThoseOfTheSolventsSideOfTheBoundary) {
  PictureRequest request = first_request(of_charges({{{0.1, -0.2, 0.15}, 1}}, 3));
  request.how.solute_dielectric = 2;
  request.how.salt_molar = 0;
  request.where = {.spacing_angstrom = 0.5, .margin_angstrom = 8};
  request.view.form = MapForm::ses;
  const auto picture = compute_picture(request, {});
  const double born = science::coulomb_constant(request.how.unit, 298.15) / (78.54 * 3);
  const auto reading = read_surface(picture);
  ASSERT_TRUE(reading);
  EXPECT_NEAR(reading->mean, born, 0.05 * born);
  EXPECT_GT(reading->lowest, 0.85 * born);
  EXPECT_LT(reading->highest, 1.15 * born);
  const Vector3d seen(3.1, -0.2, 0.15);
  const auto told = scene::named_value(*picture.colouring, picture.lobes, seen);
  EXPECT_NEAR(std::stod(told.substr(told.find(": ") + 2)), born, 0.15 * born) << told;
}

// Pictures that a person has looked at.

class MapBaseline : public testing::Test {
 protected:
  void expect_like(const std::string& name, bool dark = false) {
    const auto picture = compute_picture(request, {});
    scene::ImageOptions options;
    options.width = 360;
    options.height = 270;
    vtkNew<vtkRenderer> renderer;
    vtkNew<vtkGenericOpenGLRenderWindow> frame;  // a renderer that knows how large its picture is
    frame->SetReadyForRendering(false);
    frame->SetSize(options.width, options.height);
    frame->AddRenderer(renderer);
    MapScene scene(*renderer);
    scene.set_molecule(request.molecule);
    scene.field().show(picture);
    if (request.view.field_lines) scene.set_field_lines(lines_along_field(request, *picture.field, {}));
    if (wants_residue_potentials(request.view))
      scene.set_residue_potentials(residue_potentials(request, *picture.field, {}));
    scene.set_view(request.view, dark);
    scene::view_from(*renderer, "tilted");
    scene.field().keep_in_view();
    const auto image = scene::render_offscreen(*renderer, options);
    if (const char* folder = std::getenv("ISOLUME_KEEP_PICTURES"))
      scene::write_png(*image, 72, std::filesystem::path(folder) / (name + ".png"));
    scene::expect_like_baseline(*image, "electrostatics-" + name, scene::likeness::small);
    frame->RemoveRenderer(renderer);
  }
  void open(const std::string& file) {
    request = first_request(read_molecule(file));
    request.where.spacing_angstrom = 1;
  }
  void show_no_surface() {
    request.view.shown = Shown::nothing;
    request.view.surface = false;
  }
  PictureRequest request;
};

TEST_F(MapBaseline, SurfaceWithItsKey) {
  open("1FAS.pqr");
  expect_like("surface-light");
}

TEST_F(MapBaseline, SurfaceInAFreeRangeOnDark) {
  open("1FAS.pqr");
  request.view.colour_range = scene::ColourRange::free;
  request.view.colour_low = -2;
  request.view.colour_high = 8;
  expect_like("surface-free-range-dark", true);
}

TEST_F(MapBaseline, IsosurfacesWithTheirKey) {
  open("1FAS.pqr");
  request.view.shown = Shown::potential;
  expect_like("isosurfaces-light");
}

TEST_F(MapBaseline, SliceWithContours) {
  open("1FAS.pqr");
  show_no_surface();
  request.view.slice = true;
  request.view.atoms = false;
  expect_like("slice-dark", true);
}

TEST_F(MapBaseline, RibbonInTheColoursOfThePotential) {
  open("1FAS.pqr");
  show_no_surface();
  request.view.ribbon = RibbonShown::chains;
  request.view.ribbon_colour = RibbonColour::potential;
  expect_like("ribbon-light");
}

TEST_F(MapBaseline, ResidueWithoutChargesIsStriped) {
  open("1AJJ.pdb.gz");
  request.how.method = science::Method::debye_hueckel;
  request.where = {.spacing_angstrom = 1, .margin_angstrom = 5};
  expect_like("striped-residue-light");
}

}  // namespace
}  // namespace isolume::labs::electrostatics
