#include <algorithm>
#include <map>
#include <set>

#include "core/dicom/contours/dcmtk.h"
// DCMTK's own, after the configuration above.
#include <dcmtk/dcmfg/fgderimg.h>
#include <dcmtk/dcmfg/fgfracon.h>
#include <dcmtk/dcmfg/fgpixmsr.h>
#include <dcmtk/dcmfg/fgplanor.h>
#include <dcmtk/dcmfg/fgplanpo.h>
#include <dcmtk/dcmiod/cielabutil.h>
#include <dcmtk/dcmseg/segdoc.h>
#include <dcmtk/dcmseg/segment.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/version.h"
#include "core/contours/label_map.h"
#include "core/dicom/contours/segmentation.h"
#include "core/dicom/contours/slice_positions.h"

namespace isolume::dicom {
namespace {

constexpr const char* failed = "Could not make the segmentation";

void set_patient_and_study(DcmSegmentation& object, const images::DicomSource& source) {
  // Without validation: the image's own values are copied unchanged, whether valid or not.
  object.getSOPCommon().setSpecificCharacterSet("ISO_IR 192");
  auto& patient = object.getPatient();
  patient.setPatientName(limited(source.patient_name, 324), OFFalse);
  patient.setPatientID(limited(source.patient_id, 64), OFFalse);
  patient.setPatientBirthDate(source.patient_birth_date.c_str(), OFFalse);
  patient.setPatientSex(source.patient_sex.c_str(), OFFalse);
  auto& study = object.getStudy();
  study.setStudyInstanceUID(source.study_uid.c_str(), OFFalse);
  study.setStudyDate(source.study_date.c_str(), OFFalse);
  study.setStudyTime(source.study_time.c_str(), OFFalse);
  study.setStudyID(limited(source.study_id, 16), OFFalse);
  study.setAccessionNumber(limited(source.accession_number, 16), OFFalse);
  study.setReferringPhysicianName(limited(source.referring_physician, 324), OFFalse);
  object.getSeries().setSeriesInstanceUID(new_uid().c_str());
  object.getSeries().setSeriesNumber("1");
  object.getSeries().setSeriesDescription("Segments drawn with Isolume");
  auto& frame = object.getFrameOfReference();
  frame.setFrameOfReferenceUID(
      source.frame_of_reference_uid.empty() ? new_uid().c_str() : source.frame_of_reference_uid.c_str(),
      OFFalse);
  frame.setPositionReferenceIndicator(limited(source.position_reference_indicator, 64), OFFalse);
}

void refer_to_images(DcmSegmentation& object, const images::DicomSource& source) {
  auto* series = new IODSeriesAndInstanceReferenceMacro::ReferencedSeriesItem;
  object.getCommonInstanceReference().getReferencedSeriesItems().push_back(series);  // which takes ownership
  require(series->setSeriesInstanceUID(source.series_uid.c_str(), OFFalse), failed);
  std::set<std::string> told;
  for (const auto& slice : source.slices) {
    if (!told.insert(slice.sop_instance_uid).second) continue;
    require(series->addReference(slice.sop_class_uid.c_str(), slice.sop_instance_uid.c_str()), failed);
  }
}

/// Pixel spacing and orientation are those of the image.
void add_shared_groups(DcmSegmentation& object, const images::Geometry& geometry,
                       const SlicePositions& positions) {
  FGPixelMeasures measures;
  const Eigen::Vector3d spacing = geometry.spacing();
  const std::string between = decimal_text(positions.usual_distance_mm());
  measures.setPixelSpacing((decimal_text(spacing.y()) + '\\' + decimal_text(spacing.x())).c_str());
  measures.setSliceThickness(between.c_str());
  if (positions.are_equally_spaced()) measures.setSpacingBetweenSlices(between.c_str());
  require(object.addForAllFrames(measures), failed);
  const Eigen::Matrix3d directions = geometry.directions();
  const auto cosine = [&](int row, int column) {
    return OFString(decimal_text(directions(row, column), 10).c_str());
  };
  const std::unique_ptr<FGPlaneOrientationPatient> orientation(FGPlaneOrientationPatient::createMinimal(
      cosine(0, 0), cosine(1, 0), cosine(2, 0), cosine(0, 1), cosine(1, 1), cosine(2, 1)));
  if (!orientation) throw Error(std::string(failed) + ": the image's direction is not valid.");
  require(object.addForAllFrames(*orientation), failed);
}

/// Only the name of the segmented structure is known: "tissue".
Uint16 add_segment(DcmSegmentation& object, const contours::Label& label) {
  const CodeSequenceMacro tissue("85756007", "SCT", "Tissue");
  DcmSegment* segment = nullptr;
  require(DcmSegment::create(segment, "Segment", tissue, tissue, DcmSegTypes::SAT_SEMIAUTOMATIC,
                             "Isolume livewire"),
          failed);
  segment->setSegmentLabel(limited(label.name, 64), OFFalse);
  const auto rgb = rgb_or_orange(label.colour);
  double lightness = 0, a = 0, b = 0;
  IODCIELabUtil::rgb2DicomLab(lightness, a, b, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
  const auto whole = [](double value) { return static_cast<Uint16>(std::clamp(value + 0.5, 0.0, 65535.0)); };
  segment->setRecommendedDisplayCIELabValue(whole(lightness), whole(a), whole(b));
  Uint16 number = 0;
  const OFCondition added = object.addSegment(segment, number);
  if (added.bad()) delete segment;
  require(added, failed);
  return number;
}

/// The source image of a frame: PS3.3, C.7.6.16.2.6.
void fill(FGDerivationImage& group, const images::DicomSource::Slice& slice) {
  const CodeSequenceMacro segmentation("113076", "DCM", "Segmentation");
  DerivationImageItem* derivation = nullptr;
  require(group.addDerivationImageItem(segmentation, "", derivation), failed);
  auto* source = new SourceImageItem;
  derivation->getSourceImageItems().push_back(source);  // which takes ownership
  source->getPurposeOfReferenceCode().set("121322", "DCM", "Source image for image processing operation");
  auto& instance = source->getImageSOPInstanceReference();
  instance.setReferencedSOPClassUID(slice.sop_class_uid.c_str());
  instance.setReferencedSOPInstanceUID(slice.sop_instance_uid.c_str());
  if (slice.frame > 0) instance.addReferencedFrameNumber(static_cast<Uint16>(slice.frame));
}

void add_frame(DcmSegmentation& object, std::vector<Uint8>& pixels, Uint16 segment, int k,
               const SlicePositions& positions, const images::DicomSource& source) {
  const Eigen::Vector3d& at = positions[k];
  const std::unique_ptr<FGPlanePosPatient> position(FGPlanePosPatient::createMinimal(
      decimal_text(at.x()).c_str(), decimal_text(at.y()).c_str(), decimal_text(at.z()).c_str()));
  if (!position) throw Error(std::string(failed) + ": a slice's position is not valid.");
  FGFrameContent content;
  content.setStackID("1");
  content.setInStackPositionNumber(static_cast<Uint32>(k + 1));
  content.setDimensionIndexValues(segment, 0);
  content.setDimensionIndexValues(static_cast<Uint32>(k + 1), 1);
  FGDerivationImage derivation;
  fill(derivation, source.slices[static_cast<std::size_t>(k)]);
  OFVector<FGBase*> groups;
  groups.push_back(position.get());
  groups.push_back(&content);
  groups.push_back(&derivation);
  require(object.addFrame(pixels.data(), segment, groups), failed);
}

std::unique_ptr<DcmSegmentation> empty_segmentation(const images::Geometry& geometry) {
  if (std::max(geometry.dimensions[0], geometry.dimensions[1]) > 65535) {
    throw Error(
        "The image's slices are larger than DICOM's 65535 rows and columns. Export a label map instead.");
  }
  const IODGeneralEquipmentModule::EquipmentInfo equipment("Isolume", "Isolume", "0", version);
  const ContentIdentificationMacro content("1", "SEGMENTATION", "Segments drawn with Isolume", "");
  DcmSegmentation* made = nullptr;
  const OFCondition created = DcmSegmentation::createBinarySegmentation(
      made, static_cast<Uint16>(geometry.dimensions[1]), static_cast<Uint16>(geometry.dimensions[0]),
      equipment, content);
  std::unique_ptr<DcmSegmentation> object(made);
  require(created, failed);
  auto& dimensions = object->getDimensions();
  const std::string organisation = new_uid();
  require(dimensions.addDimensionIndex(DCM_ReferencedSegmentNumber, organisation.c_str(),
                                       DCM_SegmentIdentificationSequence, "Segment"),
          failed);
  require(dimensions.addDimensionIndex(DCM_ImagePositionPatient, organisation.c_str(),
                                       DCM_PlanePositionSequence, "Position"),
          failed);
  return object;
}

/// Writes 1 for pixels of slice k in the mask, else 0. Returns whether there are any.
bool find_pixels(const contours::LabelMask& mask, int k, int width, std::vector<Uint8>& pixels) {
  std::ranges::fill(pixels, Uint8{0});
  if (k < mask.low[2] || k >= mask.low[2] + mask.size[2]) return false;
  bool any = false;
  for (int j = 0; j < mask.size[1]; ++j) {
    const std::uint8_t* row = mask.row(j, k - mask.low[2]);
    any = any || std::any_of(row, row + mask.size[0], [](std::uint8_t inside) { return inside != 0; });
    std::copy_n(row, mask.size[0], pixels.begin() + (mask.low[1] + j) * std::ptrdiff_t{width} + mask.low[0]);
  }
  return any;
}

}  // namespace

void write_segmentation(const contours::ContourSet& set, const images::Document& image,
                        const std::filesystem::path& path, const jobs::Progress& progress) {
  prepare_dcmtk();
  const auto& source = source_of(image, "A segmentation");
  const auto& geometry = image.volume.geometry;
  const SlicePositions positions(image);
  const auto object = empty_segmentation(geometry);
  set_patient_and_study(*object, source);
  refer_to_images(*object, source);
  add_shared_groups(*object, geometry, positions);
  std::vector<Uint8> pixels(static_cast<std::size_t>(geometry.dimensions[0]) *
                            static_cast<std::size_t>(geometry.dimensions[1]));
  const auto count = static_cast<double>(set.labels().size());
  for (std::size_t at = 0; at < set.labels().size(); ++at) {
    const auto& label = set.labels()[at];
    const auto mask = contours::mask_of_label(
        set, label.value, geometry,
        progress.part(0.9 * static_cast<double>(at) / count, 0.9 * static_cast<double>(at + 1) / count));
    Uint16 segment = 0;
    for (int k = 0; k < geometry.dimensions[2]; ++k) {
      progress.check();
      if (!find_pixels(mask, k, geometry.dimensions[0], pixels)) continue;
      if (segment == 0) segment = add_segment(*object, label);
      add_frame(*object, pixels, segment, k, positions, source);
    }
  }
  if (object->getNumberOfFrames() == 0) {
    throw Error("There is no closed contour to write as a segmentation. Close one, or accept suggestions.");
  }
  progress.report(0.95, "writing");
  DcmDataset data;
  require(object->writeDataset(data), failed);
  save(data, path, EXS_LittleEndianExplicit);
}

}  // namespace isolume::dicom
