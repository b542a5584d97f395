#include "app/labs/anatomy/image_filters.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/ask_for_file.h"

namespace isolume::labs::anatomy {
namespace {

using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

constexpr std::array both_sides{FiltersPanel::Side::fixed, FiltersPanel::Side::moving};

const char* name_of(FiltersPanel::Side side) {
  return side == FiltersPanel::Side::moving ? "moving" : "fixed";
}

}  // namespace

ImageFilters::ImageFilters(workbench::LabContext& context, graph::Graph& graph,
                           std::function<QWidget*()> window,
                           std::function<void(const PairPointer& pair)> taken)
    : context_(context),
      window_(std::move(window)),
      taken_(std::move(taken)),
      fixed_(graph, declaration(Side::fixed)),
      moving_(graph, declaration(Side::moving)),
      both_(graph, {.name = said(tr("Filtered images")),
                    .channel = "anatomy.filters",
                    .inputs = [this] { return pair_inputs(); },
                    .compute = filtered_pair,
                    .taken =
                        [this](const PairPointer& pair) {
                          pair_ = pair != nullptr ? pair : opened_;
                          taken_(pair_);
                        }}) {
  bind_commands();
}

ImageFilters::ImageNode::Declaration ImageFilters::declaration(Side side) {
  return {.name = said(side == Side::moving ? tr("Filters of the moving image")
                                            : tr("Filters of the fixed image")),
          .channel = std::string("anatomy.filters.") + name_of(side),
          .inputs = [this, side]() -> std::optional<FilterInputs> {
            if (!is_filtered(side)) return std::nullopt;
            return FilterInputs{opened_, side == Side::fixed, text_of(side)};
          },
          .compute = filtered_image,
          .taken = [this, side](const auto& filtered) { report(side, filtered.get()); }};
}

bool ImageFilters::is_filtered(Side side) {
  return opened_ != nullptr && !text_of(side).empty() && (side == Side::fixed || opened_->has_moving());
}

/// Empty while filters are being applied, and where there is nothing to do.
std::optional<FilteredPairInputs> ImageFilters::pair_inputs() {
  FilteredPairInputs inputs{opened_, nullptr, nullptr};
  for (const Side side : both_sides) {
    if (!is_filtered(side)) continue;
    if (!node_of(side).settled()) return std::nullopt;
    (side == Side::fixed ? inputs.fixed : inputs.moving) = node_of(side).value();
  }
  const bool is_as_opened = inputs.fixed == nullptr && inputs.moving == nullptr && pair_ == opened_;
  return is_as_opened ? std::nullopt : std::optional(inputs);
}

void ImageFilters::set(std::string_view key, const parameters::Value& value) {
  set_.assign(key, filters::text_of(filters::parse_chain(std::get<std::string>(value))));
  show();
}

FiltersPanel* ImageFilters::make_panel() {
  panel_ = new FiltersPanel;
  connect(panel_, &FiltersPanel::changed, this, &ImageFilters::set_text);
  connect(panel_, &FiltersPanel::gesture_begun, this, [this] { context_.begin_gesture(); });
  connect(panel_, &FiltersPanel::gesture_ended, this, [this] { context_.end_gesture(); });
  const auto run = [this](const char* command) {
    return [this, command](Side side) {
      context_.commands.run(command, std::vector<std::string>{name_of(side)});
    };
  };
  connect(panel_, &FiltersPanel::open_asked, this, run("anatomy.filters.open"));
  connect(panel_, &FiltersPanel::save_asked, this, run("anatomy.filters.save"));
  return panel_;
}

void ImageFilters::open(const PairPointer& pair) {
  fixed_.forget();
  moving_.forget();
  both_.forget();
  const auto kept = [this](const std::filesystem::path& path) -> std::string {
    if (opened_ == nullptr || path.empty()) return {};
    if (path == opened_->fixed_path) return texts_.fixed;
    return path == opened_->moving_path ? texts_.moving : std::string();
  };
  texts_ = {.moving = kept(pair->moving_path), .fixed = kept(pair->fixed_path)};
  opened_ = pair_ = pair;
  if (panel_) {
    panel_->show_spacing(Side::fixed, pair->grid.spacing().minCoeff());
    if (pair->has_moving())
      panel_->show_spacing(Side::moving, pair->moving_image->grid().spacing().minCoeff());
  }
  show();
}

std::string ImageFilters::names() const {
  std::string names;
  for (const std::string& text : {texts_.fixed, texts_.moving}) {
    const filters::Chain chain = filters::parse_chain(text);
    for (std::size_t i = 0; i < chain.size(); ++i) names += chain[i].kind().name + ' ';
    names += '/';
  }
  return names;
}

void ImageFilters::show() {
  for (const Side side : both_sides) {
    if (panel_) panel_->show_filters(side, text_of(side));
    if (is_filtered(side)) continue;
    node_of(side).cancel();
    report(side, nullptr);
  }
}

void ImageFilters::report(Side side, const FilteredImage* filtered) {
  if (!panel_) return;
  QString text;
  if (filtered != nullptr) {
    double seconds = 0;
    for (const auto& each : filtered->report) seconds += each.at("seconds").get<double>();
    text = tr("Applied in %1 s").arg(seconds, 0, 'f', 2);
    if (const std::string remarks = filtered->image->remarks.text(); !remarks.empty())
      text += QStringLiteral("\n") + QString::fromStdString(remarks);
  } else if (is_filtered(side)) {
    text = tr("The filters could not be applied: the image is shown and registered without them.");
  }
  panel_->show_report(side, text);
}

void ImageFilters::set_text(Side side, const std::string& text) {
  context_.commands.run("parameter.set", std::vector{std::string(name_of(side)) + "-filters", text});
}

void ImageFilters::bind_commands() {
  const auto bind = [this](const char* name, const QString& title, Wanted wanted, const QString& files,
                           auto act) {
    context_.commands.bind(
        name,
        [this, name, title, wanted, files, act](const Arguments& arguments) {
          const std::string image = arguments.text("image");
          if (arguments.has("path"))
            return act(image == "fixed" ? Side::fixed : Side::moving, arguments.text("path"));
          workbench::ask_and_run(context_, *this, *window_(), {title, files, wanted}, name, {image});
        },
        [this] { return opened_ == nullptr ? said(tr("Open an image first.")) : std::string(); });
  };
  const QString chains = tr("Filters (*.json)");
  bind("anatomy.filters.open", tr("Open filters"), Wanted::file, chains,
       [this](Side side, const std::filesystem::path& path) {
         context_.jobs.submit(
             said(tr("Open %1"), path.filename().string()), {}, [this, side, path](const jobs::Progress&) {
               context_.on_gui_thread(
                   guarded(this, [this, side, chain = filters::text_of(filters::read_chain(path))] {
                     context_.set_parameters(tr("Open filters"),
                                             {{std::string(name_of(side)) + "-filters", chain}});
                   }));
             });
       });
  bind("anatomy.filters.save", tr("Save filters"), Wanted::new_file, chains,
       [this](Side side, const std::filesystem::path& path) {
         context_.jobs.submit(said(tr("Write %1"), path.filename().string()), {},
                              [chain = filters::parse_chain(text_of(side)), path](const jobs::Progress&) {
                                filters::write_chain(chain, path);
                              });
       });
  bind("anatomy.filtered.save", tr("Save filtered image"), Wanted::new_file,
       tr("Images (*.nii.gz *.nii *.nrrd *.mha)"),
       [this](Side side, const std::filesystem::path& path) { save(side, path); });
}

void ImageFilters::save(Side side, const std::filesystem::path& path) {
  if (side == Side::moving && !opened_->has_moving()) throw Error(said(tr("Open a moving image first.")));
  when_applied([this, side, path] {
    context_.jobs.submit(said(tr("Write %1"), path.filename().string()), {},
                         [this, side, path, pair = pair_](const jobs::Progress&) {
                           const isolume::anatomy::Image* moving = pair->moving_image.get();
                           const Remarks remarks =
                               side == Side::fixed
                                   ? isolume::anatomy::write_image(pair->grid, pair->fixed, path)
                                   : isolume::anatomy::write_image(moving->grid(),
                                                                   moving->field.values.host(), path);
                           context_.on_gui_thread(guarded(this, [this, remarks] {
                             if (!remarks.empty())
                               context_.show_warning(QString::fromStdString(remarks.text()));
                           }));
                         });
  });
}

void ImageFilters::when_applied(std::function<void()> then) {
  const auto both = [this, then = std::move(then)] {
    if (!pair_inputs()) return then();
    both_.when_settled([then](const PairPointer&) { then(); });
  };
  const auto moving = [this, both] {
    if (!is_filtered(Side::moving)) return both();
    moving_.when_settled([both](const auto&) { both(); });
  };
  if (!is_filtered(Side::fixed)) return moving();
  fixed_.when_settled([moving](const auto&) { moving(); });
}

}  // namespace isolume::labs::anatomy

#include "moc_image_filters.cpp"
