// A reader of images may refuse with InputError or ResourceError; whatever else happens is a fault. What it
// reads is there whole.
#include "core/base/error.h"
#include "core/images/readers.h"
#include "tests/fuzz/fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  const auto file = fuzz::write_file("fuzzed.hdr", fuzz::text_of(data, size));
  try {
    const images::Document document = images::ISOLUME_FUZZED_READER(file, {});
    value_range(document.volume);
  } catch (const InputError&) {
  } catch (const ResourceError&) {
  }
  return 0;
}
