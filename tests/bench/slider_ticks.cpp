// What one tick of a slider costs: in each lab, on a small document, every slider of the Parameters panel is dragged
// through 100 places of its range. JSON on standard output, times in ms:
//   tick     on the GUI thread, from the slider's change to the return to the event loop; computing time of that thread
//   turn     the same with the calls that the tick has queued
//   picture  by the clock on the wall, from the change until nothing is computed and all is drawn, 5 s at most (at
//            three of the places)
// `bench_slider_ticks [LAB...]` takes these labs only. It needs a display:
// `packaging/with-display --own bench_slider_ticks`.
#include <QDockWidget>
#include <QSettings>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/isolume/labs.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/window/application.h"
#include "app/workbench/window/main_window.h"
#include "core/benchmark/repeats.h"
#include "gpu/machine.h"

namespace isolume::workbench {
namespace {

constexpr int places = 100, places_with_picture = 3;
constexpr int patience_ms = 60'000, longest_picture_ms = 5'000;

/// What is opened in each lab.
struct Document {
  std::string lab;
  std::vector<std::string> lines;
};
const std::vector<Document> documents{
    {"orbitals", {"file.open-sample water-631gs"}},
    {"electrostatics", {"file.open-sample 1ajj", "parameter.set spacing 1"}},
    {"nbody", {"nbody.scene plummer 1000"}},
    {"livewire", {"file.open-sample ct-abdomen"}},
    {"flames", {"file.open-sample spheres", "parameter.set quality 1"}},
    {"anatomy", {}},
    {"atlas", {}},
};

/// Of the calling thread, whatever other programs do meanwhile.
double computing_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double clock_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Times {
  std::vector<double> tick, turn, picture;
  void add(const Times& other) {
    tick.insert(tick.end(), other.tick.begin(), other.tick.end());
    turn.insert(turn.end(), other.turn.begin(), other.turn.end());
    picture.insert(picture.end(), other.picture.begin(), other.picture.end());
  }
};

nlohmann::ordered_json summary(const std::vector<double>& times_ms) {
  const benchmarks::Timing timing = benchmarks::timing_of(times_ms);
  const auto rounded = [](double ms) { return std::round(ms * 1e4) / 1e4; };
  return {{"median", rounded(timing.median_ms)},
          {"p95", rounded(timing.p95_ms)},
          {"greatest", rounded(timing.greatest_ms)}};
}

nlohmann::ordered_json to_json(const Times& times) {
  nlohmann::ordered_json json{{"tick", summary(times.tick)}, {"turn", summary(times.turn)}};
  if (!times.picture.empty()) json["picture"] = summary(times.picture);
  return json;
}

/// The window with the documents of all labs, as its menus then have all commands.
class Drags {
 public:
  Drags() : window_(labs(), gpu::make_device_pool) {
    window_.resize(900, 640);
    window_.show();
    if (!QTest::qWaitForWindowExposed(&window_, patience_ms)) throw Error("There is no display.");
    for (const Document& document : documents) {
      run("lab.show " + document.lab);
      for (const std::string& line : document.lines) run(line);
    }
  }

  nlohmann::ordered_json measure(const std::string& lab) {
    run("lab.show " + lab);
    parameters_->show();
    parameters_->raise();
    rest();
    Times all;
    std::vector<std::pair<std::string, Times>> each;
    for (const std::string& key : keys()) {
      each.emplace_back(key, drag(key));
      all.add(each.back().second);
    }
    std::erase_if(each, [](const auto& of) { return of.second.tick.empty(); });
    const auto median = [](const auto& of) { return benchmarks::timing_of(of.second.tick).median_ms; };
    std::ranges::sort(each, std::greater(), median);
    nlohmann::ordered_json json{
        {"sliders", each.size()}, {"ticks", all.tick.size()}, {"worst", each.front().first}};
    json.update(to_json(all));
    for (const auto& [key, times] : each) json["each"][key] = to_json(times);
    return json;
  }

 private:
  void run(const std::string& line) {
    std::optional<jobs::Outcome> end;
    window_.run_and_wait(line, [&end](const jobs::Outcome& outcome) { end = outcome; });
    if (!QTest::qWaitFor([&] { return end.has_value(); }, patience_ms)) throw Error(line + " does not end.");
    if (!end->error.empty()) throw Error(line + ": " + end->error);
  }
  void rest() {
    bool rests = false;
    window_.when_at_rest([&] { rests = true; });
    (void)QTest::qWaitFor([&] { return rests; }, patience_ms);
  }
  bool works() { return window_.busy() || window_.lab().waits(); }

  std::vector<std::string> keys() {
    std::vector<std::string> found;
    for (const auto* slider : parameters_->findChildren<QSlider*>()) {
      if (slider->isVisibleTo(&window_))
        found.push_back(slider->objectName().section('.', 0, 0).toStdString());
    }
    return found;
  }
  /// Null if it is hidden now. Looked up each time, as a tick may build the panel anew.
  QSlider* slider(const std::string& key) {
    auto* found = parameters_->findChild<QSlider*>(QString::fromStdString(key) + ".slider");
    return found != nullptr && found->isVisibleTo(&window_) ? found : nullptr;
  }
  Times drag(const std::string& key) {
    Times times;
    const int step = window_.undo_stack().index();
    if (QSlider* moved = slider(key)) moved->setSliderDown(true);
    for (int place = 1; place <= places; ++place) {
      QSlider* moved = slider(key);
      if (moved == nullptr) break;
      const int to = moved->minimum() + (moved->maximum() - moved->minimum()) * place / places;
      if (to == moved->value()) continue;
      const double begin = computing_ms(), begin_of_picture = clock_ms();
      moved->setValue(to);
      times.tick.push_back(computing_ms() - begin);
      QCoreApplication::sendPostedEvents(nullptr, QEvent::MetaCall);
      times.turn.push_back(computing_ms() - begin);
      if (place % (places / places_with_picture) != 0) continue;
      if (!QTest::qWaitFor([this] { return !works(); }, longest_picture_ms)) window_.run("job.cancel");
      QCoreApplication::processEvents();
      times.picture.push_back(clock_ms() - begin_of_picture);
    }
    if (QSlider* moved = slider(key)) moved->setSliderDown(false);
    if (window_.undo_stack().index() > step) window_.run("edit.undo");
    rest();
    return times;
  }

  MainWindow window_;
  QDockWidget* parameters_ = window_.findChild<QDockWidget*>("panel.Parameters");
};

}  // namespace
}  // namespace isolume::workbench

int main(int argc, char** argv) {
  using namespace isolume::workbench;
  const QTemporaryDir folder;
  qputenv("XDG_DATA_HOME", folder.path().toUtf8());
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  isolume::scene::ViewWidget::set_default_surface_format();
  Application application(argc, argv);
  const std::vector<std::string_view> wanted(argv + 1, argv + argc);
  nlohmann::ordered_json json;
  Drags drags;
  for (const Document& document : documents) {
    if (wanted.empty() || std::ranges::find(wanted, document.lab) != wanted.end())
      json[document.lab] = drags.measure(document.lab);
  }
  std::puts(json.dump(2).c_str());
}
