#pragma once

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/labs/livewire/livewire_lab.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/window/main_window.h"
#include "core/contours/files.h"
#include "core/contours/label_map.h"
#include "core/images/document.h"
#include "gpu/machine.h"
#include "tests/app/patience.h"
#include "tests/app/workbench/fake_lab.h"

namespace isolume::labs::livewire {

/// A ball of 1000 HU in nothing, with noise of 100 HU: the signal-to-noise ratio is 10.
struct Ball {
  Eigen::Vector3d centre{64, 60, 3};  ///< voxels
  double radius_mm = 16;
  images::Geometry geometry = [] {
    images::Geometry fine;
    fine.dimensions = {128, 128, 7};
    fine.set_spacing({0.5, 0.5, 2});
    return fine;
  }();

  /// Of its disc on a slice, in pixels.
  double radius_px(int slice) const {
    const double off = (slice - centre.z()) * geometry.spacing().z();
    return std::sqrt(radius_mm * radius_mm - off * off) / geometry.spacing().x();
  }
  Eigen::Vector2d at(int slice, double degrees) const {
    const double angle = degrees * std::numbers::pi / 180;
    return Eigen::Vector2d(centre.x(), centre.y()) +
           radius_px(slice) * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  }
  bool inside(int x, int y, int slice) const {
    return slice >= 0 && std::hypot(x - centre.x(), y - centre.y()) <= radius_px(slice);
  }
  void write(const std::filesystem::path& path) const {
    auto voxels = images::allocate_voxels(geometry, images::PixelType::int16);
    auto* value = reinterpret_cast<std::int16_t*>(voxels.get());
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0, 100);
    for (int k = 0; k < geometry.dimensions[2]; ++k) {
      for (int y = 0; y < geometry.dimensions[1]; ++y) {
        for (int x = 0; x < geometry.dimensions[0]; ++x)
          *value++ = static_cast<std::int16_t>(std::lround((inside(x, y, k) ? 1000 : 0) + noise(random)));
      }
    }
    images::Volume volume;
    volume.geometry = geometry;
    volume.type = images::PixelType::int16;
    volume.storage = std::move(voxels);
    images::write_volume(volume, path);
  }
};

/// The lab in the real window.
class LabTest : public testing::Test {
 protected:
  LabTest() {
    QSettings().clear();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    open_window();
  }
  void open_window() {
    window = std::make_unique<workbench::MainWindow>(std::vector{lab_entry()}, gpu::make_device_pool);
    window->resize(900, 640);  // drawn by the processor: every pixel takes time
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());  // there is no window manager to do it
  }
  void open_ball() {
    const auto path = file("ball.nrrd");
    if (!std::filesystem::exists(path)) ball.write(path);
    ASSERT_EQ(run({"file.open " + path, "livewire.slice.show axial 4"}), "");
  }
  std::string file(const char* name) const { return folder.filePath(QString(name)).toStdString(); }
  /// Runs the lines, each when the work of the one before has ended; gives the error, or nothing.
  std::string run(const std::vector<std::string>& lines) {
    settle();
    std::optional<std::string> end;
    std::vector<commands::ScriptLine> script;
    for (const std::string& line : lines) script.push_back({"", line});
    window->run_script(script, [&end](const std::string& error) { end = error; });
    return QTest::qWaitFor([&] { return end.has_value(); }, patience_ms) ? *end : "no end";
  }
  /// Until what the hand has begun has ended: what a job or a wire hands over may start the next.
  void settle() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      if (window->busy()) quiet = -1;
      QTest::qWait(10);
    }
  }
  /// What the lab has, as it saves it.
  contours::ContourSet contours() {
    const auto path = file("now.json");
    EXPECT_EQ(run({"livewire.contours.save " + path}), "");
    return contours::read_contours(path).set;
  }
  std::string status() const { return window->findChild<QLabel*>("status")->text().toStdString(); }

  slices::SliceView& view() { return window->findChild<slices::LinkedSlices*>()->large(); }
  void mouse_move(const Eigen::Vector2d& place) {
    QTest::mouseMove(&view(), view().to_widget(place).toPoint());
    settle();
  }
  void click(const Eigen::Vector2d& place) {
    mouse_move(place);
    QTest::mouseClick(&view(), Qt::LeftButton, {}, view().to_widget(place).toPoint());
    settle();
  }
  void key(Qt::Key which) {
    QTest::keyClick(&view(), which);
    settle();
  }
  /// Along the ball's edge with four seeds.
  void trace_ball(int slice = 3) {
    for (const double degrees : {10.0, 100.0, 190.0, 280.0}) click(ball.at(slice, degrees));
    key(Qt::Key_Return);
  }
  /// Of a contour's pixels with the ball's disc.
  double dice(const contours::Contour& contour) const {
    const auto drawn = contours::rasterise(contour, ball.geometry.dimensions[0], ball.geometry.dimensions[1]);
    double both = 0, sum = 0;
    for (int y = 0; y < drawn.height; ++y) {
      for (int x = 0; x < drawn.width; ++x) {
        const bool a = drawn.values[static_cast<std::size_t>(y * drawn.width + x)] != 0;
        const bool b = ball.inside(x, y, contour.slice.index);
        both += a && b;
        sum += a + b;
      }
    }
    return 2 * both / sum;
  }
  /// How far the outline is off the disc's boundary, at most, in pixels.
  double worst_deviation(const contours::Contour& contour) const {
    double worst = 0;
    for (const auto& point : contour.outline()) {
      const double r = (point - Eigen::Vector2d(ball.centre.x(), ball.centre.y())).norm();
      worst = std::max(worst, std::abs(r - ball.radius_px(contour.slice.index)));
    }
    return worst;
  }

  Ball ball;
  QTemporaryDir folder;
  std::unique_ptr<workbench::MainWindow> window;
};

}  // namespace isolume::labs::livewire
