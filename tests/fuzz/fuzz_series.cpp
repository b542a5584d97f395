// A folder of files, or the DICOMDIR that lists it: listed, opened, and their headers shown. The readers may
// refuse with Error; whatever else happens is a fault. The files stand one behind the other, each after two
// bytes with its length.
#include "core/base/error.h"
#include "core/dicom/contours/read_contours.h"
#include "core/dicom/data/header.h"
#include "core/dicom/frames/series.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "tests/fuzz/fuzzed_file.h"

namespace {

/// Written as 0.dcm, DICOMDIR, 2.dcm ...
std::vector<std::filesystem::path> write_files(const std::filesystem::path& folder, std::string_view bytes) {
  constexpr std::size_t most_files = 16;
  std::vector<std::filesystem::path> files;
  while (bytes.size() > 2 && files.size() < most_files) {
    const auto byte = [&](std::size_t at) {
      return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
    };
    const std::size_t length = byte(0) | byte(1) << 8;
    bytes.remove_prefix(2);
    const std::string name = files.size() == 1 ? "DICOMDIR" : fmt::format("{}.dcm", files.size());
    files.push_back(isolume::fuzz::write_file((folder / name).string(), bytes.substr(0, length)));
    bytes.remove_prefix(std::min(length, bytes.size()));
  }
  return files;
}

template <class Action>
void refusing(const Action& action) {
  try {
    action();
  } catch (const isolume::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  const std::filesystem::path folder = fuzz::folder() / "series";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const auto files = write_files(folder, fuzz::text_of(data, size));
  for (const auto& file : files) {
    refusing([&] { dicom::read_header(file); });
    dicom::kind_of(file);
  }
  refusing([&] { images::read_image(folder / "DICOMDIR"); });
  refusing([&] {
    for (const dicom::Series& series : dicom::list_series(folder)) {
      refusing([&] { value_range(images::read_image(folder, {.series_uid = series.uid}).volume); });
    }
  });
  return 0;
}
