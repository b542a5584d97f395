#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>

#include "core/fields/source.h"
#include "core/jobs/job_runner.h"

namespace isolume::fields {

/// Which resolutions a request asks for. A preview has about a third of the points along each axis, fewer in large boxes
/// and where the source says that they take long, so that it is there within 100 ms.
enum class Detail { preview_then_refined, preview, refined };

struct Request {
  std::shared_ptr<const FieldSource> source;
  /// Makes the picture, as surfaces, and hands it over. Called on a job's thread, one call at a time, in the
  /// order in which pictures are to be shown. May throw Cancelled.
  std::function<void(const MadeField& made, bool refined, const jobs::Progress& progress)> draw;
  Detail detail = Detail::preview_then_refined;
  /// What colours the surfaces: computed on the field's own lattice unless it is at hand, and drawn together with
  /// the field, as its `MadeField::second`. Null: nothing.
  std::shared_ptr<const FieldSource> second = nullptr;
};

/// Keeps a picture up with the newest request, as jobs: the field as a preview, then refined, each drawn. A
/// request of the same key as before draws the field that is there and never computes it again. The last
/// fields are kept, so that stepping back is immediate.
class Pipeline {
 public:
  explicit Pipeline(jobs::JobRunner& jobs, std::size_t cache_bytes = std::size_t{512} << 20);
  /// Cancels what runs (without waiting for it); nothing is drawn once this has returned.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Returns at once. Supersedes the request before; a preview of it that is under way is still drawn. Throws
  /// what the source throws, and the request before stays.
  void request(Request request);
  /// Cancels what runs and forgets the kept fields.
  void clear();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// The lattice of a preview of which so many points are found in time (FieldSource::points_within): of 150,000 points at
/// most, and of 512 at least, with fewer of which nothing would be seen.
lattice::Lattice preview_lattice(const lattice::Lattice& refined,
                                 double points_in_time = std::numeric_limits<double>::infinity());

}  // namespace isolume::fields
