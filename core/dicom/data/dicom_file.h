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

namespace isolume::dicom {

/// Must be called before anything else of DCMTK: keeps its log off the terminal (errors contain the relevant parts),
/// and makes it read elements of unknown VR with that of the dictionary.
void prepare_dcmtk();

/// Parses a DICOM file up to the given tag. Values longer than 4 KiB (the pixels) stay in the file until they are
/// requested; those of a gzipped file are decompressed. Throws InputError; if the file is not DICOM at all, its
/// message says so.
std::unique_ptr<DcmFileFormat> open_dicom(const std::filesystem::path& file,
                                          const DcmTagKey& until = DCM_UndefinedTagKey);
/// Returns null instead of throwing.
std::unique_ptr<DcmFileFormat> try_open_dicom(const std::filesystem::path& file,
                                              const DcmTagKey& until = DCM_UndefinedTagKey);

/// Writes a file to a stream, in pieces: DCMTK's own writing to a path does not report a full disk for the last
/// bytes. Returns DCMTK's status; the stream's state shows whether it accepted the bytes.
OFCondition write_dicom(DcmFileFormat& format, E_TransferSyntax syntax, std::ostream& out);

/// All values of an element, separated by backslashes; empty if it is missing. Call `convertToUTF8` of the data set
/// before; text that is not valid UTF-8 even then (the file does not name its character set) is taken as Latin-1.
std::string text_of(DcmItem& item, const DcmTagKey& tag);
std::string text_of(DcmElement& element);

/// The numbers of a DS, IS or binary element.
struct ReadNumbers {
  std::vector<double> numbers;  ///< empty if the element is missing or empty, or one value is not a number
  bool is_unreadable = false;   ///< whether there is a value that is not a number
  bool has_commas = false;      ///< decimal commas, which are read as points (against PS3.5, table 6.2-1)
};
ReadNumbers read_numbers(DcmItem& item, const DcmTagKey& tag);
/// The same for a text of values separated by backslashes.
ReadNumbers numbers_in(std::string_view text, bool may_have_commas);
/// Only the numbers, if the caller reports what is missing.
std::vector<double> numbers_of(DcmItem& item, const DcmTagKey& tag);
std::optional<double> number_of(DcmItem& item, const DcmTagKey& tag);
/// 0 if it is missing.
int whole_number_of(DcmItem& item, const DcmTagKey& tag);

/// The parts of a text with several values, without surrounding spaces.
std::vector<std::string> values_of(std::string_view text);

/// Item `index` of a sequence; null if there is none.
DcmItem* item_of(DcmItem& parent, const DcmTagKey& sequence, int index = 0);

}  // namespace isolume::dicom
