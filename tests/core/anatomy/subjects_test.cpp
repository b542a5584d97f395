#include "core/anatomy/subjects.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/anatomy/ages.h"
#include "core/anatomy/phantom.h"
#include "core/base/error.h"
#include "tests/temporary_folder.h"

namespace isolume::anatomy {
namespace {

constexpr int side = 32;

grid::Grid grid_of() {
  return grid::centred(Eigen::Vector3d::Zero(), {side, side, side}, 3, grid::LengthUnit::millimetre);
}

Subject head(const Eigen::Affine3d& moved_by = Eigen::Affine3d::Identity()) {
  const Image image{.field = {.grid = grid_of(), .values = head_phantom(side, 0), .name = {}, .unit = {}},
                    .remarks = {}};
  return {.path = {},
          .name = "head",
          .image = std::make_shared<const Image>(
              Image{.field = {.grid = grid_of(),
                              .values = on_grid(image, grid_of(), moved_by.inverse()).values,
                              .name = {},
                              .unit = {}},
                    .remarks = {}})};
}

PlacedSubjects placed(std::vector<Subject> subjects, LinearModel model) {
  return *place_subjects(std::make_shared<const Subjects>(std::move(subjects)), {.model = model}, {});
}

/// Two heads of which one is shifted by 8 mm: both are brought to the middle, 4 mm from each.
TEST(Subjects, ArePlacedInTheMiddleOfTheirPoses) {
  Eigen::Affine3d shift = Eigen::Affine3d::Identity();
  shift.translate(Eigen::Vector3d(8, 0, 0));
  const PlacedSubjects both = placed({head(), head(shift)}, LinearModel::rigid);
  EXPECT_LT((both.maps[0].translation() - Eigen::Vector3d(-4, 0, 0)).norm(), 0.3);
  EXPECT_LT((both.maps[1].translation() - Eigen::Vector3d(4, 0, 0)).norm(), 0.3);
  double difference = 0, before = 0;
  const FieldValues shifted = on_grid(*head(shift).image, grid_of()).values,
                    unshifted = head_phantom(side, 0);
  for (std::size_t i = 0; i < both.values[0].size(); ++i) {
    difference += std::pow(double{both.values[0][i]} - both.values[1][i], 2);
    before += std::pow(double{unshifted[i]} - shifted[i], 2);
  }
  EXPECT_LT(difference, 0.02 * before);
  const PlacedSubjects by_headers = placed({head(), head(shift)}, LinearModel::none);
  EXPECT_TRUE(by_headers.maps[1].isApprox(Eigen::Affine3d::Identity()));
  EXPECT_TRUE(std::ranges::equal(by_headers.values[0], unshifted));
}

/// The mean is that of the images as they are, by trilinear interpolation in double precision at their whole maps.
TEST(Subjects, AreInterpolatedOnce) {
  Eigen::Affine3d turn = Eigen::Affine3d::Identity();
  turn.rotate(Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitZ()));
  const auto all = std::make_shared<const Subjects>(Subjects{head(), head(turn)});
  const auto mean = average(place_subjects(all, {.model = LinearModel::rigid}, {}), {1, 3},
                            FluidParameters{.levels = 1, .iterations = 10}, [](const auto&) {}, {});
  const std::array weights{0.25, 0.75};
  double largest = 0;
  for (const Eigen::Vector3i& index :
       {Eigen::Vector3i(9, 14, 15), {16, 12, 10}, {20, 20, 17}, {12, 21, 19}}) {
    double expected = 0;
    const auto at = static_cast<std::size_t>(index.x() + side * (index.y() + side * index.z()));
    for (std::size_t i = 0; i < 2; ++i) {
      const VectorField whole = whole_displacement(*mean, i);
      const FieldValues values((*all)[i].image->values().begin(), (*all)[i].image->values().end());
      const FieldValues& placed_values = mean->placed->values[i];
      const auto [low, high] = std::ranges::minmax(placed_values);
      Eigen::Vector3d point = index.cast<double>();
      for (int axis = 0; axis < 3; ++axis)
        point[axis] += double{whole.components[static_cast<std::size_t>(axis)][at]};
      const Eigen::Vector3i corner = point.array().floor().cast<int>();
      const Eigen::Vector3d part = point - corner.cast<double>();
      double value = 0;
      for (int k = 0; k < 8; ++k) {
        const Eigen::Vector3i near(k & 1, (k >> 1) & 1, k >> 2), place = corner + near;
        double weight = 1;
        for (int axis = 0; axis < 3; ++axis) weight *= near[axis] == 1 ? part[axis] : 1 - part[axis];
        value += weight *
                 double{values[static_cast<std::size_t>(place.x() + side * (place.y() + side * place.z()))]};
      }
      expected += weights[i] * (value - double{low}) / (double{high} - double{low});
    }
    largest = std::max(largest, std::abs(expected - double{mean->mean[at]}));
  }
  EXPECT_LT(largest, 1e-5);
}

/// The weights leave out the third image, and both others meet half way.
TEST(Subjects, OfNoWeightAreLeftOut) {
  Subjects subjects;
  for (const double size : {0.1, -0.1, 0.3}) {
    subjects.push_back(
        {.path = {},
         .name = "head",
         .image = std::make_shared<const Image>(
             Image{.field = {.grid = grid_of(), .values = head_phantom(side, size), .name = {}, .unit = {}},
                   .remarks = {}})});
  }
  const auto all =
      place_subjects(std::make_shared<const Subjects>(subjects), {.model = LinearModel::none}, {});
  const FluidParameters parameters{.levels = 2, .iterations = 40};
  int shown = 0;
  const auto of_two = average(all, {1, 1, 0}, parameters,
                              [&](const auto& so_far) {
                                ++shown;
                                EXPECT_EQ(so_far->mean.size(), all->values[0].size());
                                EXPECT_FALSE(so_far->finished);
                              },
                              {});
  EXPECT_GT(shown, 0);
  EXPECT_EQ(of_two->averaged, (std::vector<std::size_t>{0, 1}));
  const auto& moved = of_two->moved_mm;
  ASSERT_TRUE(moved[0] && moved[1]);
  EXPECT_FALSE(moved[2]);
  EXPECT_NEAR(*moved[0], *moved[1], 0.2 * *moved[0]) << "half of the way each";
  subjects.pop_back();
  const auto alone =
      average(place_subjects(std::make_shared<const Subjects>(subjects), {.model = LinearModel::none}, {}),
              {1, 1}, parameters, [](const auto&) {}, {});
  EXPECT_TRUE(std::ranges::equal(of_two->mean, alone->mean));
  // The deviation is that of both deformed images.
  const FieldValues first = subject_values(*all, of_two.get(), 0),
                    second = subject_values(*all, of_two.get(), 1);
  const auto [low0, high0] = std::ranges::minmax(all->values[0]);
  const auto [low1, high1] = std::ranges::minmax(all->values[1]);
  for (const std::size_t at : {5000U, 16000U, 20000U}) {
    const double a = (first[at] - low0) / (high0 - low0), b = (second[at] - low1) / (high1 - low1);
    EXPECT_NEAR(of_two->mean[at], (a + b) / 2, 1e-5);
    EXPECT_NEAR(of_two->deviation[at], std::abs(a - b) / 2, 1e-5);
  }
  EXPECT_THROW(average(all, {1, 0, 0}, parameters, [](const auto&) {}, {}), Error);
  EXPECT_THROW(placed({head()}, LinearModel::none), Error);
}

/// Images that are read from their files each time, which the memory does not hold.
TEST(Subjects, AreReadAgainWhereTheyDoNotFit) {
  const testing::TemporaryFolder folder;
  Subjects in_files, in_memory;
  for (const double size : {0.1, -0.1, 0.05, 0.0}) {
    const auto path = folder.path() / fmt::format("{}.nrrd", in_files.size());
    write_image(grid_of(), head_phantom(side, size), path);
    in_files.push_back({.path = path, .name = path.filename().string(), .image = nullptr});
    in_memory.push_back(in_files.back());
    in_memory.back().image = std::make_shared<const Image>(read_image(path));
  }
  const Subject first = in_memory.front();
  AtlasParameters parameters(FluidParameters{.levels = 1, .iterations = 4});
  const auto placed_memory = place_subjects(std::make_shared<const Subjects>(in_memory), {}, {});
  const auto placed_files = place_subjects(std::make_shared<const Subjects>(in_files), {}, {}, &first);
  const std::array<std::size_t, 4> all{0, 1, 2, 3};
  const std::array weights{1.0, 2.0, 1.0, 0.5};
  const Atlas kept = atlas_of(*placed_memory, all, weights, parameters);
  parameters.memory_gb = 0.0057;
  const Atlas streamed = atlas_of(*placed_files, all, weights, parameters);
  EXPECT_TRUE(placed_files->values.empty());
  EXPECT_TRUE(streamed.images->is_streamed());
  EXPECT_FALSE(kept.images->is_streamed());
  EXPECT_EQ(streamed.mean, kept.mean);
  EXPECT_EQ(streamed.variance, kept.variance);
  EXPECT_EQ(subject_values(*placed_files, nullptr, 2), placed_memory->values[2]);
}

TEST(Subjects, OfAFolderAreItsImages) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(images_in(folder.path()), Error);
  write_image(grid_of(), head_phantom(side, 0), folder.path() / "b.nii.gz");
  write_image(grid_of(), head_phantom(side, 0), folder.path() / "a.nrrd");
  std::ofstream(folder.path() / "notes.txt") << "none\n";
  const auto paths = images_in(folder.path());
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths[0].filename(), "a.nrrd");
  const Subjects subjects = read_subjects(paths);
  EXPECT_EQ(subjects[1].name, "b.nii.gz");
  EXPECT_TRUE(std::ranges::equal(subjects[1].image->values(), head_phantom(side, 0)));
}

std::string words_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Subjects, ThatCannotBeAveragedAreNamed) {
  Subject empty = head();
  empty.name = "empty.nii";
  auto image = std::make_shared<Image>(*empty.image);
  std::ranges::fill(image->field.values, 3.F);
  empty.image = image;
  for (const LinearModel model : {LinearModel::none, LinearModel::rigid}) {
    const std::string text = words_of([&] { (void)placed({head(), head(), empty}, model); });
    EXPECT_NE(text.find("empty.nii"), std::string::npos) << text;
    EXPECT_NE(text.find("the value 3 everywhere"), std::string::npos) << text;
  }
}

TEST(Subjects, HaveNamesWithoutACommonEnd) {
  const auto names = [](const std::vector<std::string>& files) {
    Subjects subjects;
    for (const std::string& each : files) subjects.push_back({.path = each, .name = each, .image = nullptr});
    return short_names(subjects);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({"sub-01_T1w.nii.gz", "sub-02_T1w.nii.gz"}), (Names{"sub-01", "sub-02"}));
  EXPECT_EQ(names({"a.nii", "b.nii.gz"}), (Names{"a.nii", "b.nii.gz"}));
  EXPECT_EQ(names({"same.nrrd", "same.nrrd"}), (Names{"same", "same"}));
  EXPECT_EQ(names({".nrrd", "a.nrrd"}), (Names{".nrrd", "a.nrrd"}));
  EXPECT_EQ(names({"Phantom 1", "Phantom 2"}), (Names{"Phantom 1", "Phantom 2"}));
  EXPECT_EQ(names({"one.nrrd"}), (Names{"one.nrrd"}));
}

TEST(Ages, AreReadByTheNamesOfImages) {
  const testing::TemporaryFolder folder;
  const Ages ages =
      read_ages(folder.write("ages.csv", "# from the clinic\nAge,sex,Image\n71.5,f,a.nii.gz\n64,m,b\n"));
  const std::vector<std::string> images{"scans/b.nii.gz", "a.nii.gz"};
  EXPECT_EQ(ages_of(ages, images), (std::vector<double>{64, 71.5}));
  const std::vector<std::string> other{"c.nii"};
  EXPECT_NE(words_of([&] { (void)ages_of(ages, other); }).find("does not list c.nii"), std::string::npos);
  const auto refused = [&](const char* text) {
    return words_of([&] { (void)read_ages(folder.write("wrong.csv", text)); });
  };
  EXPECT_NE(refused("image,weight\na,70\n").find("no columns named image and age"), std::string::npos);
  EXPECT_NE(refused("image,age\na,old\n").find("expected an age in years in column 2, found \"old\""),
            std::string::npos);
  EXPECT_NE(refused("image,age\na,70\n,71\n").find("expected an image"), std::string::npos);
  EXPECT_NE(refused("image,age\na,70\na,71\n").find("listed twice"), std::string::npos);
  EXPECT_NE(refused("image,age\n").find("lists no image"), std::string::npos);
}

TEST(Ages, WeighImagesByAGaussian) {
  const std::vector<double> ages{50, 60, 63, 80};
  const std::vector<double> weights = kernel_weights(ages, 60, 5);
  ASSERT_EQ(weights.size(), 4U);
  EXPECT_NEAR(weights[0], std::exp(-2.0), 1e-12);
  EXPECT_EQ(weights[1], 1);
  EXPECT_NEAR(weights[2], std::exp(-9.0 / 50), 1e-12);
  EXPECT_EQ(weights[3], 0) << "e^-8: below a thousandth";
  const std::vector<double> equal{2, 2, 2}, one{0, 3, 0};
  EXPECT_NEAR(effective_count(equal), 3, 1e-12);
  EXPECT_NEAR(effective_count(one), 1, 1e-12);
  // Far from all of them, the nearest counts most, and none is lost by an underflow.
  EXPECT_EQ(kernel_weights(ages, 200, 1)[3], 1);
  EXPECT_THROW((void)kernel_weights(ages, 60, 0), Error);
}

/// A ball whose radius grows by 0.15 voxels a year.
TEST(Ages, AverageFollowsALawOfGrowth) {
  const auto radius_at = [](double age) { return 7 + 0.15 * (age - 60); };
  Subjects subjects;
  const std::vector<double> ages{52, 56, 60, 64, 68};
  for (const double age : ages) {
    FieldValues values;
    for (int z = 0; z < side; ++z) {
      for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
          const double r = std::sqrt(std::pow(x - 15.5, 2) + std::pow(y - 15.5, 2) + std::pow(z - 15.5, 2));
          values.push_back(static_cast<float>(1 / (1 + std::exp((r - radius_at(age)) / 0.5))));
        }
      }
    }
    subjects.push_back({.path = {},
                        .name = {},
                        .image = std::make_shared<const Image>(Image{
                            .field = {.grid = grid_of(), .values = std::move(values), .name = {}, .unit = {}},
                            .remarks = {}})});
  }
  const auto placed =
      place_subjects(std::make_shared<const Subjects>(std::move(subjects)), {.model = LinearModel::none}, {});
  const FluidParameters parameters{.smoothness_mm = 6, .levels = 2, .iterations = 40};
  for (const double age : {57.0, 63.0}) {
    const std::vector<double> weights = kernel_weights(ages, age, 3);
    const auto found = average(placed, weights, parameters, [](const auto&) {}, {});
    double volume = 0;
    for (const float each : found->mean) volume += static_cast<double>(each);
    const double radius = std::cbrt(volume * 3 / (4 * std::numbers::pi));
    EXPECT_NEAR(radius, radius_at(mean_age(ages, weights)), 0.15) << age;
    EXPECT_NEAR(mean_age(ages, weights), age, 0.5);
  }
}

}  // namespace
}  // namespace isolume::anatomy
