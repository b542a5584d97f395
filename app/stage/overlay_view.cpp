#include "app/stage/overlay_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>  // where a window lies

#include "app/stage/keys.h"
#include "app/stage/legend_bar.h"
#include "app/stage/parameter_sliders.h"
#include "app/stage/person.h"
#include "core/base/font_file.h"
#include "core/base/logging.h"
#include "core/base/shown_number.h"

namespace isolume::stage {
namespace {

constexpr float text_pixels = 16, large_pixels = 34;
constexpr float panel_width = 400, right_width = 200, margin_width = 10;
constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
constexpr ImU32 white = IM_COL32(255, 255, 255, 235), shadow = IM_COL32(0, 0, 0, 200);

/// Ranges of characters: Latin with accents, Greek, superscripts with their fraction stroke, and the punctuation of captions.
constexpr std::array<ImWchar, 13> letters{0x20,   0x17f,  0x370,  0x3ff,  0x141f, 0x141f, 0x2000,
                                          0x2027, 0x2070, 0x209f, 0x2190, 0x22ff, 0};

ImFont* font_of(float pixels) {
  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  const std::string path = font_file();
  if (!path.empty()) return fonts.AddFontFromFileTTF(path.c_str(), pixels, nullptr, letters.data());
  log::warning(
      "DejaVu Sans is not installed: texts use a coarser font without Greek letters. Install the package "
      "fonts-dejavu-core.");
  ImFontConfig config;
  config.SizePixels = pixels;
  return fonts.AddFontDefault(&config);
}

void set_style(float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  ImGui::StyleColorsDark();
  style.WindowRounding = style.FrameRounding = style.GrabRounding = 4;
  style.WindowBorderSize = 0;
  style.Colors[ImGuiCol_WindowBg].w = 0.78F;
  style.Colors[ImGuiCol_PlotLines] = {0.34F, 0.71F, 0.91F, 1};
  style.ScaleAllSizes(scale);
}

void graph(const Series& series, ImVec2 size) {
  constexpr float text_free = 2.4F;  // the lines stay below the text
  float high = 0;
  for (std::size_t i = 0; i < series.size(); ++i) high = std::max(high, std::abs(series.at(i)));
  const std::string newest =
      series.size() == 0 ? "..." : fmt::format("{} {}", shown_reading(series.newest(), 3), series.unit());
  const std::string text = fmt::format("{}\n{}", series.label(), newest);
  ImGui::PushID(series.label().c_str());
  ImGui::PlotLines(
      "##graph",
      [](void* of, int i) { return static_cast<const Series*>(of)->at(static_cast<std::size_t>(i)); },
      const_cast<Series*>(&series), static_cast<int>(series.size()), 0, text.c_str(), 0,
      high > 0 ? text_free * high : 1, size);
  ImGui::PopID();
}

}  // namespace

float scale_of(PixelSize size, float screen) {
  constexpr float usual_height = 1080, least = 0.7F;
  const float by_height = std::max(screen, static_cast<float>(size.height) / usual_height);
  const float by_width = static_cast<float>(size.width) / (1.5F * panel_width);
  return std::max(std::min(by_height, by_width), least);
}

OverlayView::OverlayView(Window* window, float scale) : window_(window), chosen_scale_(scale) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  if (window_ != nullptr) ImGui_ImplGlfw_InitForOpenGL(window_->handle(), true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
}

OverlayView::~OverlayView() {
  ImGui_ImplOpenGL3_Shutdown();
  if (window_ != nullptr) ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

void OverlayView::set_scale(float scale) {
  constexpr float unseen =
      0.05F;  // building fonts takes time, and dragging a window's edge would request many
  if (std::abs(scale - scale_) < unseen * scale_) return;
  scale_ = scale;
  set_style(scale);
  ImGui::GetIO().Fonts->Clear();
  font_of(text_pixels * scale);  // ImGui uses the first font by default
  large_ = font_of(large_pixels * scale);
  ImGui_ImplOpenGL3_DestroyDeviceObjects();  // NewFrame() makes them again, with the texture of these fonts
}

void OverlayView::lay_out(Stage& stage, PixelSize size, float seconds) {
  set_scale(chosen_scale_ > 0 ? chosen_scale_ : scale_of(size, window_ != nullptr ? window_->scale() : 1));
  ImGui_ImplOpenGL3_NewFrame();
  std::vector<int> presses, taps;  // ImGui knows only the keys that are down at the beginning of a frame
  if (window_ != nullptr) {
    ImGui_ImplGlfw_NewFrame();
    taps = presses = window_->take_presses();
    auto& down = ImGui::GetIO().KeysDown;
    std::erase_if(taps, [&down](int key) { return std::exchange(down[key], true); });
  } else {
    ImGui::GetIO().DisplaySize = {static_cast<float>(size.width), static_cast<float>(size.height)};
    ImGui::GetIO().DeltaTime = std::max(seconds, 1e-4F);
  }
  ImGui::NewFrame();
  for (int key = GLFW_KEY_SPACE; window_ == nullptr && key <= GLFW_KEY_LAST; ++key) {
    if (ImGui::IsKeyPressed(key, false)) presses.push_back(key);
  }
  take_keys(stage, presses);
  for (const int key : taps) ImGui::GetIO().KeysDown[key] = false;
  take_mouse(stage);
  GLFWgamepadstate gamepad{};
  if (window_ != nullptr && glfwGetGamepadState(GLFW_JOYSTICK_1, &gamepad) == GLFW_TRUE)
    take_gamepad(stage, gamepad, seconds);
  const bool presented = stage.presenter().on();
  const bool shows_panel = stage.overlays().panel && !presented;
  stage.covered = shows_panel ? static_cast<int>((margin_width + panel_width) * scale_) : 0;
  // In a narrow picture the room next to the panel is left to the scene.
  const float taken = (panel_width + right_width + 4 * margin_width) * scale_;
  const bool has_room = !shows_panel || static_cast<float>(size.width) > taken + 0.5F * panel_width * scale_;
  caption_boxes_.clear();
  if (shows_panel) panel(stage);
  const float below_graphs = shows_panel && has_room ? graphs(stage) : 0;
  if (stage.overlays().help) {
    help();
  } else if (stage.overlays().caption) {
    if (has_room) legend(stage, below_graphs);
    captions(stage, size);
  }
  marks(stage, size);
  movie_dialog_.lay_out(stage, scale_);
  ImGui::Render();
}

void OverlayView::draw() const {
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void OverlayView::time_controls(Stage& stage) {
  Scene& scene = stage.scene();
  const auto button = [&](const char* label, const char* command, const char* help) {
    if (ImGui::Button(label)) stage.run(command);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", help);
    ImGui::SameLine();
  };
  button(scene.playing() ? "Pause" : "Play", "stage.toggle", "Space");
  button("-1", "stage.step -1", "One frame back (,)");
  button("+1", "stage.step 1", "One frame forward (.)");
  button(scene.reversed() ? "Forwards" : "Backwards", "stage.reverse", "R");
  button("Restart", "stage.restart", "Home");
  ImGui::NewLine();
  const Moment moment = scene.moment();
  double now = moment.now;
  if (!(moment.high > moment.low)) return;
  // Next to the slider, whose knob would cover it.
  const std::string text = fmt::format("{} {}", shown_reading(now), moment.unit);
  ImGui::SetNextItemWidth(-ImGui::CalcTextSize("0.0001 units of time").x);
  if (slider_without_text("##time", ImGuiDataType_Double, &now, &moment.low, &moment.high, "%.4g",
                          ImGuiSliderFlags_None))
    stage.run(fmt::format("stage.seek {}", now));
  ImGui::SameLine();
  ImGui::TextUnformatted(text.c_str());
}

void OverlayView::panel(Stage& stage) {
  const ImGuiIO& io = ImGui::GetIO();
  const float margin = margin_width * scale_;
  ImGui::SetNextWindowPos({margin, margin});
  ImGui::SetNextWindowSize({panel_width * scale_, 0});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {panel_width * scale_, io.DisplaySize.y - 2 * margin});
  ImGui::Begin("##panel", nullptr, fixed | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::SetNextItemWidth(-1);
  if (ImGui::BeginCombo("##scene", stage.choice().title.c_str())) {
    std::string chosen;
    for (const SceneChoice& each : stage.choices()) {
      if (ImGui::Selectable(each.title.c_str(), each.name == stage.choice().name)) chosen = each.name;
    }
    ImGui::EndCombo();
    if (!chosen.empty()) stage.run("stage.scene " + chosen);
  }
  time_controls(stage);
  if (const std::string trouble = stage.scene().trouble(); !trouble.empty())
    ImGui::TextWrapped("%s", trouble.c_str());
  draw_parameter_sliders(stage.scene().parameters(), [&](const std::string& key, const std::string& value) {
    stage.run(commands::line_of("parameter.set", std::array{key, value}));
  });
  ImGui::TextDisabled("F1: keys   Tab: hide this   P: presenter mode");
  ImGui::End();
}

float OverlayView::graphs(const Stage& stage) const {
  const float margin = margin_width * scale_, width = right_width * scale_;
  ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x - width - margin, margin});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::Begin("##measurements", nullptr, fixed | ImGuiWindowFlags_NoTitleBar);
  const ImVec2 size{ImGui::GetContentRegionAvail().x, 56 * scale_};
  graph(stage.picture_times(), size);
  const float lowest = ImGui::GetIO().DisplaySize.y - size.y - 3 * margin;
  for (const Series* each : stage.scene().graphs()) {
    if (ImGui::GetCursorScreenPos().y < lowest) graph(*each, size);
  }
  const float end = ImGui::GetWindowPos().y + ImGui::GetWindowSize().y;
  ImGui::End();
  return end;
}

void OverlayView::legend(const Stage& stage, float top) const {
  const auto legend = stage.scene().legend();
  if (!legend) return;
  constexpr float least_lines = 5;  // title, bar, numbers and borders
  if (top + least_lines * text_pixels * scale_ > ImGui::GetIO().DisplaySize.y) return;
  const float margin = margin_width * scale_, width = right_width * scale_;
  ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x - width - margin, top + margin});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::Begin("##legend", nullptr, fixed | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoInputs);
  draw_legend(*legend, scale_);
  ImGui::End();
}

void OverlayView::captions(const Stage& stage, PixelSize picture) {
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  std::vector<std::string> lines = stage.scene().caption(stage.fitted_camera(picture));
  if (!stage.notice().empty()) lines.push_back(stage.notice());
  const bool panel = stage.overlays().panel && !stage.presenter().on();
  const float left = (panel ? panel_width + 40 : 40) * scale_;
  const float room = size.x - left - 20 * scale_;
  if (panel && room < 0.6F * panel_width * scale_)
    return;  // too narrow for readable text while the panel is shown
  const auto shrunk = [&](const ImFont& font, float pixels, const std::string& text) {
    const float width = font.CalcTextSizeA(pixels, 1e6F, 0, text.c_str()).x;
    return width > room && room > 0 ? pixels * room / width : pixels;
  };
  float y = size.y - 30 * scale_;
  for (std::size_t i = lines.size(); i-- > 0;) {
    const bool title = i == 0;
    const float usual = (title ? large_pixels : 0.62F * large_pixels) * scale_;
    const float pixels = shrunk(*large_, stage.presenter().on() ? 1.4F * usual : usual, lines[i]);
    y -= 1.25F * pixels;
    caption_boxes_.emplace_back(
        Eigen::Vector2d(left, y),
        Eigen::Vector2d(left + large_->CalcTextSizeA(pixels, 1e6F, 0, lines[i].c_str()).x, y + pixels));
    const float offset = std::max(1.0F, 0.05F * pixels);
    list.AddText(large_, pixels, {left + offset, y + offset}, shadow, lines[i].c_str());
    list.AddText(large_, pixels, {left, y}, white, lines[i].c_str());
  }
}

namespace {

/// The boxes of the panels of this picture.
std::vector<pictures::PictureBox> panel_boxes() {
  std::vector<pictures::PictureBox> boxes;
  for (const char* name : {"##panel", "##measurements", "##legend", "Keys"}) {
    const ImGuiWindow* window = ImGui::FindWindowByName(name);
    if (window == nullptr || !window->Active) continue;
    const ImRect box = window->Rect();
    boxes.emplace_back(Eigen::Vector2d(box.Min.x, box.Min.y), Eigen::Vector2d(box.Max.x, box.Max.y));
  }
  return boxes;
}

}  // namespace

/// Lines and names of the scene, below the panels.
void OverlayView::marks(const Stage& stage, PixelSize size) {
  constexpr ImU32 dim = IM_COL32(120, 145, 190, 150),
                  pale = IM_COL32(209, 224, 255, 255);  // as in the window
  const Marks marks = stage.scene().marks();
  const opengl::Eye eye = stage.eye(size);
  const Eigen::Matrix4f onto_picture =
      Eigen::Matrix4f::Map(eye.projection.data()) * Eigen::Matrix4f::Map(eye.view.data());
  const Eigen::Array2f whole(size.width, size.height);
  /// In pixels, and how far away; that is negative behind the camera.
  const auto at = [&](const opengl::Vector3& place) -> Eigen::Array3f {
    const Eigen::Vector4f there = onto_picture * Eigen::Vector4f(place[0], place[1], place[2], 1);
    return {(there.x() / there.w() + 1) / 2 * whole.x(), (1 - there.y() / there.w()) / 2 * whole.y(),
            there.w()};
  };
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  for (const auto& line : marks.lines) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      const Eigen::Array3f from = at(line[i - 1]), to = at(line[i]);
      if (from.z() > 0 && to.z() > 0) list.AddLine({from.x(), from.y()}, {to.x(), to.y()}, dim, scale_);
    }
  }
  constexpr float dot = 4;
  std::vector<pictures::SpotOnPicture> spots;
  for (const Marks::Name& each : marks.names) {
    const Eigen::Array3f middle = at(each.place);
    const float drawn = each.radius * eye.projection[5] / middle.z() * whole.y() / 2;
    const ImVec2 extent = ImGui::CalcTextSize(each.text.c_str());
    pictures::SpotOnPicture spot{.x = middle.x(),
                                 .y = middle.y(),
                                 .radius = std::max(dot * scale_, drawn),
                                 .width = extent.x,
                                 .height = extent.y,
                                 .visible = middle.z() > 0};
    if (const auto side = sides_.find(each.text); side != sides_.end()) spot.side = side->second;
    spots.push_back(spot);
  }
  auto taken = panel_boxes();
  taken.insert(taken.end(), caption_boxes_.begin(), caption_boxes_.end());
  const pictures::PictureBox picture(Eigen::Vector2d::Zero(), whole.matrix().cast<double>());
  for (const pictures::NameBox& each : pictures::arranged_names(spots, picture, taken)) {
    const std::string& text = marks.names[each.number].text;
    list.AddText({static_cast<float>(each.left), static_cast<float>(each.bottom)}, pale, text.c_str());
    sides_[text] = each.side;
  }
}

void OverlayView::help() const {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0.5F * size.x, 0.5F * size.y}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(820 * scale_, 0.95F * size.x), 0});
  ImGui::SetNextWindowBgAlpha(0.92F);
  ImGui::Begin("Keys", nullptr, fixed);
  ImGui::BeginTable("keys", 2);
  ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthStretch, 0.28F);
  ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch, 0.72F);
  const auto row = [](const char* key, const char* what) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(key);
    ImGui::TableNextColumn();
    ImGui::TextWrapped("%s", what);
  };
  for (const Held& each : held()) row(each.shown, each.help);
  for (const Key& each : keys()) row(each.shown, each.help);
  ImGui::EndTable();
  ImGui::End();
}

}  // namespace isolume::stage
