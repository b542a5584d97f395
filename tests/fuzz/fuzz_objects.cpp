// Structure sets and segmentations may be refused with InputError or ResourceError; whatever else happens is
// a fault. They are read for the image that tests/core/dicom/make_objects.py draws on.
#include <algorithm>

#include "core/base/error.h"
#include "core/dicom/contours/read_contours.h"
#include "tests/core/dicom/made_document.h"
#include "tests/fuzz/fuzzed_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  static const images::Document image = dicom::testing::document(dicom::testing::axial());
  const auto file = fuzz::write_file("fuzzed.dcm", fuzz::text_of(data, size));
  const dicom::DicomKind kind = dicom::kind_of(file);
  try {
    if (kind == dicom::DicomKind::segmentation) {
      dicom::read_segmentation(file, image);
    } else {
      dicom::read_rtstruct(file, image);
    }
  } catch (const InputError&) {
  } catch (const ResourceError&) {
  }
  return 0;
}
