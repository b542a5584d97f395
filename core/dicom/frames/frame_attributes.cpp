#include "core/dicom/frames/frame_attributes.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dicom/data/dicom_file.h"

namespace isolume::dicom {
namespace {

/// "RescaleSlope (0028,1053)"
std::string name_of(const DcmTagKey& key) {
  DcmTag tag(key);
  return fmt::format("{} {}", tag.getTagName(), key.toString().c_str());
}

void remark_on_commas(const ReadNumbers& read, const DcmTagKey& tag, Remarks& remarks) {
  if (!read.has_commas) return;
  remarks.corrected(
      fmt::format("{} is written with a decimal comma, which is read as a decimal point.", name_of(tag)));
}

}  // namespace

FrameAttributes::FrameAttributes(std::filesystem::path file, DcmDataset& dataset, Remarks& remarks)
    : file_(std::move(file)),
      shared_(item_of(dataset, DCM_SharedFunctionalGroupsSequence)),
      dataset_(&dataset),
      remarks_(&remarks) {}

std::vector<double> FrameAttributes::numbers(const DcmTagKey& sequence, const DcmTagKey& tag) const {
  DcmItem* item = item_with(sequence, tag);
  return item != nullptr ? numbers(*item, tag) : std::vector<double>{};
}

std::vector<double> FrameAttributes::numbers(DcmItem& item, const DcmTagKey& tag) const {
  ReadNumbers read = read_numbers(item, tag);
  if (read.is_unreadable) {
    throw InputError(file_, 0,
                     fmt::format("its {} is {}, which is not a number", name_of(tag),
                                 isolume::quoted(text_of(item, tag), 64)),
                     "Correct the header, or export it again.");
  }
  remark_on_commas(read, tag, *remarks_);
  return std::move(read.numbers);
}

std::optional<double> FrameAttributes::number(DcmItem& item, const DcmTagKey& tag) const {
  const std::vector<double> all = numbers(item, tag);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::vector<double> FrameAttributes::numbers_if_readable(const DcmTagKey& sequence,
                                                         const DcmTagKey& tag) const {
  DcmItem* item = item_with(sequence, tag);
  if (item == nullptr) return {};
  ReadNumbers read = read_numbers(*item, tag);
  if (read.is_unreadable) {
    remarks_->dropped(fmt::format("{} is {}, which is not a number: it is not used.", name_of(tag),
                                  isolume::quoted(text_of(*item, tag), 64)));
  }
  remark_on_commas(read, tag, *remarks_);
  return std::move(read.numbers);
}

std::string FrameAttributes::text(const DcmTagKey& sequence, const DcmTagKey& tag) const {
  DcmItem* item = item_with(sequence, tag);
  return item != nullptr ? text_of(*item, tag) : std::string{};
}

DcmItem* FrameAttributes::item_with(const DcmTagKey& sequence, const DcmTagKey& tag) const {
  for (DcmItem* groups : {frame_, shared_}) {
    DcmItem* item = groups != nullptr ? item_of(*groups, sequence) : nullptr;
    if (item != nullptr && item->tagExistsWithValue(tag)) return item;
  }
  return dataset_->tagExistsWithValue(tag) ? dataset_ : nullptr;
}

}  // namespace isolume::dicom
