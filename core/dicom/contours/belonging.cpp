#include "core/dicom/contours/belonging.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/letter_case.h"
#include "core/dicom/contours/dcmtk.h"

namespace isolume::dicom {
namespace {

using Uids = std::set<std::string>;

void add_uid(DcmItem& item, const DcmTagKey& tag, Uids& uids) {
  if (std::string uid = text(item, tag); !uid.empty()) uids.insert(std::move(uid));
}

/// The objects that a data set refers to, in the sequences of structure sets (PS3.3 C.8.8.5) and of segmentations
/// (C.12.1).
struct References {
  Uids studies, frames, series;

  explicit References(DcmItem& data) {
    add_uid(data, DCM_StudyInstanceUID, studies);
    add_uid(data, DCM_FrameOfReferenceUID, frames);
    for (DcmItem* frame : items(data, DCM_ReferencedFrameOfReferenceSequence)) {
      add_uid(*frame, DCM_FrameOfReferenceUID, frames);
      for (DcmItem* study : items(*frame, DCM_RTReferencedStudySequence)) {
        add_uid(*study, DCM_ReferencedSOPInstanceUID, studies);
        add_series(*study, DCM_RTReferencedSeriesSequence);
      }
    }
    for (DcmItem* roi : items(data, DCM_StructureSetROISequence)) {
      add_uid(*roi, DCM_ReferencedFrameOfReferenceUID, frames);
    }
    add_series(data, DCM_ReferencedSeriesSequence);
    for (DcmItem* study : items(data, DCM_StudiesContainingOtherReferencedInstancesSequence)) {
      add_uid(*study, DCM_StudyInstanceUID, studies);
      add_series(*study, DCM_ReferencedSeriesSequence);
    }
  }

 private:
  void add_series(DcmItem& parent, const DcmTagKey& sequence) {
    for (DcmItem* each : items(parent, sequence)) add_uid(*each, DCM_SeriesInstanceUID, series);
  }
};

bool are_others(const Uids& uids, const std::string& of_image) {
  return !uids.empty() && !of_image.empty() && !uids.contains(of_image);
}

/// "Doe^Jane^^" as "DOE^JANE": programs differ in empty components and in capitals.
std::string folded(std::string name) {
  name = upper_case(name);
  name.erase(name.find_last_not_of("^ =") + 1);
  return name;
}

bool is_other_patient(DcmItem& data, const images::DicomSource& image) {
  const std::string id = text(data, DCM_PatientID);
  if (!id.empty() && !image.patient_id.empty()) return id != image.patient_id;
  const std::string name = folded(text(data, DCM_PatientName)), of_image = folded(image.patient_name);
  return !name.empty() && !of_image.empty() && name != of_image;
}

/// A structure set can refer to several frames of reference (PS3.3 C.8.8.5).
void check_regions(DcmItem& data, const std::string& frame_of_image, Remarks& remarks) {
  std::vector<std::string> others;
  for (DcmItem* roi : items(data, DCM_StructureSetROISequence)) {
    Uids frame;
    add_uid(*roi, DCM_ReferencedFrameOfReferenceUID, frame);
    if (!are_others(frame, frame_of_image)) continue;
    const std::string name = text(*roi, DCM_ROIName);
    others.push_back(name.empty() ? "ROI " + text(*roi, DCM_ROINumber) : name);
  }
  if (others.empty()) return;
  remarks.add(RemarkKind::warning,
              fmt::format("Regions of interest of another frame of reference than the image's, which may be "
                          "misplaced: {}.",
                          first_names(others)),
              others.size());
}

}  // namespace

void check_belonging(DcmItem& data, const images::Document& image, Remarks& remarks) {
  if (!image.dicom) {
    remarks.warn(
        "The image is not DICOM and does not say which contours belong to it: check where they lie.");
    return;
  }
  const References references(data);
  const bool is_of_series = references.series.contains(image.dicom->series_uid);
  std::vector<std::string_view> others;
  if (is_other_patient(data, *image.dicom)) others.emplace_back("another patient");
  if (!is_of_series && are_others(references.studies, image.dicom->study_uid))
    others.emplace_back("another study");
  if (are_others(references.frames, image.dicom->frame_of_reference_uid)) {
    others.emplace_back("another frame of reference");
  } else {
    check_regions(data, image.dicom->frame_of_reference_uid, remarks);
  }
  if (!others.empty()) {
    remarks.warn(fmt::format("The contours are of {}, not the image's: they may be misplaced.",
                             fmt::join(others, ", of ")));
  } else if (!is_of_series && are_others(references.series, image.dicom->series_uid)) {
    remarks.warn("The contours were drawn on another series than this one.");
  }
}

}  // namespace isolume::dicom
