#include "core/dicom/contours/dcmtk.h"
#include "core/dicom/contours/read_contours.h"

namespace isolume::dicom {

DicomKind kind_of(const std::filesystem::path& file) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) return DicomKind::none;
  const auto format = try_open_dicom(file, DCM_StudyDate);
  if (!format) return DicomKind::none;
  const std::string sop_class = text(*format->getDataset(), DCM_SOPClassUID);
  if (sop_class.empty()) return DicomKind::none;
  if (sop_class == UID_RTStructureSetStorage) return DicomKind::rtstruct;
  if (sop_class == UID_SegmentationStorage || sop_class == label_map_segmentation)
    return DicomKind::segmentation;
  return DicomKind::image;
}

}  // namespace isolume::dicom
