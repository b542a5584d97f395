#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"

class DcmDataset;
class DcmItem;
class DcmTagKey;

namespace isolume::images {

/// Where a frame's attributes are looked for: its functional groups, those that all frames share (multi-frame files of
/// the enhanced kind, PS3.3 C.7.6.16), the data set itself. Numbers with decimal commas are read, and said.
class FrameAttributes {
 public:
  FrameAttributes(std::filesystem::path file, DcmDataset& dataset, Remarks& remarks);
  /// The functional groups of the frame that is asked about; null: it has none of its own.
  void set_frame(DcmItem* groups) { frame_ = groups; }
  DcmItem& dataset() const { return *dataset_; }
  Remarks& remarks() const { return *remarks_; }

  /// The numbers of an attribute, which in functional groups is an item of the sequence given; empty where there are
  /// none. Throws InputError where one is not a number: the image depends on it.
  std::vector<double> numbers(const DcmTagKey& sequence, const DcmTagKey& tag) const;
  std::vector<double> numbers(DcmItem& item, const DcmTagKey& tag) const;
  std::optional<double> number(DcmItem& item, const DcmTagKey& tag) const;
  /// The same of attributes without which the image can be read: what is not a number is a remark, and none.
  std::vector<double> numbers_if_readable(const DcmTagKey& sequence, const DcmTagKey& tag) const;
  std::string text(const DcmTagKey& sequence, const DcmTagKey& tag) const;

 private:
  DcmItem* item_with(const DcmTagKey& sequence, const DcmTagKey& tag) const;

  std::filesystem::path file_;
  DcmItem* frame_ = nullptr;
  DcmItem* shared_;
  DcmItem* dataset_;
  Remarks* remarks_;
};

}  // namespace isolume::images
