#include <map>
#include <set>

#include "core/dicom/contours/dcmtk.h"
// DCMTK's own, after the configuration above.
#include <dcmtk/dcmrt/drtstrct.h>
#include <fmt/format.h>

#include "core/base/version.h"
#include "core/dicom/contours/regions.h"
#include "core/dicom/contours/rtstruct.h"
#include "core/dicom/contours/slice_positions.h"

namespace isolume::dicom {
namespace {

using contours::Polyline;

constexpr const char* study_component = "1.2.840.10008.3.1.2.3.1";  // retired, but required by PS3.3 C.8.8.5

/// One item of a Contour Sequence.
struct PlanarContour {
  images::SliceId slice;
  bool closed = true;
  Polyline points;
};

std::set<images::SliceId> slices_of(const contours::ContourSet& set, int label) {
  std::set<images::SliceId> slices;
  for (const auto& contour : set.contours()) {
    if (contour->label == label && !contour->suggestion) slices.insert(contour->slice);
  }
  return slices;
}

std::vector<PlanarContour> contours_of_label(const contours::ContourSet& set, const contours::Label& label,
                                             const images::Geometry& geometry, Remarks& remarks,
                                             const jobs::Progress& progress) {
  std::vector<PlanarContour> found;
  std::size_t by_pixels = 0;
  for (const auto& slice : slices_of(set, label.value)) {
    progress.check();
    const auto plane = images::slice_plane(geometry, slice);
    bool crossing = false;
    for (auto& region : regions_of(set, label.value, slice, plane.columns, plane.rows, &crossing)) {
      found.push_back({slice, true, join_holes(std::move(region))});
    }
    by_pixels += crossing ? 1 : 0;
  }
  if (by_pixels > 0) {
    remarks.converted(
        fmt::format("On {} slice{}, contours of {} cross each other: the outlines of the label's "
                    "pixels were written.",
                    by_pixels, by_pixels == 1 ? "" : "s", label.name),
        by_pixels);
  }
  for (const auto& contour : set.contours()) {
    if (contour->label != label.value || contour->closed || contour->suggestion) continue;
    if (Polyline points = contour->outline(); !points.empty()) {
      found.push_back({contour->slice, false, std::move(points)});
    }
  }
  return found;
}

std::string contour_data(const PlanarContour& contour, const SlicePositions& positions) {
  std::string data;
  for (const auto& point : contour.points) {
    const Eigen::Vector3d at = positions.position_mm(contour.slice, point);
    for (int axis = 0; axis < 3; ++axis) {
      if (!data.empty()) data += '\\';
      data += decimal_text(at[axis]);
    }
  }
  return data;
}

template <class Sequence>
typename Sequence::Item& added(Sequence& sequence) {
  typename Sequence::Item* item = nullptr;
  require(sequence.addItem(item), "Could not make the RT structure set");
  return *item;
}

/// Refers to the instance of a slice, and to its frame if the file has several.
void refer(DRTContourImageSequence& sequence, const images::DicomSource::Slice& slice, bool with_frame) {
  auto& item = added(sequence);
  item.setReferencedSOPClassUID(slice.sop_class_uid.c_str());
  item.setReferencedSOPInstanceUID(slice.sop_instance_uid.c_str());
  if (with_frame && slice.frame > 0) item.setReferencedFrameNumber(std::to_string(slice.frame).c_str());
}

void add_contour(DRTContourSequence& sequence, const PlanarContour& contour, int number,
                 const SlicePositions& positions, const images::DicomSource& source) {
  auto& item = added(sequence);
  const char* kind = contour.closed ? "CLOSED_PLANAR" : contour.points.size() == 1 ? "POINT" : "OPEN_PLANAR";
  item.setContourGeometricType(kind);
  item.setContourNumber(std::to_string(number).c_str());
  item.setNumberOfContourPoints(std::to_string(contour.points.size()).c_str());
  item.setContourData(contour_data(contour, positions).c_str(), OFFalse);
  const int k = contour.slice.index;
  if (contour.slice.axis == 2 && k >= 0 && k < static_cast<int>(source.slices.size())) {
    refer(item.getContourImageSequence(), source.slices[static_cast<std::size_t>(k)], true);
  }
}

void set_patient_and_study(DRTStructureSetIOD& object, const images::DicomSource& source) {
  // Without validation: the image's own values are copied unchanged, whether valid or not.
  object.setPatientName(limited(source.patient_name, 324), OFFalse);
  object.setPatientID(limited(source.patient_id, 64), OFFalse);
  object.setPatientBirthDate(source.patient_birth_date.c_str(), OFFalse);
  object.setPatientSex(source.patient_sex.c_str(), OFFalse);
  object.setStudyInstanceUID(source.study_uid.c_str(), OFFalse);
  object.setStudyDate(source.study_date.c_str(), OFFalse);
  object.setStudyTime(source.study_time.c_str(), OFFalse);
  object.setStudyID(limited(source.study_id, 16), OFFalse);
  object.setAccessionNumber(limited(source.accession_number, 16), OFFalse);
  object.setReferringPhysicianName(limited(source.referring_physician, 324), OFFalse);
  if (!source.study_description.empty()) {
    object.setStudyDescription(limited(source.study_description, 64), OFFalse);
  }
}

/// The modules that identify this object and its creator.
void set_identity(DRTStructureSetIOD& object) {
  OFString date, time;
  DcmDate::getCurrentDate(date);
  DcmTime::getCurrentTime(time);
  object.setSpecificCharacterSet("ISO_IR 192");
  object.setSOPClassUID(UID_RTStructureSetStorage);
  object.setSOPInstanceUID(new_uid().c_str());
  object.setInstanceCreationDate(date);
  object.setInstanceCreationTime(time);
  object.setModality("RTSTRUCT");
  object.setSeriesInstanceUID(new_uid().c_str());
  object.setSeriesNumber("1");
  object.setSeriesDescription("Contours drawn with Isolume");
  object.setOperatorsName("");
  object.setManufacturer("Isolume");
  object.setManufacturerModelName("Isolume");
  object.setSoftwareVersions(version);
  object.setStructureSetLabel("Isolume");
  object.setStructureSetDate(date);
  object.setStructureSetTime(time);
  object.setApprovalStatus("UNAPPROVED");
}

void set_frame_of_reference(DRTStructureSetIOD& object, const images::DicomSource& source,
                            const std::string& frame_uid) {
  object.setFrameOfReferenceUID(frame_uid.c_str());
  object.setPositionReferenceIndicator(limited(source.position_reference_indicator, 64), OFFalse);
  auto& frame = added(object.getReferencedFrameOfReferenceSequence());
  frame.setFrameOfReferenceUID(frame_uid.c_str());
  auto& study = added(frame.getRTReferencedStudySequence());
  study.setReferencedSOPClassUID(study_component);
  study.setReferencedSOPInstanceUID(source.study_uid.c_str());
  auto& series = added(study.getRTReferencedSeriesSequence());
  series.setSeriesInstanceUID(source.series_uid.c_str());
  std::set<std::string> told;
  for (const auto& slice : source.slices) {
    if (told.insert(slice.sop_instance_uid).second) refer(series.getContourImageSequence(), slice, false);
  }
}

void add_roi(DRTStructureSetIOD& object, const contours::Label& label, const std::string& frame_uid,
             Remarks& remarks) {
  const std::string number = std::to_string(label.value);
  auto& roi = added(object.getStructureSetROISequence());
  roi.setROINumber(number.c_str());
  roi.setReferencedFrameOfReferenceUID(frame_uid.c_str());
  const OFString name = limited(label.name, 64);
  if (name.c_str() != label.name) {
    remarks.converted(
        fmt::format("The name of {} was written as {}, which DICOM can hold.", label.name, name.c_str()));
  }
  roi.setROIName(name, OFFalse);
  roi.setROIGenerationAlgorithm("SEMIAUTOMATIC");
  auto& observation = added(object.getRTROIObservationsSequence());
  observation.setObservationNumber(number.c_str());
  observation.setReferencedROINumber(number.c_str());
  observation.setRTROIInterpretedType("");
  observation.setROIInterpreter("");
}

}  // namespace

Remarks write_rtstruct(const contours::ContourSet& set, const images::Document& image,
                       const std::filesystem::path& path, const jobs::Progress& progress) {
  prepare_dcmtk();
  const auto& source = source_of(image, "An RT structure set");
  const auto& geometry = image.volume.geometry;
  const SlicePositions positions(image);
  const std::string frame_uid =
      source.frame_of_reference_uid.empty() ? new_uid() : source.frame_of_reference_uid;
  const auto object = std::make_unique<DRTStructureSetIOD>();
  set_patient_and_study(*object, source);
  set_identity(*object);
  set_frame_of_reference(*object, source, frame_uid);
  Remarks remarks;
  int number = 0, label_number = 0;
  for (const auto& label : set.labels()) {
    progress.report(0.9 * label_number++ / static_cast<double>(set.labels().size()), "RT structure set");
    const auto contours = contours_of_label(set, label, geometry, remarks, progress);
    if (contours.empty()) continue;
    add_roi(*object, label, frame_uid, remarks);
    auto& roi = added(object->getROIContourSequence());
    roi.setReferencedROINumber(std::to_string(label.value).c_str());
    const auto rgb = rgb_or_orange(label.colour);
    roi.setROIDisplayColor(fmt::format("{}\\{}\\{}", rgb[0], rgb[1], rgb[2]).c_str());
    for (const auto& contour : contours) {
      progress.check();
      add_contour(roi.getContourSequence(), contour, ++number, positions, source);
    }
  }
  if (number == 0)
    throw Error("There is no contour to write as an RT structure set. Trace one, or accept suggestions.");
  DcmDataset data;
  require(object->write(data), "Could not make the RT structure set");
  progress.report(0.95, "writing");
  // Implicit VR, because otherwise the length of Contour Data is limited to 64 KiB.
  save(data, path, EXS_LittleEndianImplicit);
  return remarks;
}

}  // namespace isolume::dicom
