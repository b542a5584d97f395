// A DICOM file may be refused with Error; the copy of one that is not can be read, and holds no name and
// nothing private.
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/dicom/data/header.h"
#include "tests/fuzz/fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  const auto file = fuzz::write_file("fuzzed.dcm", fuzz::text_of(data, size));
  const std::filesystem::path folder = fuzz::folder() / "copies";
  std::filesystem::remove_all(folder);
  try {
    dicom::write_anonymised({file}, folder);
  } catch (const Error&) {
    if (std::filesystem::exists(folder)) std::abort();  // nothing is left of it
    return 0;
  }
  for (const dicom::HeaderEntry& entry : dicom::read_header(folder / "000001.dcm")) {
    if (entry.name == "Private" || (entry.tag == "(0010,0010)" && !entry.value.empty())) std::abort();
  }
  return 0;
}
