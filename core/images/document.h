#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/grid/time_points.h"
#include "core/images/uptake.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// Data of a volume read from DICOM: what an RTSTRUCT or SEG must repeat, and the instance of every slice (along k).
/// Texts are UTF-8, empty if missing in the file.
struct DicomSource {
  std::string patient_name, patient_id, patient_birth_date, patient_sex;
  std::string study_uid, study_date, study_time, study_id, accession_number, referring_physician,
      study_description;
  std::string series_key;  ///< Series::uid: used in `ReadOptions` to read it again; empty without a UID
  std::string series_uid, series_number, series_description, modality, body_part;
  std::string frame_of_reference_uid, position_reference_indicator;
  std::string manufacturer, manufacturer_model;
  bool is_placed = true;  ///< whether the files give positions; otherwise they are made up
  struct Slice {
    std::filesystem::path file;
    std::string sop_class_uid, sop_instance_uid;
    int frame = 0;  ///< from 1 in multi-frame files; 0 if the file is one slice
    /// Centre of its first pixel, in patient coordinates. After gaps, and if slices are unequally spaced, this
    /// differs from the volume's grid.
    Eigen::Vector3d position_mm = Eigen::Vector3d::Zero();
  };
  std::vector<Slice> slices;  ///< one for each k
};

/// A display window, in the volume's unit.
struct Window {
  double centre = 0, width = 1;
  std::string name;          ///< "lung"; may be empty
  bool is_inverted = false;  ///< displayed inverted relative to the image's intended polarity
};

/// The scale of an image's values.
enum class ValueScale {
  stored,              ///< as in the file: Bq/ml for PET
  suv_body_weight,     ///< for PET: standardised uptake values by body weight, in g/ml
  suv_lean_body_mass,  ///< by lean body mass, in g/ml
  suv_body_surface     ///< by body surface area, in cm²/ml
};

/// An opened image.
struct Document {
  std::filesystem::path path;  ///< the file, or the folder of the series
  std::string title;           ///< "CT abdomen, 120 slices"
  Volume volume;
  ValueScale values = ValueScale::stored;  ///< of `volume` and `windows`
  std::optional<UptakeScale> uptake;       ///< for PET
  std::optional<DicomSource> dicom;
  grid::TimePoints time;  ///< of a file or series that has several volumes at the same position
  /// Segmentations and structure sets in the folder, whose contours can be imported.
  std::vector<std::filesystem::path> overlays;
  std::vector<std::filesystem::path> data_files;  ///< that hold voxels, where `path` is only their header
  std::vector<Window> windows;                    ///< from the file, best first; may be empty
  Remarks remarks;                                ///< gaps, unequal spacing, slices left out, assumptions
};

struct ReadOptions {
  std::string series_uid;  ///< for a folder; empty: the only one, or an Error that lists them all
  int time_point = 0;      ///< TimePoints::index of the volume
  /// Whether a remark names the other volumes and how a window chooses them.
  bool mentions_others = true;
  /// Whether a remark counts values that are not finite; not for callers that replace them, with a remark of their own.
  bool mentions_not_finite = true;
  ValueScale values = ValueScale::stored;
};
/// All files that the image was read from.
std::vector<std::filesystem::path> files_of(const Document& image);

/// Factor that converts an image's values to another scale: SUV per stored value. Throws Error with the reason if
/// the image cannot be converted.
double factor_of(const Document& image, ValueScale values);
/// The image as read, with its values and windows in another scale; its voxels are shared. Throws Error as factor_of
/// does.
Document in_scale(Document image, ValueScale values);

/// Whether they differ only in time point or scale: the same grid of the same file.
bool differ_in_values_alone(const Document& one, const Document& other);

/// Whether `read_image` would accept this file or folder as an image, by its suffix or its first bytes.
bool is_image(const std::filesystem::path& path);

/// Writes a volume as NRRD, NIfTI or MetaImage by the suffix (.nrrd, .nii, .nii.gz, .mha), with its geometry; slope
/// and intercept are applied unless 1 and 0. Without `has_sides` no file states any; the remarks say what else a format
/// cannot hold then. The file appears as a whole or not at all.
Remarks write_volume(const Volume& volume, const std::filesystem::path& path);

}  // namespace isolume::images
