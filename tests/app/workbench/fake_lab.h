#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/lab.h"
#include "core/parameters/narrowed.h"

namespace isolume::workbench {

enum class FakeStyle { smooth, mesh };

struct FakeParameters {
  double isovalue = 0.03;
  double opacity = 0.5;
  int steps = 4;
  bool atoms = true;
  FakeStyle style = FakeStyle::smooth;
  std::string colour = "#0072b2";
  std::string title = "nothing";
};

inline const parameters::Schema<FakeParameters>& fake_schema() {
  using P = FakeParameters;
  static const parameters::Schema<P> schema({
      parameters::field("isovalue", &P::isovalue, "Isovalue")
          .unit("bohr^-3/2")
          .range(1e-4, 1)
          .logarithmic()
          .group("Surface")
          .help("Where the lobes are cut."),
      parameters::field("opacity", &P::opacity, "Opacity").range(0, 1).group("Surface").help("0 to 1."),
      parameters::field("steps", &P::steps, "Steps").range(1, 9).group("Surface").help("Whole steps."),
      parameters::field("atoms", &P::atoms, "Atoms").group("Molecule").help("Shows the atoms."),
      parameters::field("style", &P::style, "Style", {{"smooth", "Smooth"}, {"mesh", "Mesh"}})
          .group("Molecule")
          .help("How the lobes look."),
      parameters::field("colour", &P::colour, "Colour")
          .colour()
          .group("Molecule")
          .help("Of the lobes.")
          .only_when("style", {"smooth"}),
      parameters::field("title", &P::title, "Title").group("Molecule").help("Any text."),
  });
  return schema;
}

inline std::vector<commands::Declaration> fake_commands(const std::string& lab) {
  return {{.name = lab + ".greet",
           .title = "Greet",
           .help = "Says hello.",
           .arguments = {commands::text("name", "Whom.")}},
          {.name = lab + ".next", .title = "Next thing", .help = "Goes on."}};
}

/// A lab without a picture. Opening a file (in a folder, the file "word") reads its first word in a job:
/// "good" opens, "slow" takes until it is cancelled, "late" fails when the window takes it, anything else is
/// an error that names the line. It refuses the title "forbidden", and cannot show one of "poison" once it has it. Titles of "mesh" bring
/// that style along, more than six steps let go of the atoms, and the isovalue goes with the style of a mesh.
class FakeLab final : public Lab {
 public:
  explicit FakeLab(LabContext& context, const std::string& name = "fake", bool has_page = false)
      : context_(context), name_(name), has_page_(has_page) {
    context_.commands.declare(fake_commands(name));
    context_.commands.bind(name + ".greet",
                           [this](const Arguments& arguments) { greeted.push_back(arguments.text("name")); });
    context_.commands.bind(
        name + ".next", [this](const Arguments&) { ++nexts; },
        [this] { return is_open ? "" : "Open a file first."; }, {.shortcut = "Ctrl+J"});
  }

  ~FakeLab() override { EXPECT_TRUE(page_.isNull() && panel_.isNull()) << "they must be gone by now"; }

  std::vector<LabPanel> panels() override {
    panel_ = new QWidget;
    return {{"Things", panel_, Qt::LeftDockWidgetArea}};
  }
  QWidget* page() override {
    if (has_page_) page_ = new QWidget;
    return page_;
  }

  void open(const std::filesystem::path& path) override {
    context_.jobs.submit("Reading " + path.filename().string(), name_ + ".open",
                         [this, path](const jobs::Progress& progress) {
                           std::ifstream stream(std::filesystem::is_directory(path) ? path / "word" : path);
                           std::string word;
                           stream >> word;
                           progress.report(0.25, "reading");
                           while (word == "slow") {
                             progress.check();
                             std::this_thread::sleep_for(std::chrono::milliseconds(2));
                           }
                           if (word != "good" && word != "late")
                             throw InputError(path, 1, "expected the word good", "Write it there.");
                           progress.report(0.9, "showing");
                           context_.on_gui_thread([this, path, word] {
                             if (word == "late") throw Error("The word came too late.");
                             is_open = true;
                             values = {};
                             context_.document_opened(path, QString::fromStdString(path.filename().string()));
                             context_.show_status("all is well");
                           });
                         });
  }
  std::function<nlohmann::json()> state() const override {
    return [counted = nexts] { return nlohmann::json{{"nexts", counted}}; };
  }
  void restore(const nlohmann::json& state) override { nexts = state.at("nexts").get<int>(); }
  parameters::ParameterSet* parameters() override { return is_open ? &narrowed_ : nullptr; }
  void set_parameter(std::string_view key, const parameters::Value& value) override {
    if (key == "title" && value == parameters::Value(std::string("forbidden")))
      throw Error("title: that one is forbidden.");
    if (key == "title" && std::get<std::string>(value).find("mesh") != std::string::npos)
      context_.set_parameters("Style", {{"style", "mesh"}});
    if (key == "steps" && std::get<std::int64_t>(value) > 6)
      context_.set_parameters("Atoms", {{"atoms", "off"}});
    set_.set(key, value);
    ++changes;
    if (values.title.ends_with("poison")) throw Error("The title could not be drawn.");
  }
  std::vector<std::string> goes_with(std::string_view key, const parameters::Value& value) const override {
    if (key == "style" && value == parameters::Value(std::string("mesh"))) return {"isovalue"};
    return {};
  }
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override {
    std::ofstream(path) << width << ' ' << height << ' ' << transparent << ' ' << dpi;
  }
  QString export_filter() const override { return filter; }
  void export_file(const std::filesystem::path& path) override { on_export(path); }
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& found) override { devices = found; }
  void theme_changed(bool dark) override { is_dark = dark; }
  void shown_changed(bool shown) override { shown_changes.push_back(shown); }

  std::shared_ptr<dispatch::DevicePool> devices;
  bool is_open = false;
  bool is_dark = false;
  int changes = 0;
  int nexts = 0;
  std::vector<bool> shown_changes;
  std::vector<std::string> greeted;
  FakeParameters values;
  QString filter;
  std::function<void(const std::filesystem::path& path)> on_export;
  std::optional<parameters::Range> usual;  ///< of the isovalue
  LabContext& context() { return context_; }

 private:
  LabContext& context_;
  std::string name_;
  bool has_page_;
  QPointer<QWidget> page_, panel_;
  parameters::StructParameters<FakeParameters> set_{fake_schema(), values};
  parameters::NarrowedParameters narrowed_{set_, {}, [this](parameters::Description& each) {
                                             if (each.key == "isovalue") each.usual = usual;
                                             if (each.key == "steps" && values.title == "many")
                                               each.high = 99;
                                             if (each.key == "style" && values.style == FakeStyle::mesh)
                                               each.choices.front().label = "Smooth, as before";
                                           }};
};

inline const FileFormats words{"Words", {{.title = "Word", .suffixes = {".word"}}}},
    phrases{"Phrases", {{.title = "Phrase", .suffixes = {".phrase"}}}};

/// Opens files named "*.word"; `made` is the lab from when it is first shown.
inline LabEntry fake_entry(FakeLab*& made) {
  return {.description = {.name = "fake",
                          .title = "Fake",
                          .summary = "Words.",
                          .formats = {words},
                          .samples = {{"First sample", "A sample", "samples/README.md"}}},
          .make = [&made](LabContext& context) {
            auto lab = std::make_unique<FakeLab>(context);
            made = lab.get();
            return lab;
          }};
}

/// A second lab that opens "*.phrase" and folders, with a page of its own.
inline LabEntry other_entry(FakeLab*& made) {
  return {.description = {.name = "other",
                          .title = "Other",
                          .summary = "Phrases.",
                          .formats = {phrases},
                          .samples = {{"Second sample", "Another sample", "samples/README.md"}},
                          .opens =
                              [](const auto& path) {
                                return std::filesystem::is_directory(path) || phrases.match(path);
                              }},
          .make = [&made](LabContext& context) {
            auto lab = std::make_unique<FakeLab>(context, "other", true);
            made = lab.get();
            return lab;
          }};
}

}  // namespace isolume::workbench
