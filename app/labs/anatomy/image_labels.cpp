#include "app/labs/anatomy/image_labels.h"

#include <string>
#include <tuple>
#include <utility>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/ask_for_file.h"

namespace isolume::labs::anatomy {

using namespace isolume::anatomy;
using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

namespace {

/// In sessions.
const char* key_of(ImageLabels::Side side) {
  return side == ImageLabels::Side::moving ? "labels" : "fixed-labels";
}

}  // namespace

ImageLabels::ImageLabels(workbench::LabContext& context, graph::Graph& graph, slices::LinkedSlices& views,
                         Overlays& overlays, std::function<PairPointer()> pair,
                         std::function<std::optional<LabelInputs>()> place,
                         std::function<void(std::function<void()>)> when_aligned)
    : context_(context),
      graph_(graph),
      views_(&views),
      overlays_(overlays),
      pair_(std::move(pair)),
      place_(std::move(place)),
      when_aligned_(std::move(when_aligned)),
      carried_(graph, {.name = said(tr("Labels")),
                       .channel = "anatomy.labels",
                       .inputs = [this]() -> std::optional<LabelInputs> {
                         if (empty()) return std::nullopt;
                         std::optional<LabelInputs> inputs = place_();
                         if (inputs) std::tie(inputs->moving, inputs->fixed) = std::tie(moving_, fixed_);
                         return inputs;
                       },
                       .compute = carry,
                       .taken = [this](const auto&) { show(); }}) {
  bind_commands();
}

LabelsPanel* ImageLabels::make_panel() {
  panel_ = new LabelsPanel;
  connect(panel_, &LabelsPanel::place_chosen, this, &ImageLabels::place_chosen);
  return panel_;
}

void ImageLabels::open(const Pair* before, const Pair& pair) {
  const auto kept = [&](const std::filesystem::path& path) -> std::shared_ptr<const NamedLabels> {
    if (before == nullptr || path.empty()) return nullptr;
    return path == before->fixed_path ? fixed_ : path == before->moving_path ? moving_ : nullptr;
  };
  std::tie(fixed_, moving_) = std::pair(kept(pair.fixed_path), kept(pair.moving_path));
  carried_.forget();
  show();
}

void ImageLabels::take(Side side, std::shared_ptr<const NamedLabels> labels) {
  if (!labels->labels.remarks.empty()) {
    context_.show_warning(tr("%1: %2").arg(QString::fromStdString(labels->path.filename().string()),
                                           QString::fromStdString(labels->labels.remarks.text())));
  }
  labels_of(side) = std::move(labels);
  context_.availability_changed();
  graph_.update();
}

nlohmann::json ImageLabels::state() const {
  nlohmann::json state = nlohmann::json::object();
  for (const Side side : both_sides) {
    const auto& labels = side == Side::moving ? moving_ : fixed_;
    if (labels != nullptr && !labels->path.empty()) state[key_of(side)] = labels->path.string();
  }
  return state;
}

void ImageLabels::restore(const nlohmann::json& state) {
  for (const Side side : both_sides) {
    if (const auto path = state.find(key_of(side)); path != state.end()) read(side, path->get<std::string>());
  }
}

void ImageLabels::when_carried(std::function<void()> then) {
  if (empty()) return then();
  carried_.when_settled([then = std::move(then)](const auto&) { then(); });
}

void ImageLabels::bind_commands() {
  const auto ask = [this](const QString& title, const QString& filter, Wanted wanted,
                          const std::string& command) {
    workbench::ask_and_run(context_, *this, *views_->window(), {title, filter, wanted}, command);
  };
  const auto bind_open = [&](const std::string& name, Side side, const QString& title) {
    context_.commands.bind(
        name,
        [this, ask, name, side, title](const Arguments& arguments) {
          if (arguments.has("path")) return read(side, arguments.text("path"));
          ask(title, tr("Label maps (*.nii *.nii.gz *.nrrd *.nhdr *.mha *.mhd *.hdr);;All files (*)"),
              Wanted::file, name);
        },
        [this, side] {
          const PairPointer pair = pair_();
          return side == Side::fixed || (pair != nullptr && pair->has_moving())
                     ? std::string()
                     : said(tr("Open a moving image first."));
        });
  };
  bind_open("anatomy.labels.open", Side::moving, tr("Open labels of the moving image"));
  bind_open("anatomy.fixed-labels.open", Side::fixed, tr("Open labels of the fixed image"));
  context_.commands.bind(
      "anatomy.labels.save",
      [this, ask](const Arguments& arguments) {
        if (arguments.has("path")) return save(arguments.text("path"));
        ask(tr("Save carried labels"), tr("Images (*.nii.gz *.nii *.nrrd *.mha)"), Wanted::new_file,
            "anatomy.labels.save");
      },
      [this] {
        return moving_ == nullptr ? said(tr("Open labels of the moving image first.")) : std::string();
      });
}

void ImageLabels::read(Side side, const std::filesystem::path& path) {
  context_.jobs.submit(
      said(tr("Open %1"), path.filename().string()), {},
      [this, side, path, of = pair_()](const jobs::Progress& progress) {
        context_.on_gui_thread(guarded(this, [this, side, of, labels = read_named_labels(path, progress)] {
          const PairPointer pair = pair_();
          if (pair == nullptr || of == nullptr || pair->fixed_path != of->fixed_path ||
              (side == Side::moving && pair->moving_path != of->moving_path))
            return;  // others were opened meanwhile
          take(side, labels);
          context_.state_changed();
        }));
      });
}

void ImageLabels::save(const std::filesystem::path& path) {
  when_aligned_([this, path] {
    carried_.when_settled([this, path](const auto& labels) {
      if (labels == nullptr || labels->carried == nullptr) return;
      LabelInputs whole = *carried_.asked();
      whole.morph = 1;
      context_.jobs.submit(said(tr("Write %1"), path.filename().string()), {},
                           [this, whole, path](const jobs::Progress& progress) {
                             const Remarks remarks = write_labels(*carry(whole, progress)->carried, path);
                             context_.on_gui_thread(guarded(this, [this, remarks] {
                               if (!remarks.empty())
                                 context_.show_warning(QString::fromStdString(remarks.text()));
                             }));
                           });
    });
  });
}

void ImageLabels::show() {
  overlays_.set_labels(carried_.value());
  if (panel_) panel_->show_labels(carried_.value());
  Q_EMIT changed();
}

}  // namespace isolume::labs::anatomy

#include "moc_image_labels.cpp"
