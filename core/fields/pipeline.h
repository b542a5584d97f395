#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>

#include "core/fields/source.h"
#include "core/jobs/job_runner.h"

namespace isolume::fields {

/// Which resolutions a request wants. A preview has about a third of the points along each axis, and fewer in
/// large boxes and for slow sources, so that it appears within 100 ms.
enum class Detail { preview_then_refined, preview, refined };

struct Request {
  std::shared_ptr<const FieldSource> source;
  /// Extracts the surfaces of the picture and passes them on. Called on a job's thread, one call at a time,
  /// in the order in which pictures are to be shown. May throw Cancelled.
  std::function<void(const MadeField& made, bool refined, const jobs::Progress& progress)> draw;
  Detail detail = Detail::preview_then_refined;
  /// The field that colours the surfaces. It is computed on the grid of the first field unless it is
  /// available, and drawn with it as `MadeField::second`. Null: none.
  std::shared_ptr<const FieldSource> second = nullptr;
};

/// Computes and draws the newest request in jobs: the field as a preview, then refined, each drawn. A request
/// with the same key as before draws the available field and never computes it again. The last fields are
/// kept, so that stepping back is immediate.
class Pipeline {
 public:
  explicit Pipeline(jobs::JobRunner& jobs, std::size_t cache_bytes = std::size_t{512} << 20);
  /// Cancels running work without waiting for it; nothing is drawn after this has returned.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Returns at once. Supersedes the previous request, whose running preview is still drawn. Rethrows errors
  /// of the source; the previous request then remains.
  void request(Request request);
  /// Cancels running work and clears the cache.
  void clear();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// The grid of a preview, with as many points as the source computes in time (FieldSource::points_within):
/// at most 150,000, and at least 512, below which nothing would be recognisable.
grid::Grid preview_grid(const grid::Grid& refined,
                        double points_in_time = std::numeric_limits<double>::infinity());

}  // namespace isolume::fields
