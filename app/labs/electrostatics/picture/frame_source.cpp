#include "app/labs/electrostatics/picture/frame_source.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/labs/electrostatics/picture/method_text.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/language.h"
#include "core/dispatch/dispatch.h"
#include "core/electrostatics/potential/average.h"
#include "core/electrostatics/surfaces/grid_around.h"

namespace isolume::labs::electrostatics {

/// A trajectory is one file with one place where it is read.
class MoleculeFrames::Locked final : public structures::ChargeFrames {
 public:
  explicit Locked(std::unique_ptr<structures::ChargeFrames> frames) : frames_(std::move(frames)) {}
  std::size_t size() const override { return frames_->size(); }
  bool is_cut() const override { return frames_->is_cut(); }
  structures::Charges at(std::size_t frame, const jobs::Progress& progress) const override {
    const std::scoped_lock lock(mutex_);
    progress.check();
    return frames_->at(frame, progress);
  }

 private:
  mutable std::mutex mutex_;
  const std::unique_ptr<structures::ChargeFrames> frames_;
};

struct MoleculeFrames::Kept {
  static constexpr std::size_t most_molecules = 4, most_fields = 64;
  std::mutex mutex;
  std::deque<std::pair<int, MoleculePointer>> molecules;  ///< the last used one in front
  std::deque<std::pair<std::weak_ptr<const grid::ScalarField>, MoleculePointer>> fields;
};

namespace {

std::vector<std::size_t> all_of(const structures::ChargeFrames& frames) {
  std::vector<std::size_t> all(frames.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// Evenly from the first to the last one: a long trajectory opens without being read.
std::vector<std::size_t> some_of(const structures::ChargeFrames& frames) {
  constexpr std::size_t most = MoleculeFrames::most_read;
  if (frames.size() <= most) return all_of(frames);
  std::vector<std::size_t> some(most);
  for (std::size_t i = 0; i < most; ++i) some[i] = i * (frames.size() - 1) / (most - 1);
  return some;
}

}  // namespace

MoleculeFrames::MoleculeFrames(MoleculePointer first, std::unique_ptr<structures::ChargeFrames> frames,
                               std::filesystem::path trajectory, const jobs::Progress& progress)
    : first_(std::move(first)),
      frames_(std::make_unique<Locked>(std::move(frames))),
      trajectory_(std::move(trajectory)),
      box_(science::box_of(*frames_, some_of(*frames_), progress)),
      kept_(std::make_unique<Kept>()) {}

MoleculeFrames::~MoleculeFrames() = default;

std::size_t MoleculeFrames::size() const {
  return frames_->size();
}

const structures::ChargeFrames& MoleculeFrames::charges() const {
  return *frames_;
}

MoleculeFrames::MoleculePointer MoleculeFrames::at(int frame, const jobs::Progress& progress) const {
  if (frame < 1 || static_cast<std::size_t>(frame) > size())
    throw Error(filled(localised("electrostatics", "There is no frame %1. Give one from 1 to %2."),
                       {std::to_string(frame), std::to_string(size())}));
  {
    const std::scoped_lock lock(kept_->mutex);
    auto& all = kept_->molecules;
    const auto found = std::ranges::find(all, frame, &std::pair<int, MoleculePointer>::first);
    if (found != all.end()) {
      std::rotate(all.begin(), found, found + 1);
      return all.front().second;
    }
  }
  auto molecule = charged_molecule(first_->path, frames_->at(static_cast<std::size_t>(frame - 1), progress),
                                   first_->preparation, first_->recorded);
  const std::scoped_lock lock(kept_->mutex);
  kept_->molecules.emplace_front(frame, molecule);
  if (kept_->molecules.size() > Kept::most_molecules) kept_->molecules.pop_back();
  return molecule;
}

grid::Grid MoleculeFrames::grid(const MapGrid& where) const {
  return grid_of_map(box_, where);
}

void MoleculeFrames::require_within(const grid::Grid& grid, int frame,
                                    const ChargedMolecule& molecule) const {
  if (size() <= most_read) return;
  const double angstrom = grid::shown_per_unit(grid.unit);
  const auto& last = grid.dimensions;
  const auto box = structures::box_of(molecule.charges);
  const Eigen::Array3d low = grid.index_at(box.low / angstrom), high = grid.index_at(box.high / angstrom);
  const Eigen::Array3d end(last[0] - 1, last[1] - 1, last[2] - 1);
  // A coarser grid may end up to a step before the finer one.
  if ((low >= -1).all() && (high <= end + 1).all()) return;
  throw Error(filled(localised("electrostatics",
                               "The atoms of frame %1 reach beyond the map, whose box encloses %2 of the %3 "
                               "frames. Choose a larger margin."),
                     {std::to_string(frame), std::to_string(most_read), std::to_string(size())}));
}

void MoleculeFrames::remember(const std::shared_ptr<const grid::ScalarField>& field,
                              MoleculePointer molecule) const {
  const std::scoped_lock lock(kept_->mutex);
  kept_->fields.emplace_front(field, std::move(molecule));
  if (kept_->fields.size() > Kept::most_fields) kept_->fields.pop_back();
}

MoleculeFrames::MoleculePointer MoleculeFrames::molecule_of(const grid::ScalarField& field) const {
  const std::scoped_lock lock(kept_->mutex);
  for (const auto& [known, molecule] : kept_->fields)
    if (known.lock().get() == &field) return molecule;
  return nullptr;
}

namespace {

using FramesPointer = std::shared_ptr<const MoleculeFrames>;
using MakeSource = std::function<std::shared_ptr<const fields::FieldSource>(MoleculeFrames::MoleculePointer)>;

class FrameSource final : public fields::FieldSource {
 public:
  FrameSource(FramesPointer frames, int frame, const MapGrid& where, MakeSource make)
      : frames_(std::move(frames)),
        frame_(frame),
        where_(where),
        make_(std::move(make)),
        of_first_(make_(frames_->first())) {}

  std::string name() const override { return of_first_->name(); }
  const void* subject() const override { return frames_.get(); }
  std::string key() const override { return fmt::format("frame {}|{}", frame_, of_first_->key()); }
  std::string series() const override { return "frames|" + of_first_->key(); }
  double points_within(double seconds) const override { return of_first_->points_within(seconds); }
  grid::Grid grid() const override { return frames_->grid(where_); }
  fields::MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override {
    return made_by(&fields::FieldSource::compute, grid, progress);
  }
  fields::MadeField preview(const grid::Grid& grid, const jobs::Progress& progress) const override {
    return made_by(&fields::FieldSource::preview, grid, progress);
  }

 private:
  fields::MadeField made_by(decltype(&fields::FieldSource::compute) make, const grid::Grid& grid,
                            const jobs::Progress& progress) const {
    const auto molecule = frames_->at(frame_, progress.part(0, 0.1));
    frames_->require_within(grid, frame_, *molecule);
    const auto source = make_(molecule);
    auto made = ((*source).*make)(grid, progress.part(0.1, 1));
    if (!made.method.empty()) {
      made.method += ", " + filled(localised("electrostatics", "frame %1 of %2"),
                                   {std::to_string(frame_), std::to_string(frames_->size())});
    }
    frames_->remember(made.field, molecule);
    return made;
  }

  const FramesPointer frames_;
  const int frame_;
  const MapGrid where_;
  const MakeSource make_;
  const std::shared_ptr<const fields::FieldSource> of_first_;  ///< for what all of them have in common
};

class MeanSource final : public fields::FieldSource {
 public:
  MeanSource(FramesPointer frames, const science::PotentialOptions& how, const MapGrid& where)
      : frames_(std::move(frames)),
        how_(how),
        where_(where),
        of_first_(potential_source(frames_->first(), how, plain(where))) {}

  std::string name() const override { return localised("electrostatics", "Mean potential"); }
  const void* subject() const override { return frames_.get(); }
  std::string key() const override { return "mean|" + of_first_->key(); }
  double points_within(double seconds) const override {
    return of_first_->points_within(seconds / static_cast<double>(frames_->size()));
  }
  grid::Grid grid() const override { return frames_->grid(where_); }
  fields::MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override {
    const auto start = std::chrono::steady_clock::now();
    const auto& frames = frames_->charges();
    auto mean = science::average_on(grid, frames, all_of(frames), how_, progress);
    auto made = made_map(std::move(mean.values), name(), mean.who, start);
    made.method = method_text(*frames_->first(), how_, science::Compared::nothing, grid) + ", " +
                  filled(localised("electrostatics", "%1 frames"), {std::to_string(frames_->size())});
    return made;
  }

 private:
  static MapGrid plain(MapGrid where) {
    where.compare = science::Compared::nothing;
    return where;
  }
  const FramesPointer frames_;
  const science::PotentialOptions how_;
  const MapGrid where_;
  const std::shared_ptr<const fields::FieldSource> of_first_;
};

FramesPointer frames_where_several(const MoleculeFrames::MoleculePointer& first,
                                   std::unique_ptr<structures::ChargeFrames> frames,
                                   const std::filesystem::path& trajectory, const jobs::Progress& progress) {
  if (frames->size() < 2 && trajectory.empty()) return nullptr;
  return std::make_shared<const MoleculeFrames>(first, std::move(frames), trajectory, progress);
}

/// Each model of a structure is read for itself; the first one tells how it got its charges.
OpenedMolecule open_structure(const std::filesystem::path& path,
                              const structures::ChargedFileOptions& options, const jobs::Progress& progress) {
  auto file = structures::read_charged_file(path, options, progress.part(0, 0.4));
  const bool several = file.preparation && file.preparation->models > 1 && !options.model;
  OpenedMolecule opened{
      charged_molecule(path, std::move(file.charges), std::move(file.preparation), std::move(file.secondary)),
      nullptr};
  if (several) {
    opened.frames = frames_where_several(
        opened.molecule, structures::open_charge_frames(path, options, {}, progress.part(0.4, 0.6)), {},
        progress.part(0.6, 1));
  }
  return opened;
}

}  // namespace

OpenedMolecule open_molecule(const std::filesystem::path& path, const structures::ChargedFileOptions& options,
                             const std::filesystem::path& trajectory, const jobs::Progress& progress) {
  if (trajectory.empty() && structures::charge_format_of(path) == structures::ChargeFormat::structure)
    return open_structure(path, options, progress);
  auto frames = structures::open_charge_frames(path, options, trajectory, progress.part(0, 0.6));
  if (frames->size() == 0)
    throw InputError(trajectory.empty() ? path : trajectory, 0, "it holds no complete frame",
                     "Copy the file again.");
  const auto first = charged_molecule(path, frames->at(0), std::nullopt);
  return {first, frames_where_several(first, std::move(frames), trajectory, progress.part(0.6, 1))};
}

OpenedMolecule open_molecule(const std::filesystem::path& path, const std::filesystem::path& trajectory,
                             const jobs::Progress& progress) {
  return open_molecule(path, structures::ChargedFileOptions(), trajectory, progress);
}

std::shared_ptr<const fields::FieldSource> frame_source(FramesPointer frames, int frame, const MapGrid& where,
                                                        MakeSource make) {
  return std::make_shared<const FrameSource>(std::move(frames), frame, where, std::move(make));
}

std::shared_ptr<const fields::FieldSource> mean_source(FramesPointer frames,
                                                       const science::PotentialOptions& how,
                                                       const MapGrid& where) {
  return std::make_shared<const MeanSource>(std::move(frames), how, where);
}

}  // namespace isolume::labs::electrostatics
