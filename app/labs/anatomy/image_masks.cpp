#include "app/labs/anatomy/image_masks.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <limits>
#include <utility>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/ask_for_file.h"
#include "core/volumes/warp.h"

namespace isolume::labs::anatomy {

using namespace isolume::anatomy;
using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

std::shared_ptr<const slices::LabelMap> outside_of(const MaskInputs& inputs, const jobs::Progress& progress) {
  const grid::Grid& grid = inputs.pair->grid;
  const Eigen::Affine3d map =
      inputs.placement != nullptr ? inputs.placement->found.map : Eigen::Affine3d::Identity();
  const FieldValues fixed =
      inputs.masks.fixed != nullptr ? inside_on(*inputs.masks.fixed, grid) : FieldValues();
  progress.check();
  FieldValues moving =
      inputs.masks.moving != nullptr ? inside_on(*inputs.masks.moving, grid, map) : FieldValues();
  if (!moving.empty() && inputs.alignment != nullptr) {
    const FieldValues placed = moving;
    volumes::warp(placed, inputs.alignment->displacement, moving);
  }
  auto outside = std::make_shared<slices::LabelMap>();
  outside->counts = grid.dimensions;
  outside->colours = {0xff000000U};
  outside->numbers = FieldValues(grid.point_count(), 0.F);
  for (std::size_t i = 0; i < outside->numbers.size(); ++i) {
    const bool is_inside = (fixed.empty() || fixed[i] > 0) && (moving.empty() || moving[i] >= 0.5F);
    if (is_inside) outside->numbers[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return outside;
}

ImageMasks::ImageMasks(workbench::LabContext& context, graph::Graph& graph, slices::LinkedSlices& views,
                       std::function<MaskInputs()> place)
    : context_(context),
      graph_(graph),
      views_(&views),
      place_(std::move(place)),
      outside_map_(graph, {.name = said(tr("Masks")),
                           .channel = "anatomy.masks",
                           .inputs = [this]() -> std::optional<MaskInputs> {
                             MaskInputs inputs = place_();
                             inputs.masks = masks_;
                             if (inputs.pair == nullptr || masks_ == MaskPair{}) return std::nullopt;
                             return inputs;
                           },
                           .compute = outside_of,
                           .taken = [this](const auto&) { show(); }}) {
  bind_commands();
  views.add_overlay(
      [this](QPainter& painter, const slices::SliceView& view) { outside_.paint(painter, view); },
      slices::SliceView::Drawn::kept);
}

QWidget* ImageMasks::make_rows() {
  auto* rows = new QWidget;
  auto* layout = new QGridLayout(rows);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setColumnStretch(1, 1);
  const std::array titles{tr("Fixed mask"), tr("Moving mask")};
  for (const Side side : both_sides) {
    const std::string image = name_of(side);
    const auto run = [this, image](const char* command) {
      return [this, image, command] { context_.commands.run(command, std::vector{image}); };
    };
    auto* file = new QLabel;
    file->setObjectName(QStringLiteral("anatomy.mask.") + QString::fromStdString(image));
    auto* open = new QPushButton(tr("Open..."));
    open->setToolTip(tr("Opens a label map: the images are compared where it is not 0."));
    auto* remove = new QPushButton(tr("Remove"));
    remove->setToolTip(tr("Compares the whole image again."));
    connect(open, &QPushButton::clicked, this, run("anatomy.mask.open"));
    connect(remove, &QPushButton::clicked, this, run("anatomy.mask.remove"));
    int column = 0;
    for (QWidget* each : std::initializer_list<QWidget*>{new QLabel(titles[side]), file, open, remove})
      layout->addWidget(each, side, column++);
    rows_[side] = {file, remove};
  }
  show();
  return rows;
}

void ImageMasks::open(const Pair* before, const Pair& pair) {
  const MaskPair present = masks_;
  const auto kept = [&](const std::filesystem::path& path) -> std::shared_ptr<const Mask> {
    if (before == nullptr || path.empty()) return nullptr;
    return path == before->fixed_path    ? present.fixed
           : path == before->moving_path ? present.moving
                                         : nullptr;
  };
  masks_ = {.fixed = kept(pair.fixed_path), .moving = kept(pair.moving_path)};
  outside_map_.forget();
  show();
}

nlohmann::json ImageMasks::state() const {
  nlohmann::json state = nlohmann::json::object();
  if (masks_.fixed != nullptr) state["fixed"] = masks_.fixed->path.string();
  if (masks_.moving != nullptr) state["moving"] = masks_.moving->path.string();
  return state;
}

void ImageMasks::restore(const nlohmann::json& state) {
  for (const Side side : both_sides) {
    if (const auto path = state.find(name_of(side)); path != state.end())
      read(side, path->get<std::string>());
  }
}

void ImageMasks::set_dimming(double dimming) {
  outside_.set_opacity(dimming);
  if (views_) views_->update_overlays();
}

slices::SliceView::Overlay ImageMasks::over_picture() const {
  return [layer = outside_](QPainter& painter, const slices::SliceView& view) mutable {
    layer.paint(painter, view);
  };
}

void ImageMasks::bind_commands() {
  context_.commands.bind(
      "anatomy.mask.open",
      [this](const Arguments& arguments) {
        const std::string image = arguments.text("image");
        const Side side = side_of(image);
        if (arguments.has("path")) return read(side, arguments.text("path"));
        workbench::ask_and_run(
            context_, *this, *views_->window(),
            {side == fixed ? tr("Open mask of the fixed image") : tr("Open mask of the moving image"),
             tr("Label maps (*.nii *.nii.gz *.nrrd *.nhdr *.mha *.mhd *.hdr);;All files (*)"), Wanted::file},
            "anatomy.mask.open", {image});
      },
      [this] { return place_().pair == nullptr ? said(tr("Open an image first.")) : std::string(); });
  context_.commands.bind(
      "anatomy.mask.remove",
      [this](const Arguments& arguments) {
        mask_of(side_of(arguments.text("image"))).reset();
        show();
        context_.availability_changed();
        Q_EMIT changed();
      },
      [this] { return masks_ == MaskPair{} ? said(tr("There is no mask.")) : std::string(); });
}

void ImageMasks::read(Side side, const std::filesystem::path& path) {
  const std::shared_ptr<const Pair> pair = place_().pair;
  if (side == moving && !pair->has_moving()) throw Error(said(tr("Open a moving image first.")));
  context_.jobs.submit(said(tr("Open %1"), path.filename().string()), {},
                       [this, side, path, pair](const jobs::Progress& progress) {
                         auto mask = std::make_shared<const Mask>(read_mask(path, progress));
                         const auto& file = side == fixed ? pair->fixed_path : pair->moving_path;
                         // A mask of another image is refused before anything is registered.
                         (void)inside_image(
                             *mask, side == fixed ? pair->grid : pair->moving_image->grid(),
                             file.empty() ? said(tr("the phantom")) : file.filename().string());
                         context_.on_gui_thread(guarded(this, [this, side, mask, pair] {
                           if (place_().pair == nullptr || place_().pair->fixed_path != pair->fixed_path ||
                               place_().pair->moving_path != pair->moving_path)
                             return;  // others were opened meanwhile
                           if (!mask->remarks.empty())
                             context_.show_warning(QString::fromStdString(mask->remarks.text()));
                           mask_of(side) = mask;
                           show();
                           context_.availability_changed();
                           context_.state_changed();
                           Q_EMIT changed();
                         }));
                       });
}

void ImageMasks::show() {
  outside_.set_map(masks_ == MaskPair{} ? nullptr : outside_map_.value());
  for (const Side side : both_sides) {
    const auto& mask = mask_of(side);
    if (!rows_[side].file) continue;
    rows_[side].file->setText(mask == nullptr ? tr("None")
                                              : QString::fromStdString(mask->path.filename().string()));
    rows_[side].file->setToolTip(mask == nullptr ? QString() : QString::fromStdString(mask->path.string()));
    rows_[side].remove->setEnabled(mask != nullptr);
  }
  if (views_) views_->update_overlays();
}

}  // namespace isolume::labs::anatomy

#include "moc_image_masks.cpp"
