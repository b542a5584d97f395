// A reader of images may refuse with InputError or ResourceError; whatever else happens is a fault. What it
// reads is there whole.
#include "core/base/error.h"
#include "core/images/readers.h"
#include "core/images/vectors.h"
#include "tests/fuzz/fuzzed_file.h"

namespace {

using namespace isolume;

images::Document read(images::Document (*reader)(const std::filesystem::path&, const jobs::Progress&),
                      const std::filesystem::path& file) {
  return reader(file, {});
}
/// Of files that can hold several volumes.
template <class... More>
images::Document read(images::Document (*reader)(const std::filesystem::path&, const images::ReadOptions&,
                                                 const jobs::Progress&, More...),
                      const std::filesystem::path& file) {
  return reader(file, {}, {}, More()...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fuzz::write_file("fuzzed.hdr", fuzz::text_of(data, size));
  try {
    const images::Document document = read(images::ISOLUME_FUZZED_READER, file);
    value_range(document.volume);
  } catch (const InputError&) {
  } catch (const ResourceError&) {
  }
  try {
    images::read_vectors(file);
  } catch (const InputError&) {
  } catch (const ResourceError&) {
  }
  return 0;
}
