// A reader may refuse with InputError or ResourceError; whatever else happens is a fault.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/base/error.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

[[maybe_unused]] Document read_and_prove(const Source& source) {
  return read_document_text(source.path, source.text, source.progress);
}

}  // namespace
}  // namespace isolume::molecules

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path = "fuzzed";
  static const isolume::jobs::Progress progress;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    isolume::molecules::ISOLUME_FUZZED_READER({path, text, progress});
  } catch (const isolume::InputError&) {
  } catch (const isolume::ResourceError&) {
  }
  return 0;
}
