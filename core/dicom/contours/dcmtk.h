#pragma once

#include <array>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>

#include "core/dicom/data/dicom_file.h"
#include "core/images/document.h"

/// What reading and writing these objects have in common.
namespace isolume::dicom {

/// Labelmap Segmentation Storage, which DCMTK 3.6.7 does not know.
constexpr const char* label_map_segmentation = "1.2.840.10008.5.1.4.1.1.66.7";

/// Reads a file without the values of its long elements, and converts its texts to UTF-8. Throws InputError for files
/// that are not DICOM, are damaged, or have an SOP class other than these.
std::unique_ptr<DcmFileFormat> load(const std::filesystem::path& path,
                                    std::initializer_list<std::string_view> sop_classes,
                                    const std::string& what);

/// The element's text, UTF-8, without padding; all values separated by backslashes. Empty if missing.
std::string text(DcmItem& item, const DcmTagKey& tag);
/// Items of a sequence; none if it is missing.
std::vector<DcmItem*> items(DcmItem& parent, const DcmTagKey& sequence);

/// A decimal string of at most 16 characters: six decimals by default, which is a nanometre for mm, or fewer digits
/// for very large numbers.
std::string decimal_text(double value, int decimals = 6);
/// A value for a text of limited length: control characters and backslashes, which separate values, are replaced, and
/// the text is cut at character boundaries.
OFString limited(const std::string& text, std::size_t characters);
std::string new_uid();

/// Components of "#e6b800", 0 to 255; orange for invalid text. And the inverse.
std::array<int, 3> rgb_or_orange(const std::string& colour);
std::string colour_of(const std::array<int, 3>& rgb);

/// The data that an image must have to be referred to. Throws Error naming what is missing.
const images::DicomSource& source_of(const images::Document& image, const std::string& what);

/// Throws Error with DCMTK's message if a step failed.
void require(const OFCondition& condition, const std::string& what);

/// Writes the data set as a file, as a whole or not at all.
void save(DcmDataset& data, const std::filesystem::path& path, E_TransferSyntax syntax);

}  // namespace isolume::dicom
