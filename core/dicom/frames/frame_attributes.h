#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"

class DcmDataset;
class DcmItem;
class DcmTagKey;

namespace isolume::dicom {

/// Looks up a frame's attributes: in its functional groups, those shared by all frames (enhanced multi-frame files,
/// PS3.3 C.7.6.16), and the data set itself. Numbers with decimal commas are read, with a remark.
class FrameAttributes {
 public:
  FrameAttributes(std::filesystem::path file, DcmDataset& dataset, Remarks& remarks);
  /// Sets the functional groups of the current frame; null: it has none of its own.
  void set_frame(DcmItem* groups) { frame_ = groups; }
  DcmItem& dataset() const { return *dataset_; }
  Remarks& remarks() const { return *remarks_; }

  /// The numbers of an attribute, which in functional groups is in an item of the given sequence; empty if there are
  /// none. Throws InputError if one is not a number: the image depends on it.
  std::vector<double> numbers(const DcmTagKey& sequence, const DcmTagKey& tag) const;
  std::vector<double> numbers(DcmItem& item, const DcmTagKey& tag) const;
  std::optional<double> number(DcmItem& item, const DcmTagKey& tag) const;
  /// The same for optional attributes: a value that is not a number becomes a remark, and counts as missing.
  std::vector<double> numbers_if_readable(const DcmTagKey& sequence, const DcmTagKey& tag) const;
  std::string text(const DcmTagKey& sequence, const DcmTagKey& tag) const;
  /// The item that holds an attribute: as for `numbers`; null if there is none.
  DcmItem* item_with(const DcmTagKey& sequence, const DcmTagKey& tag) const;

 private:
  std::filesystem::path file_;
  DcmItem* frame_ = nullptr;
  DcmItem* shared_;
  DcmItem* dataset_;
  Remarks* remarks_;
};

}  // namespace isolume::dicom
