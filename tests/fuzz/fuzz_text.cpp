// A text may be refused with InputError; what does not begin as gzip does is read as it is.
#include "core/base/error.h"
#include "core/base/text_file.h"
#include "tests/fuzz/fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto file = fuzz::write_file("fuzzed", bytes);
  try {
    std::size_t seen = 0;
    const std::string text = read_text_file(file, std::size_t{4} << 30, [&](std::string_view so_far, double) {
      if (so_far.size() < seen) std::abort();
      seen = so_far.size();
    });
    if (text.size() != seen || (!bytes.starts_with("\x1f\x8b") && text != bytes)) std::abort();
  } catch (const InputError&) {
    if (!bytes.empty() && !bytes.starts_with("\x1f\x8b")) std::abort();
  }
  return 0;
}
