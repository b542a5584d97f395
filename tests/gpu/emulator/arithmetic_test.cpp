#include <cmath>
#include <limits>
#include <numbers>

#include "tests/gpu/emulator/arithmetic_kernels.h"
#include "tests/gpu/emulator/emulator_test.h"
#include "tests/gpu/emulator/flushing_kernels.h"

namespace isolume::gpu::emulator {
namespace {

using Arithmetic = EmulatorTest;

std::vector<float> spread(double from, double to, int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(from + (to - from) * i / (count - 1)));
  return values;
}

double unit_in_the_last_place(double value) {
  return std::ldexp(1, std::ilogb(value) - (std::numeric_limits<float>::digits - 1));
}

/// The largest error in units of the last place, where the right value is not 0, or absolute.
struct Errors {
  double units = 0, absolute = 0;
};

Errors errors_of(Function function, const std::vector<float>& x, double (*exact)(double)) {
  const auto count = static_cast<int>(x.size());
  const OnDevice<float> in(x), out(x.size());
  EXPECT_EQ(run(apply, dim3((x.size() + 127) / 128), dim3(128), 0, function, in.data(), out.data(), count),
            "");
  Errors errors;
  const auto values = out.values();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = exact(x[i]), error = std::abs(values[i] - right);
    errors.absolute = std::max(errors.absolute, error);
    if (right != 0) errors.units = std::max(errors.units, error / unit_in_the_last_place(right));
  }
  return errors;
}

// The bounds are those of the CUDA C++ Programming Guide, plus the rounding of a reference in single precision.
TEST_F(Arithmetic, ErrorsReachWhatCudaDocumentsAndNoMore) {
  struct Case {
    Function function;
    double from, to, most;
    double (*exact)(double);
  };
  for (const Case& one : {
           Case{Function::rsqrt, 1e-3, 1e3, 2.6, [](double x) { return 1 / std::sqrt(x); }},
           Case{Function::exp, -80, 80, 2.6, [](double x) { return std::exp(x); }},
           Case{Function::exp2, -100, 100, 2.6, [](double x) { return std::exp2(x); }},
           Case{Function::pow, 1e-3, 1e3, 4.6, [](double x) { return std::pow(x, 1.5); }},
           Case{Function::divide, 1e-3, 1e3, 2.6, [](double x) { return 1 / x; }},
           Case{Function::fast_exp, -10, 10, 13.6, [](double x) { return std::exp(x); }},
           Case{Function::fast_log2, 3, 1e3, 2.6, [](double x) { return std::log2(x); }},
       }) {
    const Errors errors = errors_of(one.function, spread(one.from, one.to, 20'000), one.exact);
    EXPECT_LE(errors.units, one.most) << static_cast<int>(one.function);
    EXPECT_GT(errors.units, 1.5) << static_cast<int>(one.function) << ": hardware is not that exact";
  }
}

TEST_F(Arithmetic, FastLogarithmsAndSinesAreAbsolutelyExactOnly) {
  struct Case {
    Function function;
    double from, to, most;
    double (*exact)(double);
  };
  constexpr double pi = std::numbers::pi;
  for (const Case& one : {
           Case{Function::fast_log, 0.5, 2, std::exp2(-21.41), [](double x) { return std::log(x); }},
           Case{Function::fast_log2, 0.5, 2, std::exp2(-22), [](double x) { return std::log2(x); }},
           Case{Function::fast_sin, -pi, pi, std::exp2(-21.41), [](double x) { return std::sin(x); }},
           Case{Function::fast_cos, -pi, pi, std::exp2(-21.19), [](double x) { return std::cos(x); }},
       }) {
    const Errors errors = errors_of(one.function, spread(one.from, one.to, 20'001), one.exact);
    const double rounding = 0x1p-24;
    EXPECT_LE(errors.absolute, one.most + rounding) << static_cast<int>(one.function);
    EXPECT_GT(errors.absolute, one.most / 2) << static_cast<int>(one.function);
    EXPECT_GT(errors.units, 100) << static_cast<int>(one.function) << ": near a zero";
  }
}

TEST_F(Arithmetic, FastDivisionByTheLargestNumbersIsZero) {
  const std::vector<float> x = {0x1p125f, 0x1p127f};
  const OnDevice<float> in(x), out(2);
  ASSERT_EQ(run(apply, dim3(1), dim3(32), 0, Function::divide, in.data(), out.data(), 2), "");
  EXPECT_GT(out.values()[0], 0);
  EXPECT_EQ(out.values()[1], 0);
}

TEST_F(Arithmetic, AnInverseRootTimesItsRootIsNotOne) {
  const std::vector<float> x = spread(1, 2, 1000);
  const OnDevice<float> in(x);
  const OnDevice<int> exact(std::vector<int>{0});
  ASSERT_EQ(run(count_exact_lengths, dim3(8), dim3(128), 0, in.data(), exact.data(), 1000), "");
  EXPECT_LT(exact.values()[0], 800);
}

TEST_F(Arithmetic, SmallNumbersAreZeroWhereKernelsAreCompiledSo) {
#ifndef __SSE__
  GTEST_SKIP() << "The emulator flushes small numbers to zero on processors of the x86 family alone.";
#endif
  const float small = 1e-39f, normal = 1e-37f;
  const OnDevice<float> in(std::vector<float>{small, normal, normal}), out(3);
  ASSERT_EQ(run(scale_flushed, dim3(1), dim3(32), 0, in.data(), 2.0f, out.data(), 3), "");
  EXPECT_EQ(out.values(), (std::vector<float>{0, 2 * normal, 2 * normal}));
  ASSERT_EQ(run(scale_flushed, dim3(1), dim3(32), 0, in.data(), 0.01f, out.data(), 3), "");
  EXPECT_EQ(out.values(), (std::vector<float>{0, 0, 0}));
  // Other kernels, on the same fibers, and the host keep them.
  ASSERT_EQ(run(apply, dim3(1), dim3(32), 0, Function::exp2, OnDevice<float>(std::vector<float>{-130}).data(),
                out.data(), 1),
            "");
  EXPECT_NEAR(out.values()[0], 0x1p-130f, 3e-45);
  volatile float host = small;
  EXPECT_GT(host * 1.0f, 0);
}

}  // namespace
}  // namespace isolume::gpu::emulator
