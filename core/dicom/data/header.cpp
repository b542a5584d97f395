#include "core/dicom/data/header.h"

#include <fmt/format.h>
#include <gdcmDict.h>
#include <gdcmDictEntry.h>
#include <gdcmDicts.h>
#include <gdcmGlobal.h>

#include "core/base/error.h"
#include "core/dicom/data/confidentiality.h"
#include "core/dicom/data/dicom_file.h"

namespace isolume::dicom {
namespace {

/// GDCM knows the standard's names ("Patient's Name"), DCMTK only its keywords.
std::string name_of(const DcmTag& tag) {
  if (tag.getGroup() % 2 == 1) return "Private";
  if (tag.getElement() == 0) return "Group Length";
  const gdcm::Dict& dictionary = gdcm::Global::GetInstance().GetDicts().GetPublicDict();
  const gdcm::Tag wanted(tag.getGroup(), tag.getElement());
  const char* name = dictionary.GetDictEntry(wanted).GetName();
  return name != nullptr && *name != '\0' ? name : "Unknown";
}

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 200;
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a character
  return text.substr(0, end) + "...";
}

std::string value_of(DcmElement& element) {
  if (auto* sequence = dynamic_cast<DcmSequenceOfItems*>(&element)) {
    return fmt::format("{} item{}", sequence->card(), sequence->card() == 1 ? "" : "s");
  }
  constexpr Uint32 longest_list_bytes = 256;
  const Uint32 bytes = element.getLength();
  if (element.getTag() == DCM_PixelData || (!element.isaString() && bytes > longest_list_bytes)) {
    return bytes == DCM_UndefinedLength ? "compressed" : fmt::format("{} bytes", bytes);
  }
  return shortened(text_of(element));
}

void list(DcmItem& item, int depth, bool in_identifying, std::vector<HeaderEntry>& entries) {
  for (DcmObject* object = item.nextInContainer(nullptr); object != nullptr;
       object = item.nextInContainer(object)) {
    auto& element = static_cast<DcmElement&>(*object);
    const DcmTag& tag = element.getTag();
    const bool identifying =
        in_identifying || confidentiality_of(tag.getGroup(), tag.getElement()) != Confidentiality::keep;
    entries.push_back({.tag = fmt::format("({:04x},{:04x})", tag.getGroup(), tag.getElement()),
                       .vr = DcmVR(element.getVR()).getValidVRName(),
                       .name = name_of(tag),
                       .value = value_of(element),
                       .depth = depth,
                       .identifying = identifying});
    auto* sequence = dynamic_cast<DcmSequenceOfItems*>(&element);
    if (sequence == nullptr) continue;
    for (DcmObject* child = sequence->nextInContainer(nullptr); child != nullptr;
         child = sequence->nextInContainer(child)) {
      if (auto* child_item = dynamic_cast<DcmItem*>(child))
        list(*child_item, depth + 1, identifying, entries);
    }
  }
}

}  // namespace

std::vector<HeaderEntry> read_header(const std::filesystem::path& file) {
  const auto format = open_dicom(file);
  format->getDataset()->convertToUTF8();
  std::vector<HeaderEntry> entries;
  list(*format->getMetaInfo(), 0, false, entries);
  list(*format->getDataset(), 0, false, entries);
  return entries;
}

}  // namespace isolume::dicom
