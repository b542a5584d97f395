// A reader of structures may refuse with InputError or ResourceError, and what it reads may have nothing to give charges
// to (Error); whatever else happens is a fault. What comes out are charges that can be summed.
#include "core/base/error.h"
#include "core/structures/prepare.h"
#include "core/structures/structure.h"
#include "tests/fuzz/fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  const auto file = fuzz::write_file("fuzzed.cif", fuzz::text_of(data, size));
  try {
    check(structures::prepare(structures::read_structure(file)).charges);
  } catch (const Error&) {
  }
  return 0;
}
