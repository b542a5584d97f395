#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/base/remarks.h"
#include "core/dicom/pixels/modality_lut.h"
#include "core/dicom/pixels/pixel_layout.h"
#include "core/images/document.h"
#include "core/images/geometry.h"
#include "core/images/uptake.h"

class DcmDataset;

namespace isolume::dicom {

/// One slice of a file.
struct Frame {
  std::size_t file = 0;  ///< index among the files read
  int number = 0;        ///< within the file, from 0
  struct Place {
    Eigen::Vector3d position_mm;  ///< centre of the first pixel
    Eigen::Vector3d x, y;         ///< unit vectors along rows and columns
  };
  std::optional<Place> place;
  Eigen::Vector2d spacing_mm{1, 1};
  std::vector<images::ScaledRegion> regions;  ///< of ultrasound, as Geometry has them
  double step_mm = 0;                         ///< to the next slice, as stated in the file; 0 if it is not
  std::optional<double> location_mm;          ///< Slice Location, along an axis that the file does not state
  bool is_moment = false;                     ///< one of several times (Frame Time)
  /// Attributes that may distinguish frames at the same position; 0 if the file does not state them.
  enum Order {
    energy_window,
    detector,
    rr_interval,
    time_slot,
    phase,
    time_slice,
    dimension,  ///< the first of six columns of Dimension Index Values
    temporal_position = dimension + 6,
    cardiac_phase,
    echo,
    echo_time,
    inversion_time,
    b_value,
    gradient,
    tube_voltage,
    image_type,
    frame_time,
    trigger_time,
    acquisition,
    acquisition_moment,
    content_moment,
    instance,  ///< and what follows: numbers, which do not say what a frame is
    frame_number,
    order_size
  };
  /// Sort keys of frames at the same position.
  std::array<double, order_size> order{};
  /// Texts that take part in the order by their ranks among all frames.
  std::string type_text, gradient_text;
  double slope = 1, intercept = 0;
  std::vector<images::Window> windows;
};

/// Description of one file's frames.
struct FileFrames {
  std::string sop_class_uid, sop_instance_uid;
  std::string patient_id, study_uid, frame_of_reference_uid;
  std::string unit;          ///< of grey values
  std::string rescale_type;  ///< unit as the file names it
  bool is_multi_frame = false;
  PixelLayout layout;  ///< of a frame
  /// Gives the values of grey frames; null: their slope and intercept do.
  std::shared_ptr<const ModalityLut> lut;
  /// For a mosaic, whose tiles are the frames: numbers of tiles in the picture.
  int tiles_across = 1, tiles_down = 1;
  std::vector<Frame> frames;
  std::optional<images::UptakeScale> uptake;  ///< for PET
  Remarks remarks;                            ///< the same sentence for every file with the same fault
};
/// From Image Position and Image Orientation (Patient); nothing if they do not define a plane.
std::optional<Frame::Place> place_at(const std::vector<double>& position_mm, const std::vector<double>& axes);

/// Throws InputError if there is no image, or it is of an unsupported kind.
FileFrames frames_of(const std::filesystem::path& file, DcmDataset& dataset);

/// Groups frames by height along the normal of the first, lowest first; frames at the same position are grouped. All
/// must have a position.
std::vector<std::vector<Frame>> by_place(std::vector<Frame> frames);

/// Frames at different positions, and what distinguishes them from those of other stacks: "phase 2 of 10".
struct FrameStack {
  std::string name;  ///< empty if the series is one stack
  std::vector<Frame> frames;
};
/// One stack if frames do not state their position, or repeat at less than half of their positions; all must share
/// orientation and pixel spacing. Frames that lie next to each other are stacks of their own, the largest first. Split by
/// temporal position, echo, b-value, kind of image, acquisition or times if these distinguish frames at the same
/// position, else by the order of their numbers; a remark says if these leave it uncertain.
std::vector<FrameStack> split_stacks(std::vector<Frame> frames, const PixelLayout& layout, Remarks& remarks);

/// Frames in the order of the volume's slices, and their positions.
struct Stack {
  std::vector<Frame> frames;
  images::Geometry geometry;
};
/// How users can identify a frame: "IM0004", "IM0004 frame 12".
using NameOfFrame = std::function<std::string(const Frame&)>;
/// The largest group of frames with the same orientation and pixel spacing, with positions if any has one.
std::vector<Frame> alike_frames(std::vector<Frame> frames, const NameOfFrame& name_of, Remarks& remarks);
/// Sorts similar frames by their positions along the normal, keeps one for each position, and fits a regular grid to
/// them; warns of all deviations from it, with numbers.
Stack stack_frames(std::vector<Frame> frames, const PixelLayout& layout, const NameOfFrame& name_of,
                   Remarks& remarks);

}  // namespace isolume::dicom
