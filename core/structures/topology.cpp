// GROMACS's topologies: https://manual.gromacs.org/current/reference-manual/topologies/topology-file-formats.html
#include "core/structures/topology.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/text_file.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charges.h"

namespace isolume::structures {
namespace {

using molecules::LineReader;

constexpr std::string_view processed_wanted =
    "Copy that file next to the topology, or give the one that gmx grompp -pp writes, which has everything "
    "in it.";

/// A file named in #include that does not exist.
struct MissingInclude {
  std::filesystem::path file;
  std::size_t line;
  std::string name;
};

class TopologyReading {
 public:
  explicit TopologyReading(const jobs::Progress& progress) : progress_(progress) {}

  Topology run(const std::filesystem::path& path) {
    read(path, 0);
    check_molecules(path);
    if (!left_out_by_.empty()) {
      const std::vector<std::string> names(left_out_by_.begin(), left_out_by_.end());
      topology_.remarks.dropped(
          fmt::format(
              "Lines of atoms or molecules were left out, as they depend on macros (#ifdef) that the "
              "topology does not define: {}. Give the topology that gmx grompp -pp writes if they are meant.",
              first_names(names)),
          names.size());
    }
    return std::move(topology_);
  }

 private:
  enum class Section { other, moleculetype, atoms, molecules };
  /// The lines up to the next #else or #endif.
  struct Condition {
    std::string macro;
    bool holds;
  };

  static Section section_of(std::string_view heading) {
    const auto name = lower_case(trimmed(heading.substr(1, heading.find(']') - 1)));
    return name == "moleculetype" ? Section::moleculetype
           : name == "atoms"      ? Section::atoms
           : name == "molecules"  ? Section::molecules
                                  : Section::other;
  }

  void read(const std::filesystem::path& path, int depth) {
    const std::string text = read_text_file(path);
    topology_.files.push_back(path);
    LineReader file(path, text, progress_);
    std::vector<Condition> conditions;  // a stack
    Section left_out = section_;        // that of lines that are not active
    while (file.next()) {
      std::string_view line = file.line();
      line = trimmed(line.substr(0, line.find(';')));
      if (line.ends_with('\\'))
        file.fail("a line continues in the next one (\\), which is not read",
                  "Give the topology that gmx grompp -pp writes, which has no such lines.");
      if (line.empty() || line.starts_with('*')) continue;
      if (line.starts_with('#')) {
        obey(line, file, path, conditions, depth);
        left_out = section_;
        continue;
      }
      const auto failed = std::ranges::find(conditions, false, &Condition::holds);
      if (failed == conditions.end()) {
        take(line, file);
      } else if (line.starts_with('[')) {
        left_out = section_of(line);
      } else if (left_out != Section::other && !defined_.contains(failed->macro)) {
        left_out_by_.insert(failed->macro);
      }
    }
    if (!conditions.empty()) file.fail("an #ifdef has no #endif");
  }

  void obey(std::string_view line, const LineReader& file, const std::filesystem::path& path,
            std::vector<Condition>& conditions, int depth) {
    std::vector<std::string_view> words;
    molecules::split_words(line, words);
    const std::string name(words.size() > 1 ? words[1] : "");
    const bool holds = std::ranges::find(conditions, false, &Condition::holds) == conditions.end();
    if (words[0] == "#ifdef" || words[0] == "#ifndef") {
      conditions.push_back({name, defined_.contains(name) == (words[0] == "#ifdef")});
    } else if (words[0] == "#else" || words[0] == "#endif") {
      if (conditions.empty()) file.fail(fmt::format("{} has no #ifdef", words[0]));
      if (words[0] == "#else") {
        conditions.back().holds = !conditions.back().holds;
      } else {
        conditions.pop_back();
      }
    } else if (!holds) {
      return;
    } else if (words[0] == "#define") {
      defined_.insert(name);
    } else if (words[0] == "#undef") {
      defined_.erase(name);
    } else if (words[0] == "#include") {
      include(line, file, path, depth);
    } else {
      file.fail(fmt::format("{} is not known", isolume::quoted(words[0])), processed_wanted);
    }
  }

  void include(std::string_view line, const LineReader& file, const std::filesystem::path& from, int depth) {
    const std::size_t open = line.find_first_of("\"<"), close = line.find_last_of("\">");
    if (open == std::string_view::npos || close <= open + 1) file.fail("#include names no file in quotes");
    const std::string name(line.substr(open + 1, close - open - 1));
    const auto path = from.parent_path() / name;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) {
      missing_.push_back({from, file.line_number(), name});
      return;
    }
    constexpr int deepest = 16, most = 1000;
    if (depth == deepest || ++included_ > most)
      file.fail(
          fmt::format("files include one another more than {} deep, or more than {} times", deepest, most));
    // A section begun in an included file ends with that file.
    const auto section = std::exchange(section_, Section::other);
    read(path, depth + 1);
    section_ = section;
  }

  void take(std::string_view line, const LineReader& file) {
    std::vector<std::string_view> words;
    if (line.starts_with('[')) {
      section_ = section_of(line);
      if (section_ == Section::atoms && topology_.kinds.empty())
        file.fail("[ atoms ] comes before a [ moleculetype ]");
      return;
    }
    molecules::split_words(line, words);
    switch (section_) {
      case Section::moleculetype:
        if (topology_.find(std::string(words[0])) != nullptr)
          file.fail(fmt::format("molecule {} is there twice", isolume::quoted(words[0])));
        topology_.kinds.emplace_back(words[0], TopologyMolecule{});
        break;
      case Section::atoms:
        take_atom(words, file);
        break;
      case Section::molecules:
        if (words.size() < 2) file.fail("expected the name of a molecule and how many there are");
        topology_.molecules.emplace_back(words[0], static_cast<std::size_t>(file.integer(
                                                       words[1], "the number of molecules", 0, 1000000000)));
        break;
      case Section::other:
        break;
    }
  }

  /// Number, type, residue's number, residue, atom, group, charge, mass.
  void take_atom(const std::vector<std::string_view>& words, const LineReader& file) {
    if (words.size() < 7)
      file.fail(fmt::format("expected 7 words for an atom, with its charge, found {}", words.size()),
                "Write the charge of each atom in [ atoms ].");
    TopologyAtom atom{std::string(words[4]), std::string(words[3]), file.real(words[6], "the charge"), false};
    if (std::abs(atom.charge) > most_magnitude)
      file.fail(fmt::format("{} e is too large for a charge", atom.charge));
    if (words.size() > 7) atom.is_massless = file.real(words[7], "the mass") == 0;
    topology_.kinds.back().second.push_back(std::move(atom));
  }

  void check_molecules(const std::filesystem::path& path) const {
    if (topology_.kinds.empty() && missing_.empty())
      throw InputError(path, 0, "there is no [ moleculetype ] in it",
                       "Give a topology of GROMACS, TOP or ITP.");
    for (const auto& [name, count] : topology_.molecules) {
      if (topology_.find(name) != nullptr) continue;
      const std::string problem = fmt::format("molecule {} has no [ moleculetype ]", isolume::quoted(name));
      if (missing_.empty()) throw InputError(path, 0, problem, "Add it, or #include the file that has it.");
      const auto& [file, line, included] = missing_.back();
      throw InputError(file, line,
                       fmt::format("{}, and {}, which this line includes, is not there", problem,
                                   isolume::quoted(included)),
                       processed_wanted);
    }
    if (topology_.kinds.empty())
      throw InputError(missing_.back().file, missing_.back().line,
                       fmt::format("{} is not there", isolume::quoted(missing_.back().name)),
                       processed_wanted);
  }

  jobs::Progress progress_;
  Topology topology_;
  Section section_ = Section::other;
  std::set<std::string> defined_, left_out_by_;
  std::vector<MissingInclude> missing_;
  int included_ = 0;
};

}  // namespace

const TopologyMolecule* Topology::find(const std::string& name) const {
  const auto found = std::ranges::find(kinds, name, &std::pair<std::string, TopologyMolecule>::first);
  return found == kinds.end() ? nullptr : &found->second;
}

Topology read_topology(const std::filesystem::path& path, const jobs::Progress& progress) {
  return TopologyReading(progress).run(path);
}

}  // namespace isolume::structures
