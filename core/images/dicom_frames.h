#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/base/remarks.h"
#include "core/images/document.h"
#include "core/images/geometry.h"
#include "core/images/uptake.h"

class DcmDataset;

namespace isolume::images {

/// How the pixels of a DICOM file are stored.
struct PixelLayout {
  int columns = 0, rows = 0;
  int samples = 1;  ///< a pixel: 3 for colours
  int bits_allocated = 16, bits_stored = 16, high_bit = 15;
  bool is_signed = false;
  bool is_float = false;   ///< Float or Double Float Pixel Data
  bool is_planar = false;  ///< all red, then all green, then all blue
  std::string photometric;

  bool operator==(const PixelLayout&) const = default;
  std::size_t pixels() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
  /// Of a frame as a decoder or the file hands it over.
  std::size_t frame_bytes() const;
  /// Numbers with a meaning of their own, not colours.
  bool is_grey() const { return samples == 1 && photometric != "PALETTE COLOR"; }
};

/// One slice of a file.
struct Frame {
  std::size_t file = 0;  ///< which of the files read
  int number = 0;        ///< within the file, from 0
  struct Place {
    Eigen::Vector3d position_mm;  ///< centre of the first pixel
    Eigen::Vector3d x, y;         ///< unit vectors along rows and columns
  };
  std::optional<Place> place;
  Eigen::Vector2d spacing_mm{1, 1};
  std::vector<ScaledRegion> regions;  ///< of ultrasound, as Geometry has them
  double step_mm = 0;                 ///< to the next slice, as the file says; 0 where it does not
  /// What may tell frames at one place apart; 0 where the file does not say.
  enum Order {
    energy_window,
    detector,
    rr_interval,
    time_slot,
    phase,
    time_slice,
    temporal_position,
    cardiac_phase,
    echo,
    echo_time,
    inversion_time,
    b_value,
    frame_time,
    trigger_time,
    acquisition,
    instance,
    frame_number,
    order_size
  };
  /// Which comes first of frames at one place.
  std::array<double, order_size> order{};
  double slope = 1, intercept = 0;
  std::vector<Window> windows;
};

/// What one file says of its frames.
struct FileFrames {
  std::string sop_class_uid, sop_instance_uid;
  bool is_multi_frame = false;
  PixelLayout layout;  ///< of a frame
  /// Of a mosaic, whose tiles are the frames: how many lie side by side in the picture.
  int tiles_across = 1, tiles_down = 1;
  std::vector<Frame> frames;
  std::optional<UptakeScale> uptake;  ///< of PET
  Remarks remarks;                    ///< the same sentence for every file with the same fault
};
/// From Image Position and Image Orientation (Patient); nothing where they do not make a plane.
std::optional<Frame::Place> place_at(const std::vector<double>& position_mm, const std::vector<double>& axes);

/// Throws InputError where there is no image, or one of a kind that cannot be read.
FileFrames frames_of(const std::filesystem::path& file, DcmDataset& dataset);

/// Frames by their height along the normal of the first, lowest first; those of a place are together. All
/// must have a place.
std::vector<std::vector<Frame>> by_place(std::vector<Frame> frames);

/// Frames of which no two lie at one place, and what tells them from the others: "phase 2 of 10".
struct FrameStack {
  std::string name;  ///< empty where the series is one stack
  std::vector<Frame> frames;
};
/// One stack where frames do not say where they lie, or repeat at less than half of their places; all must share
/// orientation and pixel spacing. By temporal position, echo, b-value, acquisition or trigger time where these tell frames at one
/// place apart, else in the order of their numbers.
std::vector<FrameStack> split_stacks(std::vector<Frame> frames);

/// Frames in the order of the volume's slices, and where they lie.
struct Stack {
  std::vector<Frame> frames;
  Geometry geometry;
};
/// What a person finds a frame by: "IM0004", "IM0004 frame 12".
using NameOfFrame = std::function<std::string(const Frame&)>;
/// The frames of which most share orientation and pixel spacing, and say where they lie if any does.
std::vector<Frame> alike_frames(std::vector<Frame> frames, const NameOfFrame& name_of, Remarks& remarks);
/// Orders alike frames by their places along the normal, keeps one for each place, and puts a regular grid on them;
/// warns of everything that does not fit it, with numbers.
Stack stack_frames(std::vector<Frame> frames, const PixelLayout& layout, const NameOfFrame& name_of,
                   Remarks& remarks);

}  // namespace isolume::images
