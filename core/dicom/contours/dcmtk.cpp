#include "core/dicom/contours/dcmtk.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/colour.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace isolume::dicom {
std::unique_ptr<DcmFileFormat> load(const std::filesystem::path& path,
                                    std::initializer_list<std::string_view> sop_classes,
                                    const std::string& what) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw InputError(path, 0, "there is no such file");
  auto file = open_dicom(path);
  const std::string found = text(*file->getDataset(), DCM_SOPClassUID);
  if (std::ranges::find(sop_classes, found) == sop_classes.end()) {
    const char* name = dcmFindNameOfUID(found.c_str());
    throw InputError(path, 0,
                     fmt::format("not {} but {}", what,
                                 name != nullptr ? std::string(name) : "SOP class " + isolume::quoted(found)),
                     "Choose another file.");
  }
  file->getDataset()->convertToUTF8();
  return file;
}

std::string text(DcmItem& item, const DcmTagKey& tag) {
  return std::string(trimmed(text_of(item, tag)));
}

std::vector<DcmItem*> items(DcmItem& parent, const DcmTagKey& sequence) {
  std::vector<DcmItem*> found;
  DcmSequenceOfItems* list = nullptr;
  if (parent.findAndGetSequence(sequence, list).bad() || list == nullptr) return found;
  // getItem(i) walks from the first item each time; the list knows the next one.
  for (DcmObject* item = list->nextInContainer(nullptr); item != nullptr;
       item = list->nextInContainer(item)) {
    if (auto* each = dynamic_cast<DcmItem*>(item)) found.push_back(each);
  }
  return found;
}

std::string decimal_text(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.size() > 16) return fmt::format("{:.9g}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

OFString limited(const std::string& text, std::size_t characters) {
  std::string result;
  std::size_t count = 0;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    const bool begins_character = (byte & 0xC0U) != 0x80U;
    if (begins_character && ++count > characters) break;
    result += each == '\\' ? '/' : byte < 0x20 || byte == 0x7F ? ' ' : each;
  }
  return {result.data(), result.size()};
}

std::string new_uid() {
  char uid[65];
  return dcmGenerateUniqueIdentifier(uid, SITE_INSTANCE_UID_ROOT);
}

std::array<int, 3> rgb_or_orange(const std::string& colour) {
  return rgb_of(colour).value_or(std::array{230, 159, 0});
}

std::string colour_of(const std::array<int, 3>& rgb) {
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

const images::DicomSource& source_of(const images::Document& image, const std::string& what) {
  if (!image.dicom || image.dicom->series_uid.empty() || image.dicom->study_uid.empty()) {
    throw Error(
        fmt::format("{} must refer to the DICOM series it was drawn on, and {} is none. Export a label map "
                    "(.nrrd, .nii.gz) instead.",
                    what, image.path.filename().string()));
  }
  if (!image.dicom->is_placed) {
    throw Error(
        fmt::format("{} is written in the patient's coordinates, and {} does not say where it lies in them. "
                    "Export points (.csv) or a label map (.nrrd, .nii.gz) instead.",
                    what, image.path.filename().string()));
  }
  const auto& slices = image.dicom->slices;
  if (slices.size() != static_cast<std::size_t>(image.volume.geometry.dimensions[2])) {
    throw Error(fmt::format("{} must refer to the file of every slice, but {} of {} are known.", what,
                            slices.size(), image.volume.geometry.dimensions[2]));
  }
  return *image.dicom;
}

void require(const OFCondition& condition, const std::string& what) {
  if (condition.bad()) throw Error(fmt::format("{}: {}.", what, condition.text()));
}

void save(DcmDataset& data, const std::filesystem::path& path, E_TransferSyntax syntax) {
  AtomicFile file(path);
  DcmFileFormat format(&data);
  require(write_dicom(format, syntax, file.stream()), "Could not write " + path.string());
  file.commit();
}

}  // namespace isolume::dicom
