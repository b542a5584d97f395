#include "core/structures/charge_frames.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charge_readers.h"
#include "core/structures/decisions.h"
#include "core/structures/mol2.h"
#include "core/structures/pqr.h"
#include "core/structures/structure.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;

/// Each model is given hydrogens and charges when it is requested.
class ModelFrames final : public ChargeFrames {
 public:
  ModelFrames(std::vector<Structure> models, PrepareOptions options)
      : models_(std::move(models)), options_(std::move(options)) {}
  std::size_t size() const override { return models_.size(); }
  Charges at(std::size_t frame, const jobs::Progress& progress) const override {
    const auto& model = models_.at(frame);
    auto made = prepare(model, options_, progress);
    made.charges.remarks = model.remarks;
    made.charges.remarks.add(remarks_of(made));
    return std::move(made.charges);
  }

 private:
  std::vector<Structure> models_;
  PrepareOptions options_;
};

class KeptFrames final : public ChargeFrames {
 public:
  explicit KeptFrames(std::vector<Charges> frames) : frames_(std::move(frames)) {}
  std::size_t size() const override { return frames_.size(); }
  Charges at(std::size_t frame, const jobs::Progress&) const override { return frames_.at(frame); }

 private:
  std::vector<Charges> frames_;
};

class TrajectoryFrames final : public ChargeFrames {
 public:
  TrajectoryFrames(Charges charges, std::unique_ptr<Trajectory> trajectory)
      : charges_(std::move(charges)), trajectory_(std::move(trajectory)) {
    charges_.remarks.add(trajectory_->remarks());
  }
  std::size_t size() const override { return trajectory_->frame_count(); }
  bool is_cut() const override { return trajectory_->is_cut(); }
  Charges at(std::size_t frame, const jobs::Progress&) const override {
    const auto moment = trajectory_->read(frame);
    Charges charges = charges_;
    for (std::size_t i = 0; i < charges.size(); ++i) {
      charges.x[i] = moment.places[i].x();
      charges.y[i] = moment.places[i].y();
      charges.z[i] = moment.places[i].z();
    }
    if (moment.cell) charges.cell = moment.cell;
    return charges;
  }

 private:
  Charges charges_;
  std::unique_ptr<Trajectory> trajectory_;
};

/// Reads consecutive frames of a text file.
std::vector<Charges> frames_of(const std::filesystem::path& path, std::optional<Charges> (*next)(LineReader&),
                               const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  LineReader file(path, text, progress);
  std::vector<Charges> frames;
  while (auto frame = next(file)) frames.push_back(std::move(*frame));
  if (frames.empty()) file.fail_at(0, "there is no frame in it", "Copy the file again.");
  remark_on_uncharged_residues(frames.front());
  remark_on_overlaps(frames.front());
  // A PQR file states the cell only once.
  for (auto& frame : frames)
    if (!frame.cell) frame.cell = frames.front().cell;
  return frames;
}

/// The topology gives charges to the first frame; the others must have the same atoms.
std::vector<Charges> gro_frames(const std::filesystem::path& path, Charges first,
                                const jobs::Progress& progress) {
  auto frames = frames_of(path, next_gro_frame, progress);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].size() != first.size())
      throw InputError(
          path, 0,
          fmt::format("frame {} has {} atoms, the first one {}", i + 1, frames[i].size(), first.size()),
          "Give frames of the same atoms.");
    frames[i].charge = first.charge;
    frames[i].radius = first.radius;
    frames[i].labels = first.labels;
  }
  return frames;
}

std::unique_ptr<ChargeFrames> trajectory_frames(const std::filesystem::path& path,
                                                const ChargedFileOptions& options,
                                                const std::filesystem::path& name,
                                                const jobs::Progress& progress) {
  auto file = read_charged_file(path, options, progress.part(0, 0.5));
  auto trajectory = open_trajectory(name, progress.part(0.5, 1));
  if (trajectory->atom_count() != file.charges.size())
    throw InputError(
        name, 0,
        fmt::format("its frames have {} atoms, but {} has {}{}", trajectory->atom_count(),
                    path.filename().string(), file.charges.size(),
                    file.preparation ? " with hydrogens and without water, as it was prepared" : ""),
        "Give charges of the atoms of the trajectory, in its order.");
  return std::make_unique<TrajectoryFrames>(std::move(file.charges), std::move(trajectory));
}

}  // namespace

std::unique_ptr<ChargeFrames> open_charge_frames(const std::filesystem::path& path,
                                                 const ChargedFileOptions& options,
                                                 const std::filesystem::path& trajectory,
                                                 const jobs::Progress& progress) {
  if (!trajectory.empty()) return trajectory_frames(path, options, trajectory, progress);
  const auto format = charge_format_of(path);
  if (format == ChargeFormat::structure && !options.model)
    return std::make_unique<ModelFrames>(read_models(path, progress, options.assembly), options.prepare);
  if (format == ChargeFormat::xyz)
    return std::make_unique<KeptFrames>(frames_of(path, next_xyz_frame, progress));
  if (format == ChargeFormat::pqr)
    return std::make_unique<KeptFrames>(frames_of(path, next_pqr_model, progress));
  if (format == ChargeFormat::mol2) return std::make_unique<KeptFrames>(read_mol2_molecules(path, progress));
  auto file = read_charged_file(path, options, progress);
  if (format == ChargeFormat::gro)
    return std::make_unique<KeptFrames>(gro_frames(path, std::move(file.charges), progress));
  std::vector<Charges> frames;
  frames.push_back(std::move(file.charges));
  return std::make_unique<KeptFrames>(std::move(frames));
}

std::vector<std::size_t> chosen_frames(std::string_view text, const ChargeFrames& frames,
                                       const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("{}: {}{} Give FIRST:LAST:STEP, counted from 1, such as 1:{}.", file.string(),
                            text.empty() ? "" : fmt::format("frames {}: ", quoted(text)), why,
                            frames.size()));
  };
  std::vector<std::string_view> parts;
  for (std::string_view rest = text;;) {
    const std::size_t colon = rest.find(':');
    parts.push_back(rest.substr(0, colon));
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (parts.size() > 3) refuse("these are more than three numbers.");
  const auto number = [&](std::size_t part, std::size_t otherwise) {
    if (part >= parts.size() || parts[part].empty()) return otherwise;
    const auto value = molecules::parse_integer(parts[part]);
    if (!value || *value < 1) refuse(fmt::format("{} is not a number from 1 on.", quoted(parts[part])));
    return static_cast<std::size_t>(*value);
  };
  const bool is_open = parts.size() > 1 && parts[1].empty();
  const std::size_t first = number(0, 1);
  const std::size_t last = parts.size() == 1 && !text.empty() ? first : number(1, frames.size()),
                    step = number(2, 1);
  if (frames.is_cut() && (is_open || text.empty()))
    refuse(fmt::format("the file is cut off after frame {}.", frames.size()));
  if (last > frames.size()) refuse(fmt::format("there are {} frames.", frames.size()));
  if (first > last) refuse("the first frame comes after the last one.");
  std::vector<std::size_t> chosen;
  for (std::size_t frame = first; frame <= last; frame += step) {
    chosen.push_back(frame - 1);
    if (step > last) break;
  }
  return chosen;
}

}  // namespace isolume::structures
