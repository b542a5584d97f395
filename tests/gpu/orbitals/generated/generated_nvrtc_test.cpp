// NVRTC takes every generated source for every generation of devices. Needs the toolkit's NVRTC and no GPU.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/document.h"
#include "gpu/orbitals/generated/generated_source.h"
#include "gpu/runtime/compiler/runtime_compiler.h"
#include "tests/core/molecules/test_files.h"
#include "tests/core/orbitals/made_up_wavefunction.h"
#include "tests/gpu/runtime/compiler/nvrtc_here.h"

namespace isolume::gpu {
namespace {

using testing::newest;
using testing::nvrtc_is_here;

class GeneratedByNvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_is_here()) GTEST_SKIP() << "The toolkit's libnvrtc is not installed.";
  }
};

CompiledImage compiled(const std::string& code, const CompileTarget& target = newest) {
  return compile({"orbitals.cu", code, {"--ftz=true"}}, target, KernelCache(std::filesystem::path()));
}

std::string source_of(const molecules::Wavefunction& wavefunction, const GeneratedShape& shape = {}) {
  return generated_source(find_atom_types(wavefunction.molecule, wavefunction.basis), shape);
}

std::vector<GeneratedShape> all_shapes() {
  std::vector<GeneratedShape> shapes;
  for (const auto places : {PlaceKind::aligned_grid, PlaceKind::grid, PlaceKind::scattered}) {
    for (const int columns : {1, 2, 4}) {
      for (const bool quadratic : {false, true}) shapes.push_back({places, columns, quadratic});
    }
  }
  return shapes;
}

TEST_F(GeneratedByNvrtc, CompilesForEveryGeneration) {
  const std::string code = source_of(test::all_shells(true), {PlaceKind::grid, 4, true});
  for (const CompileTarget target : {CompileTarget{7, 5}, {8, 0}, {9, 0}, newest}) {
    EXPECT_EQ(compiled(code, target).code.substr(1, 3), "ELF")
        << target.compute_major << "." << target.compute_minor;
  }
  EXPECT_THROW(compiled(code + "}"), Error) << "so that the lines above can fail";
}

TEST_F(GeneratedByNvrtc, CompilesInEveryShapeWithoutARemark) {
  for (const auto& shape : all_shapes()) {
    EXPECT_EQ(compiled(source_of(test::all_shells(true), shape)).log, "");
  }
}

TEST_F(GeneratedByNvrtc, CompilesSampleMolecules) {
  for (const char* name : {"c60.molden.gz", "caffeine.fchk.gz", "water-ccpvqz.fchk.gz"}) {
    const auto document = molecules::read_document(molecules::testing::sample(name));
    EXPECT_EQ(compiled(source_of(*document.wavefunction)).log, "") << name;
  }
}

TEST_F(GeneratedByNvrtc, CompilesWithoutAtoms) {
  EXPECT_NO_THROW(compiled(generated_source({}, {})));
}

}  // namespace
}  // namespace isolume::gpu
