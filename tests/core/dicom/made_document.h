#pragma once

#include <numbers>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/contours/contour.h"
#include "core/images/document.h"

namespace isolume::dicom::testing {

/// An axial image of 64 x 48 pixels that are not square, and 6 slices.
inline images::Geometry axial() {
  images::Geometry geometry;
  geometry.dimensions = {64, 48, 6};
  geometry.origin = {-31.5, 12.25, 100};
  geometry.set_spacing({0.8, 1.25, 3});
  return geometry;
}

inline images::Geometry turned() {
  images::Geometry geometry = axial();
  geometry.set_directions((Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()) *
                           Eigen::AngleAxisd(-0.7, Eigen::Vector3d(1, 2, 3).normalized()))
                              .toRotationMatrix());
  return geometry;
}

/// The description of a DICOM image of that geometry: black pixels, UIDs made up.
inline images::Document document(const images::Geometry& geometry, bool multi_frame = false) {
  images::Document image;
  image.path = "series";
  image.volume.geometry = geometry;
  image.volume.type = images::PixelType::uint8;
  const auto voxels = images::allocate_voxels(geometry, images::PixelType::uint8);
  std::fill_n(voxels.get(), geometry.point_count(), std::byte{0});
  image.volume.storage = voxels;
  images::DicomSource source;
  source.patient_name = "Müller^Jörg";
  source.patient_id = "4711";
  source.study_uid = "1.2.826.0.1.3680043.10.1.1";
  source.study_date = "20240229";
  source.study_time = "101500";
  source.study_id = "1";
  source.series_uid = "1.2.826.0.1.3680043.10.1.2";
  source.modality = "CT";
  source.frame_of_reference_uid = "1.2.826.0.1.3680043.10.1.3";
  for (int k = 0; k < geometry.dimensions[2]; ++k) {
    images::DicomSource::Slice slice;
    slice.sop_class_uid = multi_frame ? "1.2.840.10008.5.1.4.1.1.2.1" : "1.2.840.10008.5.1.4.1.1.2";
    slice.sop_instance_uid = fmt::format("1.2.826.0.1.3680043.10.1.4.{}", multi_frame ? 1 : k + 1);
    slice.frame = multi_frame ? k + 1 : 0;
    slice.position_mm = geometry.position({0, 0, static_cast<double>(k)});
    source.slices.push_back(slice);
  }
  image.dicom = source;
  return image;
}

}  // namespace isolume::dicom::testing
