#include <gtest/gtest.h>

#include "core/nbody/files/csv.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

TEST(NBodyWithoutMpi, SaysSoWhereSeveralRanksAreStarted) {
  const test::Scratch scratch;
  const nbody::Bodies two{
      .mass = {1, 1}, .x = {0, 1}, .y = {0, 0}, .z = {0, 0}, .vx = {}, .vy = {}, .vz = {}};
  nbody::write_bodies_csv(two, scratch.file("two.csv"));
  const std::vector<std::vector<std::string>> calls = {
      {"nbody", "forces", scratch.file("two.csv"), "-o", scratch.file("forces.csv")},
      {"anatomy", "atlas", scratch.file("a.nrrd"), scratch.file("b.nrrd"), "-o", scratch.file("mean.nrrd")},
      {"nbody", "run", scratch.file("two.csv"), "--steps", "1", "-o", scratch.file("run.h5")}};
  for (const auto& call : calls) {
    const auto result = test::run_batch_as_first_rank_of_two(call);
    EXPECT_EQ(result.code, 1);
    EXPECT_NE(result.err.find("This build has no MPI but was started as 2 ranks."), std::string::npos)
        << result.err;
  }
  EXPECT_EQ(scratch.files().size(), 1u);
}

}  // namespace
}  // namespace isolume
