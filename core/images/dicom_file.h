#pragma once

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>

namespace isolume::images {

/// Before anything else of DCMTK: keeps its own log off the terminal (what matters of it is in errors), and
/// has elements that were written with an unknown VR read by the dictionary's.
void prepare_dcmtk();

/// Parses a DICOM file up to the tag given. Values longer than 4 KiB (the pixels) stay in the file until they
/// are asked for; those of a file that is packed with gzip are unpacked. Throws InputError; for what is no
/// DICOM at all, its message says so.
std::unique_ptr<DcmFileFormat> open_dicom(const std::filesystem::path& file,
                                          const DcmTagKey& until = DCM_UndefinedTagKey);
/// Null instead of an error.
std::unique_ptr<DcmFileFormat> try_open_dicom(const std::filesystem::path& file,
                                              const DcmTagKey& until = DCM_UndefinedTagKey);

/// Writes a file into a stream, in pieces: DCMTK's own writing to a path does not tell when the last bytes
/// find no room. Returns DCMTK's complaint; whether the stream took the bytes is told by the stream.
OFCondition write_dicom(DcmFileFormat& format, E_TransferSyntax syntax, std::ostream& out);

/// All values of an element, parted by backslashes; empty where it is not there. Call `convertToUTF8` of the
/// data set before; what is no UTF-8 even then (the file does not name its character set) is taken as
/// Latin-1.
std::string text_of(DcmItem& item, const DcmTagKey& tag);
std::string text_of(DcmElement& element);

/// The numbers of a DS, IS or binary element.
struct ReadNumbers {
  std::vector<double> numbers;  ///< empty where the element is missing or empty, or one value is not a number
  bool is_unreadable = false;   ///< whether a value is there that is not a number
  bool has_commas = false;      ///< decimal commas, which are read as points (against PS3.5, table 6.2-1)
};
ReadNumbers read_numbers(DcmItem& item, const DcmTagKey& tag);
/// The numbers alone, where the caller names what is missing.
std::vector<double> numbers_of(DcmItem& item, const DcmTagKey& tag);
std::optional<double> number_of(DcmItem& item, const DcmTagKey& tag);
/// 0 where it is missing.
int whole_number_of(DcmItem& item, const DcmTagKey& tag);

/// Parts of a text with several values, without spaces around.
std::vector<std::string> values_of(std::string_view text);

/// Item `index` of a sequence; null where there is none.
DcmItem* item_of(DcmItem& parent, const DcmTagKey& sequence, int index = 0);

}  // namespace isolume::images
