#include "core/dicom/pixels/modality_lut.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dicom/data/dicom_file.h"
#include "core/dicom/pixels/palette.h"

namespace isolume::dicom {

ModalityLut modality_lut_of(const std::filesystem::path& file, DcmItem& item, bool are_signed) {
  const auto refuse = [&](const std::string& problem) {
    throw InputError(file, 0, "the table of its values (Modality LUT) " + problem, "Export it again.");
  };
  const std::vector<double> descriptor = numbers_of(item, DCM_LUTDescriptor);
  const auto is_short = [](double number) { return number >= -32768 && number <= 65535; };
  if (descriptor.size() != 3 || !std::ranges::all_of(descriptor, is_short)) {
    refuse(fmt::format("has the descriptor {}, not three numbers of 16 bits",
                       isolume::quoted(text_of(item, DCM_LUTDescriptor), 64)));
  }
  // All three are stored with the same VR, by the sign of stored numbers, which is that of the second one alone.
  constexpr int words = 65536;
  const auto without_sign = [](double number) {
    return static_cast<int>(number < 0 ? number + words : number);
  };
  const int count = without_sign(descriptor[0]) == 0 ? words : without_sign(descriptor[0]);
  const int bits = without_sign(descriptor[2]);
  if (bits < 8 || bits > 16) refuse(fmt::format("has entries of {} bits, where 8 to 16 are known", bits));
  ModalityLut lut;
  lut.first = without_sign(descriptor[1]);
  if (are_signed && lut.first >= words / 2) lut.first -= words;
  const auto entries = lut_entries(item, DCM_LUTData, static_cast<std::size_t>(count), bits == 8 ? 8 : 16);
  if (!entries) refuse(fmt::format("is cut off: it promises {} entries", count));
  lut.values.assign(entries->begin(), entries->end());
  return lut;
}

}  // namespace isolume::dicom
