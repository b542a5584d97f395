#include "core/base/error.h"
#include "core/dicom/dcmtk.h"
#include "core/dicom/nesting.h"
#include "core/dicom/rtstruct.h"

namespace isolume::dicom {

DicomKind kind_of(const std::filesystem::path& file) {
  prepare_dcmtk();
  try {
    check_nesting(file, 0x00080020U);
  } catch (const InputError&) {
    return DicomKind::none;
  }
  DcmFileFormat format;
  // Up to the SOP class only: pixels are not read.
  if (format.loadFileUntilTag(file.c_str(), EXS_Unknown, EGL_noChange, 4096, ERM_autoDetect, DCM_StudyDate)
          .bad()) {
    return DicomKind::none;
  }
  OFString sop_class;
  if (format.getDataset()->findAndGetOFString(DCM_SOPClassUID, sop_class).bad()) return DicomKind::none;
  if (sop_class == UID_RTStructureSetStorage) return DicomKind::rtstruct;
  if (sop_class == UID_SegmentationStorage) return DicomKind::segmentation;
  return DicomKind::image;
}

}  // namespace isolume::dicom
