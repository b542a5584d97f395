#include "core/fields/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace isolume::fields {
namespace {

/// Maximum for sources that have no time limit of their own.
constexpr double most_preview_points = 150'000;
constexpr double least_preview_points = 512;
/// Time for the points of a preview; surfaces and drawing have the rest of the 100 ms.
constexpr double preview_seconds = 0.08;
/// Fields up to this size are drawn within a frame or two: no preview is needed while the isovalue changes.
constexpr std::size_t quick_surface_points = 400'000;
/// A running preview is still shown after a newer request, unless it takes longer than this, so that holding
/// a key shows the fields it passes.
constexpr auto worth_showing_in_passing = std::chrono::milliseconds(250);
/// Time for which the isovalue must rest before the refined surface replaces the preview's.
constexpr auto settle_time = std::chrono::milliseconds(80);
constexpr std::size_t kept_fields = 12;
/// One for the preview and one for the refined field, for two pairs of fields.
constexpr std::size_t kept_seconds = 4;

/// The properties of a source, read once for a request.
struct Wanted {
  Request request;
  const void* subject = nullptr;
  std::string key, series;
  std::string second_key = {};      ///< empty: no second field is wanted
  bool second_at_vertices = false;  ///< it is computed while a picture is drawn (MadeField::at_places)

  /// Whether both are the same field at two times.
  bool at_other_moment(const std::string& other_key, const std::string& other_series) const {
    return key != other_key && !series.empty() && series == other_series;
  }
};

}  // namespace

grid::Grid preview_grid(const grid::Grid& refined, double points_in_time) {
  const double points = static_cast<double>(refined.point_count());
  const double most = std::clamp(points_in_time, least_preview_points, most_preview_points);
  double factor = std::max(3.0, std::cbrt(points / most));
  auto coarse = grid::coarsened(refined, factor);
  // In a grid of few points, many are on the faces.
  constexpr double little = 1.05;
  while (most<most_preview_points&& static_cast<double>(coarse.point_count())> most)
    coarse = grid::coarsened(refined, factor *= little);
  return coarse;
}

/// Shared with the jobs, which may outlive the pipeline briefly.
struct Pipeline::State : std::enable_shared_from_this<Pipeline::State> {
  struct Fields {
    std::string key, series;
    std::optional<MadeField> preview;
    std::optional<MadeField> refined;

    std::size_t bytes() const {
      std::size_t values = 0;
      for (const auto* made : {&preview, &refined}) {
        if (*made) values += (*made)->field->values.size();
      }
      return values * sizeof(float);
    }
  };

  /// A cached second field, for one grid or with a grid of its own.
  struct Second {
    std::string key;
    bool own_grid = false;
    std::shared_ptr<const MadeField> made;
  };

  State(jobs::JobRunner& runner, std::size_t limit_bytes) : jobs(runner), cache_bytes(limit_bytes) {}

  jobs::JobRunner& jobs;
  const std::size_t cache_bytes;

  std::mutex drawing;   ///< held while pictures are made and passed on, to keep their order
  bool closed = false;  ///< guarded by `drawing`

  std::mutex mutex;  ///< guards the following members
  Wanted newest;
  bool newest_shown = false;
  std::uint64_t requests = 0;       ///< up to the newest
  std::uint64_t refined_shown = 0;  ///< number of the request whose refined picture was drawn last
  std::list<Fields> kept;           ///< most recently used first
  std::list<Second> seconds;        ///< most recently computed first
  std::string field_work;           ///< of the newest field job (work_of); empty: none is wanted
  std::uint64_t field_job = 0;
  std::stop_source until_cleared;
  /// When the running field job began its preview, while it makes one.
  std::optional<std::chrono::steady_clock::time_point> previewing_since;

  std::string channel(const char* step) const {
    return fmt::format("fields.{}.{}", step, static_cast<const void*>(this));
  }
  void start(Request request);
  bool complete(const Wanted& wanted, const Fields& there) const;
  std::optional<MadeField> with_second(const Wanted& wanted, const std::optional<MadeField>& first) const;
  std::shared_ptr<const MadeField> find_second(const Wanted& wanted, const grid::Grid& grid) const;
  void store_second(const Wanted& wanted, MadeField made, bool own_grid);
  void make_fields(const Wanted& wanted, const jobs::Progress& progress);
  bool still_wanted(const Wanted& wanted);
  void make_preview(const Wanted& wanted, const jobs::Progress& progress);
  MadeField make_first(const Wanted& wanted, bool refined, const jobs::Progress& progress);
  void make_second(const Wanted& wanted, const grid::Grid& grid, bool refined,
                   const jobs::Progress& progress);
  void make_both(const Wanted& wanted, bool refined, const jobs::Progress& progress);
  void draw_again(const Wanted& wanted, const jobs::Progress& progress);
  Fields& fields(const Wanted& wanted);
  void store(const Wanted& wanted, MadeField made, bool refined);
  void draw(const Wanted& wanted, bool allow_refined, const jobs::Progress& progress);
};

namespace {

std::string work_of(const Wanted& wanted) {
  return fmt::format("{} by {} detail {}", wanted.key, wanted.second_key,
                     static_cast<int>(wanted.request.detail));
}

}  // namespace

/// The fields of a key, marked as most recently used. The caller holds `mutex`.
Pipeline::State::Fields& Pipeline::State::fields(const Wanted& wanted) {
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const Fields& each) { return each.key == wanted.key; });
  if (found == kept.end()) {
    kept.push_front(Fields{wanted.key, wanted.series, {}, {}});
  } else {
    kept.splice(kept.begin(), kept, found);
  }
  return kept.front();
}

void Pipeline::State::store(const Wanted& wanted, MadeField made, bool refined) {
  const std::lock_guard guard(mutex);
  if (wanted.subject != newest.subject || newest.at_other_moment(wanted.key, wanted.series)) return;
  auto& place = fields(wanted);
  (refined ? place.refined : place.preview) = std::move(made);
  std::size_t bytes = 0, count = 0;
  for (auto each = kept.begin(); each != kept.end();) {
    bytes += each->bytes();
    const bool keep = count == 0 || (bytes <= cache_bytes && count < kept_fields);
    ++count;
    each = keep ? std::next(each) : kept.erase(each);
  }
}

/// The first field, with its second if one is wanted; empty if one of them is missing. The caller holds
/// `mutex`.
std::optional<MadeField> Pipeline::State::with_second(const Wanted& wanted,
                                                      const std::optional<MadeField>& first) const {
  if (!first || wanted.second_key.empty()) return first;
  MadeField both = *first;
  both.second = find_second(wanted, first->field->grid);
  if (both.second == nullptr) return std::nullopt;
  return both;
}

/// The field that colours a field on this grid; null if it is not cached. The caller holds `mutex`.
std::shared_ptr<const MadeField> Pipeline::State::find_second(const Wanted& wanted,
                                                              const grid::Grid& grid) const {
  const auto found = std::ranges::find_if(seconds, [&](const Second& each) {
    return each.key == wanted.second_key && (each.own_grid || each.made->field->grid == grid);
  });
  return found != seconds.end() ? found->made : nullptr;
}

/// The caller holds `mutex`.
void Pipeline::State::store_second(const Wanted& wanted, MadeField made, bool own_grid) {
  if (own_grid) std::erase_if(seconds, [&](const Second& each) { return each.key == wanted.second_key; });
  seconds.push_front({wanted.second_key, own_grid, std::make_shared<const MadeField>(std::move(made))});
  std::size_t bytes = 0, count = 0;
  std::erase_if(seconds, [&](const Second& each) {
    bytes += each.made->field->values.size() * sizeof(float);
    return ++count > kept_seconds || (count > 2 && bytes > cache_bytes / 2);
  });
}

/// The caller holds `mutex`.
bool Pipeline::State::complete(const Wanted& wanted, const Fields& there) const {
  return with_second(wanted, there.refined) ||
         (wanted.request.detail == Detail::preview && with_second(wanted, there.preview));
}

void Pipeline::State::start(Request request) {
  const auto& source = *request.source;
  const void* subject = source.subject();
  const auto key_of = [](const FieldSource& each) {
    return fmt::format("{}|{}", each.subject(), each.key());
  };
  auto at_hand = source.at_hand();
  auto second_at_hand = request.second ? request.second->at_hand() : std::nullopt;
  const Wanted wanted{request,
                      subject,
                      key_of(source),
                      source.series(),
                      request.second ? key_of(*request.second) : std::string(),
                      second_at_hand && second_at_hand->at_places};
  const std::string name = source.name();
  const std::lock_guard guard(mutex);
  if (wanted.key != newest.key) {
    jobs.cancel_channel(channel("surface"));
    newest_shown = false;
  }
  const bool in_passing = previewing_since && wanted.subject == newest.subject &&
                          std::chrono::steady_clock::now() - *previewing_since < worth_showing_in_passing;
  if (wanted.subject != newest.subject) {
    kept.clear();
    seconds.clear();
  }
  // One time of a series is kept, so that an animation does not evict the other fields.
  kept.remove_if([&](const Fields& each) { return wanted.at_other_moment(each.key, each.series); });
  newest = wanted;
  ++requests;
  if (second_at_hand) store_second(wanted, std::move(*second_at_hand), true);
  auto& there = fields(wanted);
  if (at_hand && !there.refined) there.refined = std::move(at_hand);
  const std::string work = complete(wanted, there) ? std::string() : work_of(wanted);
  const bool in_hand = !work.empty() && work == field_work && jobs.join(field_job);
  field_work = work;
  if (!in_hand) {
    if (!in_passing) jobs.cancel_channel(channel("field"));
    if (!work.empty())
      field_job = jobs.submit(
          name, channel("field"),
          [self = shared_from_this(), wanted](const jobs::Progress& progress) {
            self->make_fields(wanted, progress);
          },
          jobs::Waited::by_a_person, jobs::Replaced::before_it_begins);
  }
  if (with_second(wanted, there.preview) || with_second(wanted, there.refined)) {
    jobs.submit("Surface", channel("surface"),
                [self = shared_from_this(), wanted](const jobs::Progress& progress) {
                  self->draw_again(wanted, progress);
                });
  }
}

/// Between the steps of a field job: whether no newer one waits.
bool Pipeline::State::still_wanted(const Wanted& wanted) {
  const std::lock_guard guard(mutex);
  previewing_since.reset();
  return field_work == work_of(wanted);
}

void Pipeline::State::make_fields(const Wanted& wanted, const jobs::Progress& progress) {
  if (!still_wanted(wanted)) return;
  make_preview(wanted, progress);
  if (!still_wanted(wanted)) return;
  if (wanted.request.detail == Detail::preview) {
    const std::lock_guard guard(mutex);
    const auto& there = fields(wanted);
    if (!there.refined || there.preview) return;  // available fields have no preview
  }
  const double drawn_from = wanted.second_at_vertices ? 0.4 : 0.8;
  make_both(wanted, true, progress.part(0.1, drawn_from));
  draw(wanted, true, progress.part(drawn_from, 1));
}

void Pipeline::State::make_both(const Wanted& wanted, bool refined, const jobs::Progress& progress) {
  if (wanted.second_key.empty()) {
    make_first(wanted, refined, progress);
  } else {
    const auto first = make_first(wanted, refined, progress.part(0, 0.5));
    make_second(wanted, first.field->grid, refined, progress.part(0.5, 1));
  }
}

/// Computes the first field unless it is cached.
MadeField Pipeline::State::make_first(const Wanted& wanted, bool refined, const jobs::Progress& progress) {
  {
    const std::lock_guard guard(mutex);
    const auto& there = refined ? fields(wanted).refined : fields(wanted).preview;
    if (there) return *there;
  }
  const auto& source = *wanted.request.source;
  const auto grid = source.grid();
  const auto wanted_on = refined ? grid : preview_grid(grid, source.points_within(preview_seconds));
  // A grid that cannot be coarsened is refined at once.
  auto made = wanted_on == grid ? source.compute(grid, progress) : source.preview(wanted_on, progress);
  store(wanted, made, refined);
  return made;
}

/// Computes the second field unless it is cached.
void Pipeline::State::make_second(const Wanted& wanted, const grid::Grid& grid, bool refined,
                                  const jobs::Progress& progress) {
  {
    const std::lock_guard guard(mutex);
    if (find_second(wanted, grid) != nullptr) return;
  }
  const auto& source = *wanted.request.second;
  const bool passing = !refined && grid != wanted.request.source->grid();
  auto made = passing ? source.preview(grid, progress) : source.compute(grid, progress);
  const std::lock_guard guard(mutex);
  if (wanted.subject == newest.subject) store_second(wanted, std::move(made), false);
}

void Pipeline::State::make_preview(const Wanted& wanted, const jobs::Progress& progress) {
  {
    const std::lock_guard guard(mutex);
    const auto& there = fields(wanted);
    if (wanted.request.detail == Detail::refined || with_second(wanted, there.preview)) return;
    if (there.refined && !there.preview) return;  // it was available without computing
    previewing_since = std::chrono::steady_clock::now();
  }
  make_both(wanted, false, progress.part(0, 0.05));
  draw(wanted, false, progress.part(0.05, 0.1));
}

void Pipeline::State::draw_again(const Wanted& wanted, const jobs::Progress& progress) {
  bool preview_first = false;
  jobs::Progress passing;
  {
    const std::lock_guard guard(mutex);
    const auto& there = fields(wanted);
    preview_first = newest.request.detail == Detail::preview_then_refined && there.preview && there.refined &&
                    (there.refined->field->values.size() > quick_surface_points || newest.second_at_vertices);
    passing = {until_cleared.get_token(), {}};
  }
  if (preview_first) {
    // A newer isovalue does not cancel it, so that a long drag shows every surface it has time for.
    draw(wanted, false, passing);
    const auto rested = std::chrono::steady_clock::now() + settle_time;
    while (std::chrono::steady_clock::now() < rested) {
      progress.check();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  draw(wanted, true, progress);
}

/// Draws the best available field of a key with the settings of the newest request. If that request is for
/// another field, only a preview is drawn, and nothing after that field's first picture.
void Pipeline::State::draw(const Wanted& wanted, bool allow_refined, const jobs::Progress& progress) {
  const std::lock_guard turn(drawing);
  auto picture = wanted.request.draw;
  std::optional<MadeField> made;
  bool refined = false;
  std::uint64_t request = 0;
  {
    const std::lock_guard guard(mutex);
    // A job that was superseded may come to its preview when a later one has drawn the refined field already.
    if (!allow_refined && refined_shown == requests) return;
    request = requests;
    const bool in_passing = wanted.key != newest.key;
    if (in_passing && (allow_refined || newest_shown || wanted.subject != newest.subject)) return;
    if (!in_passing) picture = newest.request.draw;
    const auto& there = fields(wanted);
    const Wanted& drawn = in_passing ? wanted : newest;
    const auto preview = with_second(drawn, there.preview);
    const auto full = with_second(drawn, there.refined);
    refined = full && (allow_refined || !preview);
    made = refined ? full : preview;
  }
  if (closed || !made) return;
  picture(*made, refined, progress);
  const std::lock_guard guard(mutex);
  if (wanted.key == newest.key) newest_shown = true;
  if (wanted.key == newest.key && refined) refined_shown = request;
}

Pipeline::Pipeline(jobs::JobRunner& jobs, std::size_t cache_bytes)
    : state_(std::make_shared<State>(jobs, cache_bytes)) {}

Pipeline::~Pipeline() {
  clear();
  const std::lock_guard turn(state_->drawing);
  state_->closed = true;
}

void Pipeline::request(Request request) {
  state_->start(std::move(request));
}

void Pipeline::clear() {
  state_->jobs.cancel_channel(state_->channel("field"));
  state_->jobs.cancel_channel(state_->channel("surface"));
  const std::lock_guard guard(state_->mutex);
  std::exchange(state_->until_cleared, {}).request_stop();
  state_->newest = {};
  state_->field_work.clear();
  state_->kept.clear();
  state_->seconds.clear();
}

}  // namespace isolume::fields
