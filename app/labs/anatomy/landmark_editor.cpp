#include "app/labs/anatomy/landmark_editor.h"

#include <utility>

#include <fmt/format.h>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/contract/value_change.h"
#include "app/workbench/look/ask_for_file.h"
#include "core/anatomy/landmark_files.h"

namespace isolume::labs::anatomy {
namespace {

using namespace isolume::anatomy;
using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

std::vector<std::string> words_of(const Eigen::Vector3d& position) {
  std::vector<std::string> words;
  for (const double each : position) words.push_back(fmt::format("{:.3f}", each));
  return words;
}

Eigen::Vector3d position_of(const Arguments& arguments) {
  return {arguments.number("x"), arguments.number("y"), arguments.number("z")};
}

}  // namespace

LandmarkEditor::LandmarkEditor(workbench::LabContext& context, slices::LinkedSlices& views,
                               slices::SliceModel& model, Overlays& overlays)
    : context_(context), views_(&views), model_(model), overlays_(overlays) {
  bind_commands();
  bind_file_commands();
  connect(&views.large(), &slices::SliceView::double_clicked, this, [this](const Eigen::Vector2d& place) {
    if (!overlays_.is_draggable()) return;  // a brush is in hand
    run("anatomy.landmark.add", words_of(views_->large().plane().position(place)));
  });
  connect(&overlays, &Overlays::mark_dragged, this,
          [this](std::size_t index, bool is_moving, const Eigen::Vector3d& position) {
            std::vector<std::string> words = words_of(is_moving ? carried(position) : position);
            words.insert(words.begin(), {std::to_string(index + 1), is_moving ? "moving" : "fixed"});
            run("anatomy.landmark.move", std::move(words));
          });
}

void LandmarkEditor::run(const std::string& name, std::vector<std::string> words) {
  context_.commands.run(name, words);
}

LandmarkPairs LandmarkEditor::points() const {
  LandmarkPairs points = pairs_;
  for (LandmarkPair& each : points) each.name.clear();
  return points;
}

LandmarksPanel* LandmarkEditor::make_panel() {
  panel_ = new LandmarksPanel;
  connect(panel_, &LandmarksPanel::asked, this, [this](const std::string& command) { run(command); });
  connect(panel_, &LandmarksPanel::removal_asked, this,
          [this](int number) { run("anatomy.landmark.remove", {std::to_string(number)}); });
  connect(panel_, &LandmarksPanel::named, this, [this](int number, const std::string& name) {
    run("anatomy.landmark.name", {std::to_string(number), name});
  });
  connect(panel_, &LandmarksPanel::chosen, this, [this](int number) {
    if (views_) views_->go_to(pairs_.at(static_cast<std::size_t>(number) - 1).fixed);
  });
  return panel_;
}

void LandmarkEditor::open(const Pair* before, const Pair& pair) {
  const auto has = [&pair](const std::filesystem::path& fixed, const std::filesystem::path& moving) {
    return !pair.fixed_path.empty() && pair.fixed_path == fixed && pair.moving_path == moving;
  };
  LandmarkPairs kept = pairs_;
  if (before != nullptr && has(before->moving_path, before->fixed_path)) {
    for (LandmarkPair& each : kept) std::swap(each.fixed, each.moving);
  } else if (before == nullptr || !has(before->fixed_path, before->moving_path)) {
    kept.clear();
  }
  placement_.reset();
  alignment_.reset();
  put(std::move(kept));
}

void LandmarkEditor::show_map(std::shared_ptr<const Placement> placement,
                              std::shared_ptr<const Alignment> alignment) {
  placement_ = std::move(placement);
  alignment_ = std::move(alignment);
  if (!pairs_.empty()) show();
}

Eigen::Vector3d LandmarkEditor::carried(const Eigen::Vector3d& fixed) const {
  if (alignment_ != nullptr) return moving_point(*alignment_, fixed);
  return placement_ == nullptr ? fixed : placement_->found.map * fixed;
}

Eigen::Vector3d LandmarkEditor::shown_at(const Eigen::Vector3d& moving) const {
  const Eigen::Vector3d placed = placement_ == nullptr ? moving : placement_->found.map.inverse() * moving;
  if (alignment_ == nullptr) return placed;
  const grid::Grid& grid = alignment_->pair().grid;
  const Eigen::Vector3d wanted = grid.index_at(placed);
  // p + u(p) = wanted, by repeated substitution, which converges where the map does not fold.
  constexpr int most_iterations = 100;
  constexpr double close_enough = 1e-3;
  Eigen::Vector3d index = wanted;
  for (int i = 0; i < most_iterations && is_on_grid(index, grid); ++i) {
    const Eigen::Vector3d next = (index + wanted - vector_at(alignment_->displacement, index)) / 2;
    if ((next - index).norm() < close_enough) break;
    index = next;
  }
  return grid.position(index);
}

void LandmarkEditor::bind_commands() {
  auto& commands = context_.commands;
  const auto without_moving = [this] {
    return placement_ == nullptr ? said(tr("Open two images first.")) : std::string();
  };
  const auto without_pairs = [this] {
    return pairs_.empty() ? said(tr("There are no landmarks. Add one first.")) : std::string();
  };
  commands.bind(
      "anatomy.landmark.add",
      [this](const Arguments& arguments) {
        const bool is_given = arguments.has("x") && arguments.has("y") && arguments.has("z");
        const Eigen::Vector3d fixed = is_given ? position_of(arguments) : model_.cursor_mm();
        LandmarkPairs pairs = pairs_;
        pairs.push_back({fixed, carried(fixed), fmt::format("L{}", pairs.size() + 1)});
        change(tr("Add landmark"), std::move(pairs));
      },
      without_moving);
  commands.bind(
      "anatomy.landmark.move",
      [this](const Arguments& arguments) {
        LandmarkPairs pairs = pairs_;
        LandmarkPair& pair = pairs[index_of(arguments.integer("number"))];
        (arguments.text("image") == "moving" ? pair.moving : pair.fixed) = position_of(arguments);
        change(tr("Move landmark"), std::move(pairs));
      },
      without_pairs);
  commands.bind(
      "anatomy.landmark.name",
      [this](const Arguments& arguments) {
        LandmarkPairs pairs = pairs_;
        pairs[index_of(arguments.integer("number"))].name = arguments.text("name");
        change(tr("Name landmark"), std::move(pairs));
      },
      without_pairs);
  commands.bind(
      "anatomy.landmark.remove",
      [this](const Arguments& arguments) {
        LandmarkPairs pairs = pairs_;
        pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(index_of(arguments.integer("number"))));
        change(tr("Remove landmark"), std::move(pairs));
      },
      without_pairs);
  commands.bind(
      "anatomy.landmarks.clear", [this](const Arguments&) { change(tr("Remove all landmarks"), {}); },
      without_pairs);
}

void LandmarkEditor::bind_file_commands() {
  auto& commands = context_.commands;
  const auto ask = [this](const char* name, const QString& title, Wanted wanted) {
    workbench::ask_and_run(context_, *this, *views_->window(),
                           {title,
                            wanted == Wanted::file ? tr("Landmarks (*.csv *.mrk.json *.fcsv);;All files (*)")
                                                   : tr("Landmarks of both images (*.csv)"),
                            wanted},
                           name);
  };
  commands.bind(
      "anatomy.landmarks.open",
      [this, ask](const Arguments& arguments) {
        if (!arguments.has("path")) return ask("anatomy.landmarks.open", tr("Open landmarks"), Wanted::file);
        read(arguments.text("path"), arguments.has("moving") ? arguments.text("moving") : std::string());
      },
      [this] { return placement_ == nullptr ? said(tr("Open two images first.")) : std::string(); });
  commands.bind(
      "anatomy.landmarks.save",
      [this, ask](const Arguments& arguments) {
        if (!arguments.has("path"))
          return ask("anatomy.landmarks.save", tr("Save landmarks"), Wanted::new_file);
        const std::filesystem::path path = arguments.text("path");
        context_.jobs.submit(said(tr("Write %1"), path.filename().string()), {},
                             [pairs = pairs_, path](const jobs::Progress&) { write_landmarks(pairs, path); });
      },
      [this] { return pairs_.empty() ? said(tr("There are no landmarks. Add one first.")) : std::string(); });
}

void LandmarkEditor::read(const std::filesystem::path& fixed, const std::filesystem::path& moving) {
  context_.jobs.submit(
      said(tr("Open %1"), fixed.filename().string()), {}, [this, fixed, moving](const jobs::Progress&) {
        LandmarkFile file = moving.empty() ? read_landmarks(fixed) : read_landmarks(fixed, moving);
        context_.on_gui_thread(guarded(this, [this, file = std::move(file)] {
          if (!file.remarks.empty()) context_.show_warning(QString::fromStdString(file.remarks.text()));
          change(tr("Open landmarks"), file.pairs);
        }));
      });
}

std::size_t LandmarkEditor::index_of(std::int64_t number) const {
  if (number < 1 || static_cast<std::size_t>(number) > pairs_.size()) {
    throw Error(said(tr("There is no landmark %1; there are %2."), number, pairs_.size()));
  }
  return static_cast<std::size_t>(number) - 1;
}

void LandmarkEditor::change(const QString& what, LandmarkPairs pairs) {
  if (pairs == pairs_) return;
  context_.undo.push(new workbench::ValueChange<LandmarkPairs>(
      what, pairs_, std::move(pairs), [this](const LandmarkPairs& each) { put(each); }));
}

void LandmarkEditor::put(LandmarkPairs pairs) {
  pairs_ = std::move(pairs);
  show();
  context_.availability_changed();
  Q_EMIT changed();
}

void LandmarkEditor::show() {
  std::vector<Overlays::Mark> marks;
  std::vector<LandmarkRow> rows;
  for (const LandmarkPair& each : pairs_) {
    marks.push_back({each.fixed, shown_at(each.moving), each.name});
    rows.push_back({.name = each.name,
                    .before_mm = (each.fixed - each.moving).norm(),
                    .now_mm = (carried(each.fixed) - each.moving).norm()});
  }
  overlays_.set_marks(std::move(marks));
  if (panel_) panel_->show_landmarks(std::move(rows));
}

nlohmann::json LandmarkEditor::state() const {
  nlohmann::json all = nlohmann::json::array();
  for (const LandmarkPair& each : pairs_) {
    all.push_back({{"fixed", {each.fixed.x(), each.fixed.y(), each.fixed.z()}},
                   {"moving", {each.moving.x(), each.moving.y(), each.moving.z()}},
                   {"name", each.name}});
  }
  return all;
}

void LandmarkEditor::restore(const nlohmann::json& state) {
  const auto position = [](const nlohmann::json& json) {
    return Eigen::Vector3d(json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>());
  };
  LandmarkPairs pairs;
  for (const nlohmann::json& each : state)
    pairs.push_back(
        {position(each.at("fixed")), position(each.at("moving")), each.at("name").get<std::string>()});
  put(std::move(pairs));
}

}  // namespace isolume::labs::anatomy

#include "moc_landmark_editor.cpp"
