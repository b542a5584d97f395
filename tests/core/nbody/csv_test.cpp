#include "core/nbody/files/csv.h"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/nbody/forces/sampled_error.h"
#include "tests/core/nbody/distributions.h"
#include "tests/full_disk.h"
#include "tests/temporary_folder.h"

namespace isolume::nbody {
namespace {

class BodiesCsv : public ::testing::Test {
 protected:
  Bodies read(const std::string& text) const {
    std::ofstream(path(), std::ios::binary) << text;
    return read_bodies_csv(path());
  }
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(path().string().size());
    }
    return "nothing was thrown";
  }
  std::filesystem::path path() const { return folder_.path() / "bodies.csv"; }

 private:
  isolume::testing::TemporaryFolder folder_;
};

TEST_F(BodiesCsv, ReadsTablesWithAndWithoutNames) {
  const Bodies plain = read("1,2,3,4\r\n# a remark\r\n\r\n5, -6 ,7e2,+8");
  EXPECT_EQ(plain.mass, (std::vector<double>{1, 5}));
  EXPECT_EQ(plain.y, (std::vector<double>{3, 700}));
  EXPECT_EQ(plain.z, (std::vector<double>{4, 8}));
  EXPECT_TRUE(plain.vx.empty());
  const Bodies named = read("vx,vy,vz,x,y,z,mass\n1,2,3,4,5,6,7\n");
  EXPECT_EQ(named.mass, (std::vector<double>{7}));
  EXPECT_EQ(named.x, (std::vector<double>{4}));
  EXPECT_EQ(named.vz, (std::vector<double>{3}));
}

TEST_F(BodiesCsv, NamesTheColumnsThatItDoesNotUse) {
  std::ofstream(path(), std::ios::binary) << "\xEF\xBB\xBFid,mass,colour,x,y,z\n7,1,0.5,2,3,4\n";
  const InitialConditions found = read_bodies_table(path());
  EXPECT_EQ(found.bodies.mass, (std::vector<double>{1}));
  EXPECT_EQ(found.bodies.z, (std::vector<double>{4}));
  ASSERT_EQ(found.remarks.size(), 1u);
  EXPECT_EQ(found.remarks[0].kind, RemarkKind::dropped);
  EXPECT_EQ(found.remarks[0].count, 2u);
  EXPECT_THAT(found.remarks[0].text,
              ::testing::AllOf(::testing::HasSubstr("id"), ::testing::HasSubstr("colour")));
}

/// As numpy's savetxt writes them: the header is a comment.
TEST_F(BodiesCsv, NamesInACommentGiveTheOrder) {
  for (const char* names : {"# x,y,z,mass", "#x, y, z, mass", "# X,Y,Z,Mass", "# x y z mass",
                            "# made by mass, or so\n# x,y,z,mass\n# unit_length_cm=1"}) {
    std::ofstream(path()) << names << "\n10,20,30,1\n";
    const InitialConditions found = read_bodies_table(path());
    EXPECT_EQ(found.bodies.mass, (std::vector<double>{1})) << names;
    EXPECT_EQ(found.bodies.x, (std::vector<double>{10})) << names;
    EXPECT_EQ(found.bodies.z, (std::vector<double>{30})) << names;
  }
  EXPECT_THAT(refusal("# id,x,y,z\n1,10,0,0\n"), ::testing::HasSubstr(":1: there is no column mass"));
  std::ofstream(path()) << "# z,y,x\n1,2,3\n";
  Remarks remarks;
  EXPECT_EQ(read_places_csv(path(), remarks).x, (std::vector<double>{3}));
  EXPECT_TRUE(remarks.empty()) << remarks.text();
}

TEST_F(BodiesCsv, AnOrderThatNobodyNamedIsSaid) {
  // Neither a comment in prose nor one that names other columns tells the order.
  for (const char* text : {"1,2,3,4\n", "# the mass is given\n1,2,3,4\n", "# x,y,z\n1,2,3,4\n"}) {
    std::ofstream(path()) << text;
    const InitialConditions found = read_bodies_table(path());
    EXPECT_EQ(found.bodies.mass, (std::vector<double>{1})) << text;
    ASSERT_EQ(found.remarks.size(), 1u) << text;
    EXPECT_EQ(found.remarks[0].kind, RemarkKind::assumed);
    EXPECT_THAT(found.remarks[0].text, ::testing::HasSubstr("taken as mass, x, y, z."));
  }
}

TEST_F(BodiesCsv, KeepsRadii) {
  std::ofstream(path()) << "mass,radius,x,y,z\n1,0.5,2,3,4\n2,0.25,6,7,8\n";
  const InitialConditions found = read_bodies_table(path());
  EXPECT_EQ(found.radius, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(found.remarks.size(), 0U);
  write_bodies_csv(found, path(), {});
  EXPECT_EQ(read_bodies_table(path()).radius, found.radius);
}

TEST_F(BodiesCsv, KeepsNames) {
  std::ofstream(path()) << "Name,mass,x,y,z\nEarth,1,2,3,4\n\"Comet, large\",2,6,7,8\nEarth,1,2,3,5\n";
  const InitialConditions found = read_bodies_table(path());
  EXPECT_EQ(found.origins, (std::vector<std::string>{"Earth", "Comet, large"}));
  EXPECT_EQ(found.origin, (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_EQ(found.bodies.z, (std::vector<double>{4, 8, 5}));
  EXPECT_EQ(found.remarks.size(), 0U);
  write_bodies_csv(found, path(), {});
  const InitialConditions again = read_bodies_table(path());
  EXPECT_EQ(again.origins, found.origins);
  EXPECT_EQ(again.origin, found.origin);
}

/// As R writes them: all names and texts are quoted, and quotes in them doubled.
TEST_F(BodiesCsv, QuotedCellsAreReadAsWithoutQuotes) {
  std::ofstream(path()) << R"("name","mass","x","y","z"
"The ""great"" comet, 1811",1,2,3,4
"Earth","2","6", "7" ,8
)";
  const InitialConditions found = read_bodies_table(path());
  EXPECT_EQ(found.origins, (std::vector<std::string>{"The \"great\" comet, 1811", "Earth"}));
  EXPECT_EQ(found.bodies.mass, (std::vector<double>{1, 2}));
  EXPECT_EQ(found.bodies.y, (std::vector<double>{3, 7}));
  EXPECT_EQ(found.remarks.size(), 0U);
  write_bodies_csv(found, path(), {});
  EXPECT_EQ(read_bodies_table(path()).origins, found.origins);
}

TEST_F(BodiesCsv, MoreNamesThanThereAreOriginsAreNamedAndLeftOut) {
  for (const int count : {255, 256}) {
    std::string text = "name,mass,x,y,z\n";
    for (int i = 0; i < count; ++i) text += fmt::format("body {},1,2,3,{}\n", i, i);
    std::ofstream(path()) << text;
    const InitialConditions found = read_bodies_table(path());
    EXPECT_EQ(found.bodies.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(found.remarks.size(), count == 255 ? 0U : 1U);
    EXPECT_EQ(found.origins.size(), count == 255 ? 255U : 1U);
    check(found);
  }
}

TEST_F(BodiesCsv, TimesThatAreNoNumbersAreNamed) {
  for (const char* time : {"0,5", "abc", "nan", "inf", ""}) {
    std::ofstream(path()) << "# made by hand\n# time=" << time << "\nmass,x,y,z\n1,2,3,4\n";
    const InitialConditions found = read_bodies_table(path());
    EXPECT_EQ(found.time, 0) << time;
    ASSERT_EQ(found.remarks.size(), 1u) << time;
    EXPECT_EQ(found.remarks[0].kind, RemarkKind::assumed);
    EXPECT_THAT(found.remarks[0].text,
                ::testing::HasSubstr(
                    fmt::format("time in line 2 is \"{}\", which is not a finite number: the time 0 is "
                                "taken.",
                                time)));
  }
  std::ofstream(path()) << "# time=-0.5\nmass,x,y,z\n1,2,3,4\n";
  const InitialConditions found = read_bodies_table(path());
  EXPECT_EQ(found.time, -0.5);
  EXPECT_TRUE(found.remarks.empty()) << found.remarks.text();
}

/// Units change masses in memory: the message has the number of the file, 39.5 times less here.
TEST_F(BodiesCsv, NegativeMassesAndRadiiAreRefusedAsTheFileHasThem) {
  using ::testing::HasSubstr;
  const std::string units = "# " + units_as_text(*units_by(UnitsChoice::planetary)) + "\n";
  EXPECT_THAT(refusal(units + "radius,mass,x,y,z\n1,-2.5,0,0,0\n"), HasSubstr(":3: the mass is \"-2.5\""));
  EXPECT_THAT(refusal(units + "radius,mass,x,y,z\n-0.5,1,0,0,0\n"), HasSubstr(":3: the radius is \"-0.5\""));
}

TEST_F(BodiesCsv, RefusesWithLineAndRemedy) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("1,2,3\n"), HasSubstr(":1: expected 4 or 7 or 8 columns, found 3"));
  EXPECT_THAT(refusal("1,2,3,4\n1,2,3,4,5\n"), HasSubstr(":2: expected 4 columns, found 5"));
  EXPECT_THAT(refusal("1,2,3,4\n1,2,three,4\n"), HasSubstr(":2: column 3 is"));
  EXPECT_THAT(refusal("1,2,nan,4\n"), HasSubstr("Give finite numbers."));
  EXPECT_THAT(refusal("1,2,1e999,4\n"), HasSubstr("Give finite numbers."));
  EXPECT_THAT(refusal("mass,x,y,y\n1,2,3,4\n"), HasSubstr("two columns are named"));
  EXPECT_THAT(refusal("mass,x,y,vz\n1,2,3,4\n"), HasSubstr("there is no column z"));
  EXPECT_THAT(refusal("mass,x,y,z\n"), HasSubstr("there is no body in it"));
  EXPECT_THAT(refusal(std::string("1,2,3,4\n\0,1,2,3\n", 16)), HasSubstr(":2: column 1 is"));
}

TEST_F(BodiesCsv, PlacesAreReadAndWrittenWithForces) {
  const auto places_of = [this](const std::string& text) {
    std::ofstream(path(), std::ios::binary) << text;
    Remarks remarks;
    return read_places_csv(path(), remarks);
  };
  const Places plain = places_of("1,2,3\n# a remark\n4,5,6\n");
  EXPECT_EQ(plain.y, (std::vector<double>{2, 5}));
  const Places named = places_of("z,x,y\n1,2,3\n");
  EXPECT_EQ(named.x, (std::vector<double>{2}));
  EXPECT_EQ(named.z, (std::vector<double>{1}));
  for (const auto& [text, why] : {std::pair{"1,2,3,4\n", ":1: expected 3 columns, found 4"},
                                  {"x,y,mass\n1,2,3\n", "there is no column z"},
                                  {"x,y,z\n", "there is no place in it"},
                                  {"1,2,3\n1,inf,3\n", ":2: column 2 is"}}) {
    try {
      places_of(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(why));
    }
  }
  const Forces forces{.ax = {1, 2}, .ay = {3, 4}, .az = {5, 6}, .potential = {-0.1, -7}};
  const auto out = path().parent_path() / "at.csv";
  write_forces_at_csv(plain, forces, out);
  EXPECT_EQ(read_text_file(out), "x,y,z,ax,ay,az,potential\n1,2,3,1,3,5,-0.1\n4,5,6,2,4,6,-7\n");
}

TEST_F(BodiesCsv, ForcesAreWrittenWithAllDigits) {
  const Bodies bodies = testing::plummer(300);
  const Forces forces = make_direct_solver()->forces(bodies, {});
  const auto out = path().parent_path() / "forces.csv";
  write_forces_csv(forces, out);
  std::ifstream file(out);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "ax,ay,az,potential");
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double ax = 0, ay = 0, az = 0, potential = 0;
    char comma = 0;
    ASSERT_TRUE(file >> ax >> comma >> ay >> comma >> az >> comma >> potential);
    EXPECT_EQ(ax, forces.ax[i]);
    EXPECT_EQ(potential, forces.potential[i]);
  }
  EXPECT_FALSE(file >> line);
}

TEST_F(BodiesCsv, AFullDiskIsToldAndWhatWasThereStays) {
  const Forces forces = make_direct_solver()->forces(testing::plummer(3000), {});
  const auto out = path().parent_path() / "forces.csv";
  std::ofstream(out) << "before";
  {
    const isolume::testing::FileSizeLimit full(20000);
    EXPECT_THROW(write_forces_csv(forces, out), Error);
  }
  EXPECT_EQ(read_text_file(out), "before");
}

TEST(SampledErrors, AreOrderedPercentiles) {
  const Bodies bodies = testing::plummer(1000);
  Forces forces = make_reference_solver()->forces(bodies, {});
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (auto* values : {&forces.ax, &forces.ay, &forces.az})
      (*values)[i] *= 1 + 1e-5 * static_cast<double>(i);
  }
  // Of each ten bodies in a row one is taken: 100 of them, with errors from 0 to 99.9e-4.
  const SampledErrors errors = sampled_errors(bodies, forces, ForceOptions(), 100);
  EXPECT_EQ(errors.samples, 100U);
  EXPECT_NEAR(errors.median, 50.5e-4, 0.5e-4);
  EXPECT_NEAR(errors.p90, 90.5e-4, 0.5e-4);
  EXPECT_NEAR(errors.p99, 99.5e-4, 0.5e-4);
  const SampledErrors all = sampled_errors(bodies, forces, ForceOptions(), bodies.size());
  EXPECT_NEAR(all.median, 500e-5, 1e-12);
  EXPECT_NEAR(all.p99, 990e-5, 1e-12);
}

TEST(SampledErrors, AreThoseOfSpoiltForces) {
  const Bodies bodies = testing::plummer(1000);
  Forces forces = make_reference_solver()->forces(bodies, {});
  EXPECT_LT(sampled_errors(bodies, forces, ForceOptions(), 100).p99, 1e-14);
  for (double& ax : forces.ax) ax *= 1.01;
  for (double& ay : forces.ay) ay *= 1.01;
  for (double& az : forces.az) az *= 1.01;
  const SampledErrors errors = sampled_errors(bodies, forces, ForceOptions(), 100);
  EXPECT_EQ(errors.samples, 100u);
  EXPECT_NEAR(errors.median, 0.01, 1e-12);
  EXPECT_NEAR(errors.p99, 0.01, 1e-12);
  EXPECT_EQ(sampled_errors(testing::scaled(bodies, 1, 0), forces, ForceOptions(), 100).samples, 0u);
}

}  // namespace
}  // namespace isolume::nbody
