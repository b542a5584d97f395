// Pairs of landmarks: their fits, their files, and registrations that bring them together.
#include "core/anatomy/landmarks.h"

#include <cmath>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/anatomy/alignment.h"
#include "core/anatomy/landmark_files.h"
#include "core/anatomy/phantom.h"
#include "core/base/error.h"
#include "core/volumes/warp.h"
#include "tests/temporary_folder.h"

namespace isolume::anatomy {
namespace {

using Eigen::Affine3d;
using Eigen::Vector3d;

const std::vector<Vector3d> places{{10, -20, 30}, {-40, 12, 8}, {25, 60, -33}, {-5, -48, -61}, {33, 9, 71}};

LandmarkPairs mapped_pairs(const Affine3d& map, std::size_t count) {
  LandmarkPairs pairs;
  for (std::size_t i = 0; i < count; ++i) pairs.push_back({places[i], map * places[i], std::to_string(i)});
  return pairs;
}

Affine3d turned() {
  Affine3d map(Eigen::AngleAxisd(0.7, Vector3d(1, -2, 0.5).normalized()));
  map.pretranslate(Vector3d(12, -7, 31));
  return map;
}

TEST(Landmarks, FitsAreExactWherePairsAre) {
  const LandmarkPairs pairs = mapped_pairs(turned(), 3);
  EXPECT_TRUE(determine_rotation(pairs));
  EXPECT_LT((rigid_fit(pairs).matrix() - turned().matrix()).norm(), 1e-10);
  EXPECT_LT((affine_fit(pairs).matrix() - turned().matrix()).norm(), 1e-10)
      << "across the plane of three points, the rotation's";
  Affine3d sheared = turned();
  sheared.linear() *= Eigen::Matrix3d{{1.1, 0.2, 0}, {0, 0.9, -0.1}, {0.05, 0, 1.2}};
  EXPECT_LT((affine_fit(mapped_pairs(sheared, 5)).matrix() - sheared.matrix()).norm(), 1e-10);
  EXPECT_LT((affine_fit(mapped_pairs(sheared, 4)).matrix() - sheared.matrix()).norm(), 1e-10);
  EXPECT_THROW(rigid_fit({}), Error);
}

/// Neither a small turn nor a small move makes the squares smaller; no fit is a reflection.
TEST(Landmarks, RigidFitIsTheLeastSquares) {
  LandmarkPairs pairs = mapped_pairs(turned(), 5);
  pairs[0].moving += Vector3d(5, 0, -3);
  pairs[3].moving += Vector3d(-2, 7, 1);
  const Affine3d fit = rigid_fit(pairs);
  EXPECT_NEAR(fit.linear().determinant(), 1, 1e-12);
  const auto sum = [&](const Affine3d& map) {
    double squares = 0;
    for (const double each : errors_of(pairs, Transform(map))) squares += each * each;
    return squares;
  };
  for (int axis = 0; axis < 3; ++axis) {
    for (const double step : {-1e-2, 1e-2}) {
      Affine3d moved = fit;
      moved.pretranslate(step * 10 * Vector3d::Unit(axis));
      EXPECT_GT(sum(moved), sum(fit));
      EXPECT_GT(sum(fit * Eigen::AngleAxisd(step, Vector3d::Unit(axis))), sum(fit));
    }
  }
  EXPECT_LT(sum(affine_fit(pairs)), sum(fit));
  // Points of a mirrored plane: a reflection would fit as well, or better.
  for (LandmarkPair& each : pairs) each.moving = {-each.fixed.x(), each.fixed.y(), each.fixed.z()};
  EXPECT_NEAR(rigid_fit(pairs).linear().determinant(), 1, 1e-12);
}

TEST(Landmarks, FewPairsTurnNoMoreThanTheyMust) {
  const LandmarkPairs one = mapped_pairs(turned(), 1);
  EXPECT_LT((rigid_fit(one).linear() - Eigen::Matrix3d::Identity()).norm(), 1e-12);
  EXPECT_LT(errors_of(one, Transform(rigid_fit(one)))[0], 1e-4);
  EXPECT_FALSE(determine_rotation(one));
  LandmarkPairs line;
  for (int i = 0; i < 4; ++i) line.push_back({Vector3d(10.0 * i, 0, 0), Vector3d(0, 10.0 * i, 3), {}});
  EXPECT_FALSE(determine_rotation(line));
  const Affine3d fit = rigid_fit(line);
  EXPECT_LT(root_mean_square(errors_of(line, Transform(fit))), 1e-4);
  EXPECT_LT((fit.linear() * Vector3d::UnitZ() - Vector3d::UnitZ()).norm(), 1e-9) << "a quarter about z";
}

TEST(Landmarks, ErrorsAreDistancesUnderTheWholeMap) {
  grid::Grid grid = grid::centred({0, 0, 0}, {8, 8, 8}, 2, grid::LengthUnit::millimetre);
  DisplacementImage field{.grid = grid, .field = volumes::zero_field(grid.dimensions), .remarks = {}};
  for (float& each : field.field.components[1]) each = 1.5F;  // 3 mm
  Transform map(std::make_shared<const DisplacementImage>(field));
  map.append(Transform(Affine3d(Eigen::Translation3d(0, 0, 4))));
  const LandmarkPairs pairs{{{1, 1, 1}, {1, 4, 5}, "met"},
                            {{1, 1, 1}, {1, 1, 1}, "off"},
                            {{100, 0, 0}, {100, 0, 0}, "outside of the field"}};
  const auto errors = errors_of(pairs, map);
  EXPECT_NEAR(errors[0], 0, 1e-4);
  EXPECT_NEAR(errors[1], 5, 1e-4);
  EXPECT_NEAR(errors[2], 4, 1e-4);
  EXPECT_NEAR(root_mean_square(errors), std::sqrt(41.0 / 3), 1e-4);
}

/// A uniform ball, which no image force moves within, and pairs that do.
struct BallPair {
  std::shared_ptr<Pair> pair = std::make_shared<Pair>();
  BallPair() {
    pair->grid = grid::centred({0, 0, 0}, {32, 32, 32}, 2, grid::LengthUnit::millimetre);
    pair->grid.frame = grid::Frame::patient;
    pair->fixed = phantom(32, 0);
    set_moving(*pair, std::make_shared<const Image>(Image{
                          .field = {.grid = pair->grid, .values = phantom(32, 0), .name = {}, .unit = {}},
                          .remarks = {}}));
  }
};

/// The distances of pairs in mm by the whole map so far.
std::vector<double> distances(std::span<const LandmarkPair> pairs, const Alignment& alignment) {
  std::vector<double> found;
  for (const LandmarkPair& each : pairs)
    found.push_back((moving_point(alignment, each.fixed) - each.moving).norm());
  return found;
}

TEST(Landmarks, AreBroughtTogetherWithoutFolds) {
  const BallPair ball;
  // The images are the same: pairs alone move something, two of them towards each other.
  const LandmarkPairs pairs{
      {{-8, 0, 0}, {-2, 3, 0}, "a"}, {{8, 1, 2}, {4, -3, 1}, "b"}, {{0, 12, -9}, {0, 12, -9}, "c"}};
  const auto placed = place(ball.pair, {.model = LinearModel::none}, nullptr, {}, pairs);
  DeformationParameters parameters;
  parameters.iterations = 60;
  const auto found = align(
      placed, parameters, [](const auto&) {}, {}, pairs);
  const auto errors = distances(pairs, *found);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    EXPECT_LT(errors[i], 0.5) << pairs[i].name << ", " << errors_of(pairs, Transform(placed->found.map))[i]
                              << " mm before";
  EXPECT_GT(found->least_jacobian, 0);
  EXPECT_EQ(found->mended, 0U);
  // Errors of the whole map, by the field that is written.
  const Transform whole(std::make_shared<const DisplacementImage>(
      DisplacementImage{.grid = ball.pair->grid, .field = whole_displacement(*found), .remarks = {}}));
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_NEAR(errors_of(pairs, whole)[i], errors[i], 1e-3);
  // A small weight lets the images keep them apart.
  parameters.landmark_weight = 0.001;
  const auto weaker = align(
      placed, parameters, [](const auto&) {}, {}, pairs);
  EXPECT_GT(root_mean_square(distances(pairs, *weaker)), root_mean_square(errors) + 0.1);
  parameters.landmark_weight = 0;
  const auto without = align(
      placed, parameters, [](const auto&) {}, {}, pairs);
  EXPECT_EQ(volumes::largest_length(without->displacement), 0);
}

TEST(Landmarks, LeadTheDeformationWhereImagesLeadElsewhere) {
  // Images of a known map, and one pair that contradicts it.
  auto pair = std::make_shared<Pair>(*BallPair().pair);
  set_moving(*pair, std::make_shared<const Image>(Image{
                        .field = {.grid = pair->grid, .values = phantom(32, 0.1), .name = {}, .unit = {}},
                        .remarks = {}}));
  const LandmarkPairs pairs{{{4, -6, 2}, {10, -2, 3}, "a"}};
  const auto placed = place(pair, {.model = LinearModel::none}, nullptr, {});
  DeformationParameters parameters;
  const auto freely = align(placed, parameters, [](const auto&) {}, {});
  const auto led = align(
      placed, parameters, [](const auto&) {}, {}, pairs);
  EXPECT_GT(distances(pairs, *freely)[0], 4);
  EXPECT_LT(distances(pairs, *led)[0], 1);
  EXPECT_GT(led->least_jacobian, 0);
  EXPECT_LT(led->mismatch_after, 0.6 * led->mismatch_before) << "elsewhere, images are followed";
}

TEST(Landmarks, AreTheStartOfALinearMapOrAllOfIt) {
  const BallPair ball;
  // Upside down: no start of the search turns so far.
  Affine3d map(Eigen::AngleAxisd(3.0, Vector3d::UnitX()));
  grid::Grid there = ball.pair->grid;
  there.origin = map * there.origin;
  there.step = map.linear() * there.step;
  auto pair = std::make_shared<Pair>();
  pair->grid = ball.pair->grid;
  pair->fixed = head_phantom(32, 0);
  set_moving(*pair, std::make_shared<const Image>(
                        Image{.field = {.grid = there, .values = head_phantom(32, 0), .name = {}, .unit = {}},
                              .remarks = {}}));
  LandmarkPairs pairs;
  for (const Vector3d& each : {Vector3d(10, 4, -8), Vector3d(-12, 6, 5), Vector3d(3, -14, 9)})
    pairs.push_back({each, map * each + Vector3d(0.8, -0.5, 0.6), {}});
  const auto started = place(
      pair, {.model = LinearModel::rigid}, [](const auto&) {}, {}, pairs);
  for (const LandmarkPair& each : pairs)
    EXPECT_LT((started->found.map * each.fixed - map * each.fixed).norm(), 0.4) << "mm, of voxels of 2 mm";
  const auto fitted =
      place(pair, {.model = LinearModel::rigid, .similarity = Similarity::landmarks}, nullptr, {}, pairs);
  EXPECT_LT(fitted->found.similarity_after, 1e-4);
  EXPECT_NEAR(fitted->found.similarity_before, root_mean_square(errors_of(pairs, Transform())), 1e-9);
  EXPECT_THROW(place(pair, {.model = LinearModel::rigid, .similarity = Similarity::landmarks}, nullptr, {}),
               Error);
}

const LandmarkPairs some_pairs{{{1.5, -2.25, 3}, {4, 5, 6.125}, "a, \"b\""}, {{-1, 0, 1e-3}, {7, 8, 9}, "2"}};

TEST(LandmarkFiles, AreReadAsTheyWereWritten) {
  const testing::TemporaryFolder folder;
  write_landmarks(some_pairs, folder / "pairs.csv");
  const LandmarkFile table = read_landmarks(folder / "pairs.csv");
  EXPECT_EQ(table.pairs, some_pairs);
  EXPECT_TRUE(table.remarks.empty()) << table.remarks.text();
  for (const std::string suffix : {".mrk.json", ".fcsv"}) {
    write_points(points_of(some_pairs, false), folder / ("fixed" + suffix));
    write_points(points_of(some_pairs, true), folder / ("moving" + suffix));
    const LandmarkFile lists = read_landmarks(folder / ("fixed" + suffix), folder / ("moving" + suffix));
    EXPECT_EQ(lists.pairs, some_pairs) << suffix;
    EXPECT_TRUE(lists.remarks.empty()) << lists.remarks.text();
  }
  EXPECT_THROW(write_landmarks(some_pairs, folder / "pairs.txt"), Error);
  EXPECT_THROW(write_points({}, folder / "points.json"), Error);
}

/// As 3D Slicer writes them; x and y change their signs from RAS to LPS.
TEST(LandmarkFiles, OfSlicerStateTheirAxes) {
  const testing::TemporaryFolder folder;
  const std::string row =
      "vtkMRMLMarkupsFiducialNode_0,10,-20,30,0,0,0,1,1,1,0,F-1,,vtkMRMLScalarVolumeNode1\n";
  const auto fcsv = [&](const std::string& comment) {
    return read_points(
        folder.write("points.fcsv", "# Markups fiducial file version = 4.6\n" + comment + row));
  };
  const Vector3d as_written(10, -20, 30), turned_over(-10, 20, 30);
  EXPECT_EQ(fcsv("# CoordinateSystem = 0\n").points[0].position, turned_over);
  EXPECT_EQ(fcsv("# CoordinateSystem = RAS\n").points[0].position, turned_over);
  EXPECT_EQ(fcsv("# CoordinateSystem = 1\n").points[0].position, as_written);
  EXPECT_EQ(fcsv("# CoordinateSystem = LPS\n# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc\n")
                .points[0]
                .name,
            "F-1");
  EXPECT_EQ(fcsv("").points[0].position, turned_over);
  EXPECT_EQ(fcsv("").remarks[0].kind, RemarkKind::assumed);
  EXPECT_THROW(fcsv("# CoordinateSystem = IJK\n"), InputError);
  const auto json = [&](const std::string& axes) {
    return read_points(folder.write(
        "points.mrk.json", R"({"@schema": "x", "markups": [{"type": "Fiducial", "coordinateSystem": ")" +
                               axes +
                               R"(", "coordinateUnits": "mm", "controlPoints": [
            {"id": "1", "label": "F-1", "position": [10, -20, 30], "positionStatus": "defined"},
            {"id": "2", "label": "F-2", "position": [0, 0, 0], "positionStatus": "undefined"}]}]})"));
  };
  EXPECT_EQ(json("LPS").points[0].position, as_written);
  EXPECT_EQ(json("RAS").points[0].position, turned_over);
  ASSERT_EQ(json("RAS").points.size(), 1U);
  EXPECT_EQ(json("RAS").remarks[0].kind, RemarkKind::dropped);
  EXPECT_THROW(json("IJK"), InputError);
}

TEST(LandmarkFiles, PairPointsByNameOrByOrder) {
  const testing::TemporaryFolder folder;
  const auto lists = [&](const std::vector<LandmarkPoint>& fixed, const std::vector<LandmarkPoint>& moving) {
    write_points(fixed, folder / "fixed.fcsv");
    write_points(moving, folder / "moving.fcsv");
    return read_landmarks(folder / "fixed.fcsv", folder / "moving.fcsv");
  };
  const Vector3d a(1, 0, 0), b(0, 1, 0);
  const auto by_name = lists({{a, "a"}, {b, "b"}}, {{b, "b"}, {a, "a"}});
  EXPECT_EQ(by_name.pairs[0].moving, a);
  EXPECT_TRUE(by_name.remarks.empty());
  const auto by_order = lists({{a, "a"}, {b, "b"}}, {{b, "x"}, {a, "a"}});
  EXPECT_EQ(by_order.pairs[0].moving, b);
  EXPECT_EQ(by_order.remarks[0].kind, RemarkKind::assumed);
  EXPECT_THROW(lists({{a, "a"}, {b, "b"}}, {{b, "b"}}), InputError);
}

TEST(LandmarkFiles, RefuseWhatTheyCannotRead) {
  const testing::TemporaryFolder folder;
  const auto error_of = [&](const std::string& text) {
    try {
      read_landmarks(folder.write("pairs.csv", text));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const std::string header = "fixed_x,fixed_y,fixed_z,moving_x,moving_y,moving_z\n";
  EXPECT_NE(error_of("x,y,z\n1,2,3\n").find("there is no column fixed_x"), std::string::npos);
  EXPECT_NE(error_of(header + "1,2,3,4,5,six\n").find("pairs.csv:2: expected a coordinate in mm in column 6"),
            std::string::npos);
  EXPECT_NE(error_of(header + "1,2,3,4,5\n").find("the end of the line"), std::string::npos);
  EXPECT_NE(error_of(header + "1,2,3,4,5,nan\n").find("expected a coordinate"), std::string::npos);
  EXPECT_NE(error_of(header).find("no points"), std::string::npos);
  EXPECT_NE(error_of("# coordinate system: XYZ\n" + header).find("XYZ"), std::string::npos);
  EXPECT_EQ(error_of("# coordinate system: RAS\r\n" + header + "1,2,3,4,5,6\r\n"), "none");
  const LandmarkFile ras = read_landmarks(folder / "pairs.csv");
  EXPECT_EQ(ras.pairs[0].moving, Vector3d(-4, -5, 6));
  EXPECT_EQ(ras.pairs[0].name, "1");
  EXPECT_THROW(read_landmarks(folder / "none.csv"), InputError);
  EXPECT_NE(error_of(header + std::string((1 << 24) + 1, '\n')).find("larger than 16 MiB"),
            std::string::npos);
  EXPECT_THROW(read_points(folder.write("a.mrk.json", "{\"markups\": [{}]}")), InputError);
  EXPECT_THROW(read_points(folder.write("a.fcsv", "# CoordinateSystem = 0\nid,1,2\n")), InputError);
}

}  // namespace
}  // namespace isolume::anatomy
