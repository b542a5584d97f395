// A long random walk over the parameters, commands, undo and redo of each lab. Each step that is undone and redone must
// give the same values, a refused one must change nothing, and the picture and the tables at the end must equal those that
// are made anew from the session. ISOLUME_WALK_STEPS sets how long it is, ISOLUME_WALK_SEED which.
#include <QAbstractItemView>
#include <QDockWidget>
#include <QImage>
#include <QUndoStack>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/isolume/labs.h"
#include "core/base/number.h"
#include "core/base/philox.h"
#include "core/base/resources.h"
#include "core/parameters/relevance.h"
#include "tests/app/lab_window_test.h"

namespace isolume::workbench {
namespace {

using parameters::Description;
using parameters::Kind;

/// A small document of a lab, and what is left out of its walk.
struct Walk {
  std::vector<std::string> begin;
  std::vector<std::string> also = {};  ///< command lines, with %x and %y for places in the picture
  std::set<std::string> without = {};
  std::uint64_t of_each = 1;                ///< every n-th step is taken, where steps take long
  std::set<std::string> other_tables = {};  ///< panels whose tables hold times, which differ from run to run
};

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : parse_number<std::uint64_t>(text).value_or(otherwise);
}

std::vector<LabEntry> only(const std::string& name) {
  auto all = labs();
  std::erase_if(all, [&](const LabEntry& each) { return each.description.name != name; });
  return all;
}

using Values = std::map<std::string, std::string>;

bool same(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = parse_number<double>(a), y = parse_number<double>(b);
  return x && y && std::abs(*x - *y) <= 1e-6 * std::max(std::abs(*x), std::abs(*y));
}

std::string differences(const Values& before, const Values& after) {
  std::string found;
  for (const auto& [key, value] : before) {
    const auto other = after.find(key);
    if (other != after.end() && !same(value, other->second))
      found += fmt::format("{}: {} -> {}; ", key, value, other->second);
  }
  return found;
}

class RandomWalk : public LabWindowTest {
 protected:
  explicit RandomWalk(const std::string& lab) : LabWindowTest(only(lab)), lab_(lab) {}

  void walk(Walk walked) {
    walk_ = std::move(walked);
    const std::uint64_t steps = number_of("ISOLUME_WALK_STEPS", 40), seed = number_of("ISOLUME_WALK_SEED", 1);
    ASSERT_EQ(run(walk_.begin), "");
    for (std::uint64_t step = 0; step < steps / walk_.of_each && !HasFailure(); ++step) {
      Random random(seed, step);
      take_step(random);
    }
    if (HasFailure()) return tell_lines();
    settle();
    compare_with_made_anew();
    if (HasFailure()) tell_lines();
  }

 private:
  void settle() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      if (window->busy()) quiet = -1;
      QTest::qWait(5);
    }
  }
  Values values() {
    Values all;
    const auto& set = *window->lab().parameters();
    const auto relevant = parameters::relevant_keys(set);
    for (const auto& each : set.descriptions()) {
      if (relevant.contains(each.key)) all[each.key] = parameters::to_text(set.get(each.key));
    }
    return all;
  }
  void take_step(Random& random) {
    const double what = random.uniform();
    if (what < 0.1) {
      do_line("edit.undo");
    } else if (what < 0.17) {
      do_line("edit.redo");
    } else if (what < 0.35) {
      do_line(some_command(random));
    } else {
      const std::string line = some_value(random);
      if (what < 0.55) return undo_and_redo(line);
      do_line(line);
    }
  }
  /// Without waiting for what it starts.
  bool do_line(const std::string& line) {
    lines_.push_back(line);
    const bool done = window->run(line);
    if (!done) lines_.back() += "   # " + window->error_text().toStdString();
    QTest::qWait(1);
    return done;
  }
  void undo_and_redo(const std::string& line) {
    settle();
    const Values before = values();
    const int step = window->undo_stack().index();
    const bool done = do_line(line);
    settle();
    const Values after = values();
    if (!done) {
      EXPECT_EQ(differences(before, after), "") << "was refused, and changed something: " << line;
      return;
    }
    if (window->undo_stack().index() == step) return;  // it was that already
    EXPECT_EQ(window->undo_stack().index(), step + 1) << line;
    do_line("edit.undo");
    settle();
    EXPECT_EQ(differences(before, values()), "") << "undone: " << line;
    do_line("edit.redo");
    settle();
    EXPECT_EQ(differences(after, values()), "") << "redone: " << line;
  }

  template <class Items>
  const auto& one_of(const Items& items, Random& random) {
    return items[static_cast<std::size_t>(random.uniform() * static_cast<double>(items.size()))];
  }
  std::string some_value(Random& random) {
    const auto& set = *window->lab().parameters();
    const auto relevant = parameters::relevant_keys(set);
    std::vector<Description> all = set.descriptions();
    std::erase_if(all, [&](const Description& each) {
      return walk_.without.contains(each.key) || !relevant.contains(each.key) || each.key == "engine" ||
             each.key == "threads" || each.key == "devices";
    });
    const Description each = one_of(all, random);
    return fmt::format("parameter.set {} {}", each.key,
                       commands::quote(some_value_of(each, set.get(each.key), random)));
  }
  std::string some_value_of(const Description& each, const parameters::Value& now, Random& random) {
    switch (each.kind) {
      case Kind::flag:
        return std::get<bool>(now) ? "false" : "true";
      case Kind::choice:
        return one_of(each.choices, random).key;
      case Kind::text: {
        if (!each.colour) return parameters::to_text(now);
        constexpr std::array colours{"black", "white", "steelblue", "#d55e00", "#123456", "nonsense"};
        return one_of(colours, random);
      }
      case Kind::integer:
      case Kind::real:
        break;
    }
    const auto range =
        each.usual.value_or(parameters::Range{std::max(each.low, -1e3), std::min(each.high, 1e3)});
    const bool by_factors = each.scale == parameters::Scale::logarithmic && range.low > 0;
    const double value = by_factors ? range.low * std::pow(range.high / range.low, random.uniform())
                                    : std::lerp(range.low, range.high, random.uniform());
    return each.kind == Kind::integer ? std::to_string(std::llround(value)) : fmt::format("{:.4g}", value);
  }
  /// One of the lab's that needs no arguments, asks for none and writes nothing; or one of the walk's own.
  std::string some_command(Random& random) {
    std::vector<std::string> all = walk_.also;
    for (const std::string& name : window->shown().commands) {
      const Command& command = *window->commands().find(name);
      const bool asks =
          std::ranges::any_of(command.arguments, [](const auto& each) { return each.is_asked_for; });
      const bool other = std::ranges::any_of(
          std::array{"export", "save", "open", "load", "import", "record", "play", "crossover"},
          [&](const char* part) { return name.find(part) != std::string::npos; });
      if (command.needs_arguments() || asks || other || walk_.without.contains(name)) continue;
      if (window->commands().why_unavailable(command).empty()) all.push_back(name);
    }
    if (all.empty()) return "edit.undo";
    std::string line = one_of(all, random);
    for (const auto& [place, high] : {std::pair("%x", 250.0), std::pair("%y", 250.0)}) {
      if (const auto at = line.find(place); at != std::string::npos)
        line.replace(at, 2, fmt::format("{:.1f}", high * random.uniform()));
    }
    return line;
  }

  /// `refused`: why there is none, where the last values have no picture.
  QImage picture(const char* name, std::string& refused) {
    refused = run({"file.export-image " + path(name) + " 320x240"});
    settle();
    return QImage(QString::fromStdString(path(name))).convertToFormat(QImage::Format_RGB32);
  }
  /// What the tables of the lab's panels show, by the panels' names. Each is brought to the front, as nothing is computed
  /// for those that are out of sight.
  std::map<std::string, std::string> tables() {
    std::map<std::string, std::string> all;
    for (QDockWidget* dock : window->docks()) {
      const std::string name = dock->objectName().toStdString();
      if (!name.starts_with(lab_ + ".") || walk_.other_tables.contains(name)) continue;
      dock->show();
      dock->raise();
      QTest::qWait(50);
      settle();
      for (const auto* view : dock->findChildren<QAbstractItemView*>()) {
        if (view->model() == nullptr) continue;
        const auto& model = *view->model();
        for (int row = 0; row < std::min(model.rowCount(), 200); ++row) {
          for (int column = 0; column < model.columnCount(); ++column)
            all[name] += model.index(row, column).data().toString().toStdString() + "; ";
          all[name] += "\n";
        }
      }
    }
    return all;
  }
  void compare_with_made_anew() {
    ASSERT_EQ(run({"session.save " + path("walk.isolume")}), "");
    const Values before = values();
    std::string refused, refused_anew;
    const QImage walked = picture("walked.png", refused);
    const auto walked_tables = tables();
    open_window();
    ASSERT_EQ(run({"session.open " + path("walk.isolume")}), "");
    settle();
    EXPECT_EQ(differences(before, values()), "");
    const QImage anew = picture("anew.png", refused_anew);
    ASSERT_EQ(refused, refused_anew);
    EXPECT_EQ(walked_tables, tables());
    if (!refused.empty()) return;
    ASSERT_EQ(walked.size(), anew.size());
    int differ = 0;
    for (int y = 0; y < anew.height(); ++y) {
      for (int x = 0; x < anew.width(); ++x) {
        const QColor a = walked.pixelColor(x, y), b = anew.pixelColor(x, y);
        differ += std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()),
                            std::abs(a.blue() - b.blue())}) > 8;
      }
    }
    EXPECT_LT(differ, anew.width() * anew.height() / 1000) << "pixels of other colours";
    if (const char* to = std::getenv("ISOLUME_KEEP_PICTURES"); to != nullptr && HasFailure()) {
      walked.save(QString("%1/%2-walked.png").arg(to, QString::fromStdString(lab_)));
      anew.save(QString("%1/%2-anew.png").arg(to, QString::fromStdString(lab_)));
    }
  }
  void tell_lines() {
    std::string text;
    const std::size_t most = number_of("ISOLUME_WALK_LINES", 40);
    for (std::size_t i = lines_.size() - std::min(lines_.size(), most); i < lines_.size(); ++i)
      text += lines_[i] + "\n";
    ADD_FAILURE() << "after\n" << text;
  }

  std::string lab_;
  Walk walk_;
  std::vector<std::string> lines_;
};

class OrbitalsWalk : public RandomWalk {
 protected:
  OrbitalsWalk() : RandomWalk("orbitals") {}
};
class ElectrostaticsWalk : public RandomWalk {
 protected:
  ElectrostaticsWalk() : RandomWalk("electrostatics") {}
};
class NBodyWalk : public RandomWalk {
 protected:
  NBodyWalk() : RandomWalk("nbody") {}
};
class AnatomyWalk : public RandomWalk {
 protected:
  AnatomyWalk() : RandomWalk("anatomy") {}
};
class LivewireWalk : public RandomWalk {
 protected:
  LivewireWalk() : RandomWalk("livewire") {}
};

TEST_F(OrbitalsWalk, EndsAsAWindowThatIsMadeAnew) {
  walk({.begin = {"file.open-sample water-631gs"},
        .also = {"orbitals.select homo", "orbitals.select lumo", "orbitals.slice.move 0.3"},
        .without = {"spacing", "margin"}});
}

TEST_F(ElectrostaticsWalk, EndsAsAWindowThatIsMadeAnew) {
  std::ofstream(path("small.pqr"))
      << "ATOM 1 N ALA A 1 0 0 0 -0.5 1.6\nATOM 2 CA ALA A 1 1.5 0 0 0.4 1.9\n"
         "ATOM 3 C ALA A 1 2.2 1.3 0 0.6 1.9\nATOM 4 O ALA A 1 1.6 2.4 0.2 -0.5 1.5\n"
         "ATOM 5 NA NA A 2 6 0 0 1.0 2.0\n";
  walk({.begin = {"file.open " + path("small.pqr"), "parameter.set spacing 1.5"},
        .also = {"electrostatics.select \"name CA\"", "electrostatics.select none"},
        .without = {"spacing", "margin"}});
}

TEST_F(NBodyWalk, EndsAsAWindowThatIsMadeAnew) {
  walk({.begin = {"nbody.scene plummer 300"},
        .also = {"nbody.step 2", "nbody.step -1", "nbody.pick 5", "nbody.pick -1"},
        .without = {"bodies", "particles-per-side", "scene"},
        .of_each = 4,
        .other_tables = {"nbody.Diagnostics"}});
}

TEST_F(AnatomyWalk, EndsAsAWindowThatIsMadeAnew) {
  walk({.begin = {}, .of_each = 2});  // of the phantoms that it starts with
}

TEST_F(LivewireWalk, EndsAsAWindowThatIsMadeAnew) {
  const std::string press = "livewire.press %x %y";
  walk({.begin = {"file.open-sample vessels"},
        .also = {press, press, press, "livewire.close", "livewire.finish-open"}});
}

}  // namespace
}  // namespace isolume::workbench
