#include <array>
#include <iostream>
#include <memory>

#include <gtest/gtest.h>

#include "tests/core/nbody/distributed/rank_tests.h"

namespace isolume::testing {
namespace {

const Ranks* all_ranks = nullptr;

/// The first rank tells of all tests, the others of what went wrong on them.
class OnlyFailures final : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::cerr << "rank " << ranks().rank() << ": " << result.file_name() << ":" << result.line_number()
              << "\n"
              << result.message() << std::endl;
  }
};

}  // namespace

const Ranks& ranks() {
  return *all_ranks;
}

}  // namespace isolume::testing

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // A rank that left a test early would wait for the others in the wrong place.
  GTEST_FLAG_SET(catch_exceptions, false);
  const isolume::Ranks ranks;
  isolume::testing::all_ranks = &ranks;
  if (!ranks.is_first()) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new isolume::testing::OnlyFailures);
  }
  std::array failed = {RUN_ALL_TESTS() == 0 ? 0.0 : 1.0};
  ranks.sum(failed);
  return failed[0] == 0 ? 0 : 1;
}
