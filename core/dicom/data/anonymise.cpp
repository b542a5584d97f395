#include <map>
#include <utility>

#include <dcmtk/ofstd/ofuuid.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/dicom/data/confidentiality.h"
#include "core/dicom/data/dicom_file.h"
#include "core/dicom/data/header.h"

namespace isolume::dicom {
namespace {

namespace fs = std::filesystem;

/// Consistent replacement of UIDs. New ones are random numbers (PS3.5 B.2), so that they reveal nothing about this
/// machine.
class NewUids {
 public:
  std::string of(const std::string& old) {
    std::string& made = uids_[old];
    if (made.empty()) {
      OFString text;
      made = OFUUID().toString(text, OFUUID::ER_RepresentationOID).c_str();
    }
    return made;
  }

 private:
  std::map<std::string, std::string> uids_;
};

void replace_uids(DcmElement& element, NewUids& uids) {
  std::string replaced;
  for (const std::string& uid : values_of(text_of(element))) {
    replaced += (replaced.empty() ? "" : "\\") + uids.of(uid);
  }
  element.putString(replaced.c_str());
}

/// A valid but uninformative value, for attributes that must have one.
void replace_value(DcmElement& element) {
  const bool was_empty = element.isEmpty();
  element.clear();
  if (was_empty) return;
  switch (element.getVR()) {
    case EVR_DA:
      element.putString("19000101");
      return;
    case EVR_DT:
      element.putString("19000101000000");
      return;
    case EVR_TM:
      element.putString("000000");
      return;
    case EVR_DS:
    case EVR_IS:
      element.putString("0");
      return;
    default:
      if (element.isaString()) element.putString("REMOVED");
  }
}

void make_anonymous(DcmItem& item, NewUids& uids);

void make_anonymous(DcmElement& element, NewUids& uids) {
  const bool is_sequence = element.ident() == EVR_SQ;
  switch (confidentiality_of(element.getTag().getGroup(), element.getTag().getElement())) {
    case Confidentiality::empty:
      element.clear();
      return;
    case Confidentiality::replace_value:
      replace_value(element);
      return;
    case Confidentiality::replace_uid:
      if (!is_sequence) replace_uids(element, uids);
      break;
    case Confidentiality::keep:
    case Confidentiality::remove:  // removed already
      break;
  }
  if (!is_sequence) return;
  auto& sequence = static_cast<DcmSequenceOfItems&>(element);
  for (unsigned long at = 0; at < sequence.card(); ++at) make_anonymous(*sequence.getItem(at), uids);
}

void make_anonymous(DcmItem& item, NewUids& uids) {
  std::vector<DcmTagKey> removed;
  for (DcmObject* object = item.nextInContainer(nullptr); object != nullptr;
       object = item.nextInContainer(object)) {
    const DcmTagKey tag = object->getTag();
    if (confidentiality_of(tag.getGroup(), tag.getElement()) == Confidentiality::remove) {
      removed.push_back(tag);
    } else {
      make_anonymous(static_cast<DcmElement&>(*object), uids);
    }
  }
  for (const DcmTagKey& tag : removed) item.findAndDeleteElement(tag, OFTrue);
}

/// PS3.15 E.3: records what was done, and by which profile (PS3.16 CID 7050).
void tell_of_removal(DcmDataset& dataset) {
  dataset.putAndInsertString(DCM_PatientIdentityRemoved, "YES");
  dataset.putAndInsertString(DCM_DeidentificationMethod, "Isolume: PS3.15 Basic Profile");
  dataset.putAndInsertString(DCM_LongitudinalTemporalInformationModified, "REMOVED");
  DcmItem* code = nullptr;
  dataset.findOrCreateSequenceItem(DCM_DeidentificationMethodCodeSequence, code, 0);
  code->putAndInsertString(DCM_CodeValue, "113100");
  code->putAndInsertString(DCM_CodingSchemeDesignator, "DCM");
  code->putAndInsertString(DCM_CodeMeaning, "Basic Application Confidentiality Profile");
}

void write_copy(const fs::path& source, const fs::path& target, NewUids& uids, Remarks& remarks) {
  const auto original = open_dicom(source);
  if (text_of(*original->getDataset(), DCM_BurnedInAnnotation) == "YES") {
    remarks.warn(
        fmt::format("{}: names may be burnt into the picture itself (BurnedInAnnotation). Look at it before "
                    "you pass {} on.",
                    source.string(), target.filename().string()));
  }
  const E_TransferSyntax syntax = original->getDataset()->getOriginalXfer();
  // A new file around the data set: nothing of the old preamble and meta header is kept.
  DcmFileFormat copy(original->getAndRemoveDataset(), OFFalse);
  make_anonymous(*copy.getDataset(), uids);
  tell_of_removal(*copy.getDataset());
  AtomicFile file(target);
  const OFCondition outcome = write_dicom(copy, syntax, file.stream());
  if (outcome.bad()) {
    throw Error(fmt::format("{}: a copy of it cannot be written ({}). Copy or export the file again.",
                            source.string(), outcome.text()));
  }
  file.commit();
  // Items and values with damaged lengths may be readable, but be written such that they are unreadable.
  if (try_open_dicom(target) == nullptr) {
    throw Error(fmt::format("{}: damaged, a copy of it cannot be read. Copy or export the file again.",
                            source.string()));
  }
}

/// Files written next to their final positions, which are moved there all at once or not at all.
class Batch {
 public:
  explicit Batch(fs::path folder)
      : folder_(std::move(folder)), partial_(folder_ / fmt::format(".{}", ::getpid())) {
    std::error_code failed;
    made_folder_ = fs::create_directories(folder_, failed);
    if (!failed) fs::create_directory(partial_, failed);
    if (failed) {
      throw Error(fmt::format("{}: cannot be written to ({}). Choose another folder.", folder_.string(),
                              failed.message()));
    }
  }
  ~Batch() {
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
    if (made_folder_ && !committed_) fs::remove(folder_, ignored);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  fs::path next() { return partial_ / fmt::format("{:06}.dcm", ++count_); }
  void commit() {
    for (const fs::directory_entry& file : fs::directory_iterator(partial_)) {
      fs::rename(file.path(), folder_ / file.path().filename());
    }
    committed_ = true;
  }

 private:
  fs::path folder_, partial_;
  std::size_t count_ = 0;
  bool made_folder_ = false, committed_ = false;
};

void require_free_names(const fs::path& folder, std::size_t count) {
  for (std::size_t number = 1; number <= count; ++number) {
    const fs::path target = folder / fmt::format("{:06}.dcm", number);
    if (fs::exists(target)) {
      throw Error(fmt::format("{}: exists already. Choose an empty folder.", target.string()));
    }
  }
}

}  // namespace

Remarks write_anonymised(const std::vector<fs::path>& files, const fs::path& folder,
                         const jobs::Progress& progress) {
  require_free_names(folder, files.size());
  Remarks remarks;
  NewUids uids;
  Batch batch(folder);
  for (std::size_t at = 0; at < files.size(); ++at) {
    progress.check();
    write_copy(files[at], batch.next(), uids, remarks);
    progress.report(static_cast<double>(at + 1) / static_cast<double>(files.size()), "writing copies");
  }
  batch.commit();
  return remarks;
}

}  // namespace isolume::dicom
