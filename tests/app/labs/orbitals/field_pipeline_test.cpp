#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/labs/orbitals/picture_request.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/fields/numbers.h"
#include "core/fields/pipeline.h"
#include "core/jobs/activity.h"

namespace isolume::labs::orbitals {
namespace {

namespace science = isolume::orbitals;

/// Two s functions on two hydrogen nuclei and their sum and difference, not normalised: enough for a picture.
std::shared_ptr<const molecules::Document> two_centres() {
  auto wavefunction = std::make_shared<molecules::Wavefunction>();
  wavefunction->molecule.atoms = {{1, {0, 0, -0.7}, 1}, {1, {0, 0, 0.7}, 1}};
  for (int atom = 0; atom < 2; ++atom) {
    molecules::Shell shell;
    shell.atom = atom;
    shell.exponents = {0.5};
    shell.coefficients = {1.0};
    wavefunction->basis.shells.push_back(shell);
  }
  molecules::OrbitalSet set;
  set.orbitals = {{molecules::Spin::alpha, 2, -0.6, "g"}, {molecules::Spin::alpha, 0, 0.2, "u"}};
  set.coefficients.resize(2, 2);
  set.coefficients << 0.6, 0.9, 0.6, -0.9;
  wavefunction->sets.push_back(set);
  auto document = std::make_shared<molecules::Document>();
  document->path = "two-centres.molden";
  document->molecule = wavefunction->molecule;
  document->wavefunction = wavefunction;
  return document;
}

/// The reference engine, counting its calls, and waiting in each while the gate is shut.
class WatchedEngine final : public science::Engine {
 public:
  struct Watch {
    std::atomic<int> calls = 0;
    std::atomic<bool> shut = false;
    std::atomic<bool> waiting = false;
    std::atomic<int> milliseconds = 0;  ///< what each call takes at least
  };

  explicit WatchedEngine(std::shared_ptr<Watch> watch) : watch_(std::move(watch)) {}
  std::string_view name() const override { return "watched"; }
  std::string description(int) const override { return "watched engine"; }

  science::Computed<std::vector<FieldValues>> amplitudes(const molecules::Molecule& molecule,
                                                         const molecules::BasisSet& basis,
                                                         const Eigen::MatrixXd& coefficients,
                                                         const grid::Grid& grid,
                                                         const science::EngineOptions& options,
                                                         const jobs::Progress& progress) const override {
    pass_gate(progress);
    return by_this(reference_->amplitudes(molecule, basis, coefficients, grid, options, progress));
  }
  science::Computed<FieldValues> density(const molecules::Molecule& molecule,
                                         const molecules::BasisSet& basis,
                                         const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                                         const grid::Grid& grid, const science::EngineOptions& options,
                                         const jobs::Progress& progress) const override {
    pass_gate(progress);
    return by_this(reference_->density(molecule, basis, coefficients, weights, grid, options, progress));
  }
  science::Computed<Eigen::MatrixXf> amplitudes_at(const molecules::Molecule& molecule,
                                                   const molecules::BasisSet& basis,
                                                   const Eigen::MatrixXd& coefficients,
                                                   const Eigen::Matrix3Xd& points_bohr,
                                                   const science::EngineOptions& options,
                                                   const jobs::Progress& progress) const override {
    return reference_->amplitudes_at(molecule, basis, coefficients, points_bohr, options, progress);
  }
  science::Computed<Eigen::VectorXf> density_at(const molecules::Molecule& molecule,
                                                const molecules::BasisSet& basis,
                                                const Eigen::MatrixXd& coefficients,
                                                const Eigen::VectorXd& weights,
                                                const Eigen::Matrix3Xd& points_bohr,
                                                const science::EngineOptions& options,
                                                const jobs::Progress& progress) const override {
    return reference_->density_at(molecule, basis, coefficients, weights, points_bohr, options, progress);
  }

 private:
  template <class Values>
  science::Computed<Values> by_this(science::Computed<Values> made) const {
    made.report.who = description(0);
    return made;
  }
  void pass_gate(const jobs::Progress& progress) const {
    ++watch_->calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(watch_->milliseconds));
    while (watch_->shut) {
      watch_->waiting = true;
      progress.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::shared_ptr<Watch> watch_;
  std::unique_ptr<science::Engine> reference_ = science::make_reference_engine();
};

/// The kit's pipeline with the lab's requests, as the window has it.
struct FieldPipeline {
  fields::Pipeline pipeline;
  std::shared_ptr<const science::EngineRegistry> engines;
  std::function<void(const scene::FieldPicture&)> deliver;

  void request(const PictureRequest& wanted) {
    const auto draw = [view = wanted.view, deliver = deliver](const fields::MadeField& made, bool refined,
                                                              const jobs::Progress& progress) {
      const auto picture = scene::picture_of(made, refined, view, nullptr, progress);
      progress.check();
      deliver(picture);
    };
    pipeline.request({source_of(wanted, engines), draw, fields::Detail::preview_then_refined,
                      colouring_of(wanted, engines)});
  }
};

class FieldPipelineTest : public testing::Test {
 protected:
  FieldPipelineTest() {
    auto registry = std::make_shared<science::EngineRegistry>();
    registry->add(std::make_unique<WatchedEngine>(watch));
    engines = registry;
    request.document = two_centres();
    request.field.spacing_angstrom = 0.3;
    request.field.orbital = "homo";
  }

  std::unique_ptr<FieldPipeline> make_pipeline(std::size_t cache_bytes = std::size_t{64} << 20) {
    return std::unique_ptr<FieldPipeline>(new FieldPipeline{fields::Pipeline(jobs, cache_bytes), engines,
                                                            [this](const scene::FieldPicture& picture) {
                                                              const std::lock_guard guard(mutex);
                                                              pictures.push_back(picture);
                                                            }});
  }

  void wait_until_waiting() const {
    while (!watch->waiting) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  jobs::JobRunner jobs;
  std::shared_ptr<WatchedEngine::Watch> watch = std::make_shared<WatchedEngine::Watch>();
  std::shared_ptr<const science::EngineRegistry> engines;
  PictureRequest request;
  std::mutex mutex;
  std::vector<scene::FieldPicture> pictures;
};

TEST_F(FieldPipelineTest, EnginesThatJoinLaterComputeWhatIsAskedForThen) {
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(watch->calls, 2);
  const auto other = std::make_shared<WatchedEngine::Watch>();
  auto registry = std::make_shared<science::EngineRegistry>();
  registry->add(std::make_unique<WatchedEngine>(other));
  pipeline->engines = registry;
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(other->calls, 0) << "the field was there";
  request.field.orbital = "lumo";
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(other->calls, 2);
  EXPECT_EQ(watch->calls, 2);
}

TEST_F(FieldPipelineTest, TheDevicePoolLearnsWhatWasComputedByWhom) {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device(1));
  const auto pool = std::make_shared<dispatch::DevicePool>(std::move(devices));
  auto registry = std::make_shared<science::EngineRegistry>(pool);
  registry->add(science::make_cpu_engine());
  engines = registry;
  std::atomic<int> records = 0;
  const auto subscription = pool->on_record([&] { ++records; });
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(records, 2) << "preview and refined field";
  const auto report = pool->last_report();
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(report->job, pictures.back().field->name);
  EXPECT_EQ(report->how(), "separable kernel: the grid is axis-aligned");
  ASSERT_EQ(report->shares.size(), 1U);
  EXPECT_GT(report->shares[0].tiles, 0U);
}

TEST_F(FieldPipelineTest, PreviewComesBeforeTheRefinedField) {
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  ASSERT_EQ(pictures.size(), 2U);
  EXPECT_FALSE(pictures[0].refined);
  EXPECT_TRUE(pictures[1].refined);
  EXPECT_LT(pictures[0].field->values.size() * 8, pictures[1].field->values.size());
  EXPECT_NEAR(pictures[1].field->grid.step(0, 0) * units::angstrom_per_bohr, 0.3, 1e-12);
  for (const auto& picture : pictures) {
    EXPECT_FALSE(picture.lobes.positive.empty());
    EXPECT_TRUE(picture.lobes.negative.empty());  // the sum of two s functions has one sign
    EXPECT_EQ(picture.engine, "watched engine");
  }
}

TEST_F(FieldPipelineTest, ChangingTheIsovalueRecontoursAndNeverComputesTheField) {
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  const int calls = watch->calls;
  const auto field = pictures.back().field;
  request.view.isovalue_mode = IsovalueMode::value;
  for (const double isovalue : {0.02, 0.05, 0.1}) {
    request.view.isovalue = isovalue;
    pipeline->request(request);
  }
  jobs.wait_idle();
  EXPECT_EQ(watch->calls, calls);
  EXPECT_EQ(pictures.back().field, field);
  EXPECT_DOUBLE_EQ(pictures.back().isovalue, 0.1);
  EXPECT_TRUE(pictures.back().refined);
}

/// The orbital with a node between the atoms on the surface of the one without: exp(-r^2/2) of each atom, computed here.
TEST_F(FieldPipelineTest, ASurfaceIsColouredByAnotherOrbital) {
  request.field.spacing_angstrom = 0.1;
  request.view.colour_by = ColourBy::orbital;
  request.view.colour_orbital = "lumo";
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  ASSERT_EQ(pictures.size(), 2U);
  for (const auto& picture : pictures) ASSERT_TRUE(picture.colouring);
  const auto& picture = pictures.back();
  EXPECT_NE(picture.colouring->field->name.find("LUMO"), std::string::npos) << picture.colouring->field->name;
  EXPECT_TRUE(picture.colouring->both_signs);
  EXPECT_TRUE(picture.colouring->covers_all) << "computed wherever the first one is";
  const auto& surface = picture.lobes.positive;
  ASSERT_NE(surface.values, nullptr);
  double scale = 0;  // of the functions: what makes the first orbital the isovalue on its surface
  double worst = 0;
  for (vtkIdType i = 0; i < surface.mesh->GetNumberOfPoints(); ++i) {
    const Eigen::Vector3d place =
        Eigen::Map<const Eigen::Vector3d>(surface.mesh->GetPoint(i)) * units::bohr_per_angstrom;
    const auto at = [&](double z) {
      return std::exp(-0.5 * (place - Eigen::Vector3d(0, 0, z)).squaredNorm());
    };
    if (i == 0) scale = picture.isovalue / (0.6 * (at(-0.7) + at(0.7)));
    worst = std::max(worst, std::abs(surface.values->GetValue(i) - scale * 0.9 * (at(-0.7) - at(0.7))));
  }
  EXPECT_LT(worst, 0.01 * picture.colouring->usual_limit);

  const int calls = watch->calls;
  request.view.colour_range = scene::ColourRange::locked;
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(watch->calls, calls);
  request.view.colour_orbital = "1";
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(watch->calls, calls + 2) << "only the second field, as preview and refined";
  request.view.colour_orbital = "17";
  EXPECT_THROW(pipeline->request(request), Error);
}

/// The potential of two_centres() in Eh/e, at a place in bohr. Each function is pi^-3/4 exp(-r^2/2), and of a charge
/// distribution pi^-3/2 exp(-r^2) the potential is erf(r)/r. The product of both functions is one about the middle, times
/// exp(-0.49).
double potential_of_two_centres(const Eigen::Vector3d& place) {
  const auto away = [&](double z) { return (place - Eigen::Vector3d(0, 0, z)).norm(); };
  const auto smeared = [&](double z) { return std::erf(away(z)) / away(z); };
  return 1 / away(0.7) + 1 / away(-0.7) -
         2 * 0.6 * 0.6 * (smeared(0.7) + smeared(-0.7) + 2 * std::exp(-0.49) * smeared(0));
}

TEST_F(FieldPipelineTest, ASurfaceIsColouredByTheElectrostaticPotentialAtItsVertices) {
  constexpr double kcal_per_hartree = 627.509474;
  request.field.field = science::FieldKind::density;
  request.field.spacing_angstrom = 0.1;
  request.view.isovalue_mode = IsovalueMode::value;
  request.view.isovalue = 0.02;
  request.view.colour_by = ColourBy::potential;
  request.potential = std::make_shared<const SurfacePotential>(request.document, nullptr);
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  ASSERT_EQ(pictures.size(), 2U);
  for (const auto& picture : pictures) {
    ASSERT_TRUE(picture.colouring);
    EXPECT_EQ(picture.colouring->field->unit, "kcal/mol/e");
    const auto& surface = picture.lobes.positive;
    ASSERT_NE(surface.values, nullptr);
    ASSERT_GT(surface.values->GetNumberOfTuples(), 100);
    double worst = 0, largest = 0;
    for (vtkIdType i = 0; i < surface.mesh->GetNumberOfPoints(); ++i) {
      const Eigen::Vector3d place =
          Eigen::Map<const Eigen::Vector3d>(surface.mesh->GetPoint(i)) * units::bohr_per_angstrom;
      const double expected = kcal_per_hartree * potential_of_two_centres(place);
      largest = std::max(largest, std::abs(expected));
      worst = std::max(worst, std::abs(surface.values->GetValue(i) - expected));
    }
    EXPECT_LT(worst, 1e-5 * largest);
    EXPECT_LT(picture.colouring->usual_limit, 10 * largest);
  }
  // Where the pointer rests: between vertices the value is interpolated, which a smooth potential does not mind.
  const auto& picture = pictures.back();
  const Eigen::Vector3d ahead(3, 0.2, 0.1);
  const auto place =
      fields::first_on_isosurface(*picture.shape, ahead, -Eigen::Vector3d::UnitX(), 0.02, false);
  ASSERT_TRUE(place);
  const auto read = scene::sampled_value_at(picture.lobes, *place);
  ASSERT_TRUE(read);
  const double expected = kcal_per_hartree * potential_of_two_centres(*place * units::bohr_per_angstrom);
  EXPECT_NEAR(*read, expected, 0.02 * std::abs(expected));
  EXPECT_NE(scene::named_value(*picture.colouring, picture.lobes, *place).find("kcal/mol/e"),
            std::string::npos);

  // Another unit has the same colours; another isovalue needs no field anew, and has the values of its own surface.
  const int calls = watch->calls;
  request.view.potential_unit = electrostatics::PotentialUnit::hartree_per_e;
  request.view.isovalue = 0.01;
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(watch->calls, calls);
  const auto& last = pictures.back();
  EXPECT_EQ(last.colouring->field->unit, "Eh/e");
  const Eigen::Vector3d first =
      Eigen::Map<const Eigen::Vector3d>(last.lobes.positive.mesh->GetPoint(0)) * units::bohr_per_angstrom;
  EXPECT_NEAR(last.lobes.positive.values->GetValue(0), potential_of_two_centres(first), 1e-6);
}

/// By PySCF's integrals (tests/references/potentials); 0.2 bohr and more from the nuclei, as places in float matter there.
TEST(SurfacePotentialTest, IsThatOfPySCFAlsoWithAnEffectiveCore) {
  const std::filesystem::path potentials = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "potentials";
  for (const char* name : {"water-ccpv5z", "methyl-iodide-ecp", "oh-cartesian"}) {
    const auto document = std::make_shared<const molecules::Document>(
        molecules::read_document(potentials / fmt::format("{}.molden.gz", name)));
    std::ifstream file(potentials / fmt::format("{}.potential.csv", name));
    std::string line;
    std::getline(file, line);
    std::vector<float> places;
    std::vector<double> expected;
    while (std::getline(file, line)) {
      Eigen::Vector3d place;
      double value = 0;
      ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &place.x(), &place.y(), &place.z(), &value), 4);
      const bool near_a_nucleus = std::ranges::any_of(document->molecule.atoms, [&](const auto& atom) {
        return (atom.position_bohr - place).norm() < 0.2;
      });
      if (near_a_nucleus) continue;
      for (const double each : place) places.push_back(static_cast<float>(each * units::angstrom_per_bohr));
      expected.push_back(value);
    }
    ASSERT_GT(expected.size(), 20U) << name;
    const auto found = SurfacePotential(document, nullptr).at(places, 1, {}, {});
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 1e-5 * std::max(1.0, std::abs(expected[i]))) << name << " " << i;
  }
}

TEST_F(FieldPipelineTest, AnIsovalueBelowTheBoxGetsALargerBox) {
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  const auto small = pictures.back().field->grid;
  request.view.isovalue_mode = IsovalueMode::value;
  request.view.isovalue = 1e-5;
  pipeline->request(request);
  jobs.wait_idle();
  const auto& picture = pictures.back();
  EXPECT_GT(picture.field->grid.dimensions[0], small.dimensions[0]);
  // The surface is closed: nowhere does the field reach the isovalue on the box's faces.
  const auto n = picture.field->grid.dimensions;
  for (int j = 0; j < n[1]; ++j) {
    for (int i = 0; i < n[0]; ++i) EXPECT_LT(std::abs(picture.field->at(i, j, 0)), 1e-5);
  }
}

TEST_F(FieldPipelineTest, SteppingBackTakesTheKeptField) {
  const auto pipeline = make_pipeline();
  for (const char* orbital : {"1", "2", "1"}) {
    request.field.orbital = orbital;
    pipeline->request(request);
    jobs.wait_idle();
  }
  EXPECT_EQ(watch->calls, 4);  // a preview and a refined field of each orbital
  EXPECT_EQ(pictures.back().field, pictures[1].field);
}

TEST_F(FieldPipelineTest, ASuperpositionInTimeLeavesTheOtherFieldsTheirPlaces) {
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  const auto orbital = pictures.back().field;
  auto moment = request;
  moment.field.field = science::FieldKind::superposition;
  moment.field.superposition = "1:1,2:1";
  for (int i = 0; i < 20; ++i) {
    moment.field.time_femtoseconds = 0.01 * i;
    pipeline->request(moment);
    jobs.wait_idle();
  }
  const int calls = watch->calls;
  EXPECT_EQ(calls, 2 + 20 * 2);
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(watch->calls, calls);
  EXPECT_EQ(pictures.back().field, orbital);
}

TEST_F(FieldPipelineTest, KeptFieldsStayWithinTheirMemory) {
  const auto pipeline = make_pipeline(1);  // byte: the field shown is kept, and nothing else
  for (const char* orbital : {"1", "2", "1"}) {
    request.field.orbital = orbital;
    pipeline->request(request);
    jobs.wait_idle();
  }
  EXPECT_EQ(watch->calls, 6);
}

TEST_F(FieldPipelineTest, ANewerRequestSupersedesTheRunningOne) {
  const auto pipeline = make_pipeline();
  watch->shut = true;
  pipeline->request(request);
  wait_until_waiting();
  request.field.orbital = "lumo";
  pipeline->request(request);
  watch->shut = false;
  jobs.wait_idle();
  ASSERT_FALSE(pictures.empty());
  const auto wanted = science::field_name(
      *request.document->wavefunction, science::to_request(request.field, *request.document->wavefunction));
  for (const auto& picture : pictures) {
    // The preview that was under way is shown in passing, and nothing more of it.
    EXPECT_TRUE(picture.field->name == wanted || (!picture.refined && &picture == &pictures.front()));
  }
  EXPECT_EQ(pictures.back().field->name, wanted);
  EXPECT_TRUE(pictures.back().refined);
  EXPECT_FALSE(pictures.back().lobes.negative.empty());  // the difference of two s functions has two signs
}

/// A request that the job in hand takes up is a command's own: the command has not ended before its picture is there.
TEST_F(FieldPipelineTest, ACommandEndsAfterItsPictureWhoeversJobMakesIt) {
  const auto pipeline = make_pipeline();
  watch->shut = true;
  pipeline->request(request);
  wait_until_waiting();
  std::atomic<bool> ended = false;
  std::string last;  // the field of the last picture when the command ended
  auto activity = std::make_shared<jobs::Activity>([&](const jobs::Outcome&) {
    const std::lock_guard guard(mutex);
    last = pictures.empty() ? "none" : pictures.back().field->name;
    ended = true;
  });
  request.field.orbital = "lumo";
  {
    const jobs::Activity::Scope scope(std::exchange(activity, nullptr));
    pipeline->request(request);
  }
  EXPECT_FALSE(ended);
  watch->shut = false;
  jobs.wait_idle();
  for (int i = 0; i < 1000 && !ended; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_TRUE(ended);
  EXPECT_NE(last.find("LUMO"), std::string::npos) << last;
}

TEST_F(FieldPipelineTest, AHeldKeyShowsWhatItPasses) {
  watch->milliseconds = 50;  // longer than a key takes to repeat
  const auto pipeline = make_pipeline();
  constexpr int steps = 20;
  for (int step = 0; step < steps; ++step) {
    request.field.orbital = step % 2 == 0 ? "1" : "2";
    request.field.margin_angstrom = 0.01 * step;  // each a field of its own
    pipeline->request(request);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  const auto shown_on_the_way = [this] {
    const std::lock_guard guard(mutex);
    return pictures.size();
  }();
  EXPECT_GE(shown_on_the_way, 3U);
  jobs.wait_idle();
  EXPECT_TRUE(pictures.back().refined);
  EXPECT_EQ(std::ranges::count_if(pictures, [](const auto& each) { return each.refined; }), 1);
}

TEST_F(FieldPipelineTest, APreviewThatTakesLongIsGivenUpForANewerRequest) {
  const auto pipeline = make_pipeline();
  watch->shut = true;
  pipeline->request(request);
  wait_until_waiting();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  request.field.orbital = "lumo";
  pipeline->request(request);
  watch->shut = false;
  jobs.wait_idle();
  for (const auto& picture : pictures) EXPECT_NE(picture.field->name.find("LUMO"), std::string::npos);
}

TEST_F(FieldPipelineTest, AnIsovalueThatChangesWhileTheFieldIsComputedIsUsedWhenItIsThere) {
  const auto pipeline = make_pipeline();
  watch->shut = true;
  pipeline->request(request);
  wait_until_waiting();
  request.view.isovalue_mode = IsovalueMode::value;
  request.view.isovalue = 0.07;
  pipeline->request(request);
  watch->shut = false;
  jobs.wait_idle();
  EXPECT_EQ(watch->calls, 2);  // the computation under way was not thrown away
  ASSERT_FALSE(pictures.empty());
  for (const auto& picture : pictures) EXPECT_DOUBLE_EQ(picture.isovalue, 0.07);
}

TEST_F(FieldPipelineTest, ACancelledPictureIsNotDeliveredAndCanBeAskedForAgain) {
  const auto pipeline = make_pipeline();
  watch->shut = true;
  pipeline->request(request);
  wait_until_waiting();
  for (const auto& job : jobs.active()) jobs.cancel(job.id);
  jobs.wait_idle();
  EXPECT_TRUE(pictures.empty());
  watch->shut = false;
  pipeline->request(request);
  jobs.wait_idle();
  ASSERT_FALSE(pictures.empty());
  EXPECT_TRUE(pictures.back().refined);
}

TEST_F(FieldPipelineTest, NothingIsDeliveredOnceThePipelineIsGone) {
  auto pipeline = make_pipeline();
  watch->shut = true;
  pipeline->request(request);
  wait_until_waiting();
  pipeline.reset();
  watch->shut = false;
  jobs.wait_idle();
  EXPECT_TRUE(pictures.empty());
}

TEST_F(FieldPipelineTest, AnUnknownOrbitalIsRefusedAtOnceAndTheRequestBeforeStays) {
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  auto wrong = request;
  wrong.field.orbital = "7";
  EXPECT_THROW(pipeline->request(wrong), Error);
  const auto before = pictures.size();
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(watch->calls, 2);
  EXPECT_GT(pictures.size(), before);
}

TEST_F(FieldPipelineTest, TheIsovalueEnclosesTheFractionAskedFor) {
  const auto pipeline = make_pipeline();
  request.field.orbital = "lumo";
  request.field.spacing_angstrom = 0.1;
  request.view.isovalue_mode = IsovalueMode::enclosed;
  request.view.enclosed = 0.85;
  pipeline->request(request);
  jobs.wait_idle();
  const auto& picture = pictures.back();
  double inside = 0, all = 0;
  for (const float value : picture.field->values) {
    const double density = static_cast<double>(value) * value;
    all += density;
    if (std::abs(value) >= picture.isovalue) inside += density;
  }
  EXPECT_NEAR(inside / all, 0.85, 0.01);
  EXPECT_NEAR(picture.enclosed, inside / all, 1e-3);
}

TEST_F(FieldPipelineTest, DrawingInOneGoGivesTheSameField) {
  const auto pipeline = make_pipeline();
  pipeline->request(request);
  jobs.wait_idle();
  const auto at_once = compute_picture(request, engines);
  ASSERT_EQ(at_once.field->values.size(), pictures.back().field->values.size());
  EXPECT_TRUE(std::equal(at_once.field->values.begin(), at_once.field->values.end(),
                         pictures.back().field->values.begin()));
  EXPECT_DOUBLE_EQ(at_once.isovalue, pictures.back().isovalue);
}

TEST_F(FieldPipelineTest, ALargeMoleculeBeginsWithAWiderSpacing) {
  EXPECT_DOUBLE_EQ(first_parameters(request.document).spacing_angstrom, 0.1);
  EXPECT_EQ(first_parameters(request.document).orbital, "homo");
  auto far_apart = std::make_shared<molecules::Wavefunction>(*request.document->wavefunction);
  far_apart->molecule.atoms[1].position_bohr = {80, 80, 80};
  far_apart->sets.front().orbitals.front().occupation = 0;
  auto document = std::make_shared<molecules::Document>(*request.document);
  document->wavefunction = far_apart;
  request.document = document;
  request.field = first_parameters(document);
  EXPECT_EQ(request.field.orbital, "1");  // nothing is occupied
  // A box of more than 80 bohr = 42 angstrom each way, at most 10 million points.
  EXPECT_GT(request.field.spacing_angstrom, 42 / std::cbrt(10e6));
  EXPECT_LT(request.field.spacing_angstrom, 1.5 * 42 / std::cbrt(10e6));
}

TEST_F(FieldPipelineTest, ACubeFileShowsItsFieldsWithoutAnEngine) {
  grid::ScalarField field;
  field.grid = grid::centred({0, 0, 0}, {21, 21, 21}, 0.4);
  for (int k = 0; k < 21; ++k) {
    for (int j = 0; j < 21; ++j) {
      for (int i = 0; i < 21; ++i) {
        const auto place = field.grid.position(i, j, k);
        field.values.push_back(static_cast<float>(place.z() * std::exp(-0.5 * place.squaredNorm())));
      }
    }
  }
  auto document = std::make_shared<molecules::Document>();
  document->path = "pz.cube";
  document->fields = {std::make_shared<const grid::ScalarField>(field)};
  const auto pipeline = make_pipeline();
  request = {};
  request.document = document;
  request.view.isovalue_mode = IsovalueMode::value;
  request.view.isovalue = 0.2;
  pipeline->request(request);
  jobs.wait_idle();
  EXPECT_EQ(watch->calls, 0);
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_TRUE(pictures[0].engine.empty());
  EXPECT_TRUE(pictures[0].both_signs);
  EXPECT_FALSE(pictures[0].lobes.positive.empty());
  EXPECT_FALSE(pictures[0].lobes.negative.empty());
  request.file_field = 1;
  EXPECT_THROW(pipeline->request(request), Error);
}

/// Through both nuclei and oblique to all axes, against the formula of s functions.
TEST_F(FieldPipelineTest, ALineIsComputedAtEachOfItsPoints) {
  auto registry = std::make_shared<science::EngineRegistry>();
  registry->add(science::make_cpu_engine());
  const auto source = make_source(request.document, request.field, request.view, 0, registry);
  ASSERT_TRUE(source->takes_lines());
  constexpr std::size_t count = 101;
  const Eigen::Vector3d from(0.3, -0.2, -1.5), to(-0.25, 0.2, 1.5);  // in angstrom
  const auto line = fields::line_grid(from, to, count, grid::LengthUnit::bohr);
  const auto made = source->compute(line, {});
  ASSERT_EQ(made.field->values.size(), count);
  const double norm = std::pow(2 * 0.5 / std::acos(-1), 0.75);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(i) / (count - 1);
    const Eigen::Vector3d place = (from + part * (to - from)) * units::bohr_per_angstrom;
    const auto s = [&](double z) {
      return norm * std::exp(-0.5 * (place - Eigen::Vector3d(0, 0, z)).squaredNorm());
    };
    EXPECT_NEAR(made.field->values.begin()[i], 0.6 * (s(-0.7) + s(0.7)), 1e-6) << i;
  }
}

TEST_F(FieldPipelineTest, ReadingsNameFieldResolutionEngineAndIsovalue) {
  const auto picture = compute_picture(request, engines);
  const auto n = picture.field->grid.dimensions;
  const auto text = scene::readings(picture);
  EXPECT_NE(text.find(picture.field->name), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(n[0]) + " × " + std::to_string(n[1]) + " × " + std::to_string(n[2]) +
                      " points at 0.3 Å (refined)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("watched engine"), std::string::npos) << text;
  EXPECT_NE(text.find("bohr⁻³ᐟ² encloses"), std::string::npos) << text;
  scene::FieldView without_surface;
  without_surface.surface = false;
  EXPECT_EQ(scene::readings(picture, without_surface).find("isovalue"), std::string::npos);
}

}  // namespace
}  // namespace isolume::labs::orbitals
