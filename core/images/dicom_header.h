#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// One line of a DICOM header.
struct HeaderEntry {
  std::string tag;    ///< "(0010,0010)"
  std::string vr;     ///< "PN"
  std::string name;   ///< "Patient's Name"; "Private" for private tags
  std::string value;  ///< UTF-8, shortened; binary data as "1024 bytes"
  int depth = 0;      ///< within sequences
  bool identifying =
      false;  ///< says or may say who the patient is (DICOM PS3.15, Table E.1-1, Basic Profile)
};
/// Throws InputError for a file that is no DICOM.
std::vector<HeaderEntry> read_header(const std::filesystem::path& file);

/// Writes copies of the files without what identifies the patient, after the Basic Application Level
/// Confidentiality Profile of DICOM PS3.15: identifying tags emptied or removed, private tags removed, UIDs
/// replaced consistently within the call, dates emptied; PatientIdentityRemoved and the method's code set.
/// Pixels are untouched: burnt-in names stay, and where the header says so (BurnedInAnnotation YES) a remark
/// is returned. Written into `folder` (made where missing) as 000001.dcm ...; nothing is left of a cancelled
/// call.
Remarks write_anonymised(const std::vector<std::filesystem::path>& files, const std::filesystem::path& folder,
                         const jobs::Progress& progress = {});

}  // namespace isolume::images
