#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "core/anatomy/atlas_parameters.h"
#include "core/base/program.h"
#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"
#include "core/volumes/counts.h"

namespace isolume::anatomy {

using volumes::Counts;
using volumes::VectorField;

/// An image of an atlas, and how it is deformed.
struct AtlasSubject {
  FieldValues compared;       ///< the values that are compared, at full resolution
  FieldValues image, warped;  ///< on the grid of a level
  std::vector<VectorField>
      fields;  ///< what the model keeps of the deformation; none: the image is not deformed
};

/// Which parts of a subject a pass needs or changes.
struct SubjectParts {
  bool compared = false, image = false, warped = false, fields = false;
};

/// The images of an atlas, in memory or, where they do not fit, in files of a scratch folder. A pass visits them one after the other.
/// From files, the next image is read while one is worked on and the one before is written, which takes at least the time of the longest
/// of the three (L. K. Ha, PhD thesis, University of Utah, 2011, chapter on out-of-core processing).
class AtlasStore {
 public:
  AtlasStore(std::size_t images, bool is_streamed);

  std::size_t size() const { return shapes_.size(); }
  bool is_streamed() const { return folder_ != nullptr; }

  using Visit = std::function<void(std::size_t index, AtlasSubject& subject)>;
  struct Pass {
    SubjectParts reads = {}, writes = {};
    Visit read_more = {};  ///< reads what is in other files, on another thread; null: nothing
  };
  /// Calls work for each image in order. What it sets of other parts is lost where images are in files. Throws Error where a
  /// file cannot be written, and Cancelled.
  void visit(const Pass& pass, const Visit& work, const jobs::Progress& progress = {});
  /// The first field of an image.
  VectorField field(std::size_t index) const;
  /// Those in memory; none where they are in files.
  std::vector<AtlasSubject>& subjects() { return subjects_; }

  /// Of all passes so far from files: the time of all stages, what they took together, and the least possible: the sum over
  /// passes of that of the longest stage.
  struct Times {
    double read = 0, work = 0, write = 0, elapsed = 0, bound = 0;  ///< seconds
    std::size_t bytes_read = 0, bytes_written = 0;
  };
  const Times& times() const { return times_; }
  /// The stages of the pass over the images that took longest: a share for each, and a span for each image. The tiles are counted
  /// for the longest stage alone.
  const dispatch::Report& timeline() const { return timeline_; }

 private:
  struct Shape {
    std::size_t compared = 0, image = 0, warped = 0;
    std::vector<Counts> fields;
  };
  void stream(const Pass& pass, const Visit& work, const jobs::Progress& progress);
  std::size_t read(std::size_t index, const SubjectParts& parts, AtlasSubject& subject) const;
  std::size_t write(std::size_t index, const SubjectParts& parts, const AtlasSubject& subject) const;
  std::filesystem::path file(std::size_t index, const char* part) const;

  std::vector<Shape> shapes_;
  std::vector<AtlasSubject> subjects_;
  std::unique_ptr<ScratchFolder> folder_;
  Times times_;
  dispatch::Report timeline_;
};

/// Whether the images of this process do not fit the memory that the parameters grant, and are streamed. Throws ResourceError where that
/// memory does not hold even three of them.
bool is_streamed(const Counts& counts, std::size_t images, const AtlasParameters& parameters);

}  // namespace isolume::anatomy
