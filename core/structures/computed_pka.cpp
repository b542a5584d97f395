#include "core/structures/computed_pka.h"

#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/number.h"
#include "core/base/program.h"
#include "core/base/text.h"
#include "core/molecules/element.h"
#include "core/structures/protonation.h"

namespace isolume::structures {
namespace {

using molecules::ResidueKind;

constexpr int most_in_chain = 9999;  ///< residue numbers of PDB files
constexpr std::string_view chain_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A residue in the program's input and output: chain and number there.
using InFile = std::pair<char, int>;

struct Input {
  std::string text;
  std::map<InFile, std::size_t> sites;
};

std::string name_in_file(const Site& site) {
  if (site.base == "CYX") return "CYS";
  const auto states = states_of(site.base);
  if (site.base.starts_with("HI")) return "HIS";
  if (!states.empty()) return std::string(states.front());
  return (site.known.kind == ResidueKind::amino_acid ? site.base : site.source->name).substr(0, 3);
}

/// Chains and numbers are counted anew: names of any length, insertion codes and gaps then need no care.
Input input_of(const std::vector<Site>& sites) {
  Input input;
  std::size_t chain = 0;
  int number = 0, serial = 0;
  const Residue* before = nullptr;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site& site = sites[i];
    if (site.known.kind == ResidueKind::water) continue;
    const Residue& residue = *site.source;
    if (before != nullptr && (before->chain != residue.chain || before->part != residue.part)) {
      input.text += "TER\n";
      ++chain;
      number = 0;
    }
    before = &residue;
    if (++number > most_in_chain || chain >= chain_letters.size())
      throw Error(fmt::format("PROPKA reads at most {} chains of {} residues. Use standard pKa values.",
                              chain_letters.size(), most_in_chain));
    input.sites.emplace(InFile(chain_letters[chain], number), i);
    const char* const record =
        residue.is_hetero && site.known.kind != ResidueKind::amino_acid ? "HETATM" : "ATOM";
    for (const StructureAtom& atom : site.atoms) {
      if (is_hydrogen(atom)) continue;
      const std::string symbol = upper_case(molecules::element(atom.atomic_number).symbol);
      const std::string name = (atom.name.size() < 4 && symbol.size() < 2 ? " " : "") + atom.name;
      serial = serial % 99999 + 1;
      input.text += fmt::format(
          "{:<6}{:>5} {:<4.4} {:>3} {}{:>4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2}\n", record,
          serial, name, name_in_file(site), chain_letters[chain], number, atom.place.x(), atom.place.y(),
          atom.place.z(), symbol);
    }
  }
  input.text += "END\n";
  return input;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The last line that is not empty, at most as long as a message may quote.
std::string last_line(const std::string& text) {
  constexpr std::size_t most = 200;
  const std::string_view whole = trimmed(text);
  const auto start = whole.rfind('\n');
  return std::string(whole.substr(start == whole.npos ? 0 : start + 1)).substr(0, most);
}

/// The summary's lines: "   GLU 192 A     7.23       4.50", with chain and number in fixed columns.
ComputedPka read_output(const std::string& text, const Input& input, std::size_t sites) {
  ComputedPka computed;
  computed.values.resize(sites);
  const std::string_view head = std::string_view(text).substr(0, text.find_first_of(" \n"));
  computed.program =
      "PROPKA " + std::string(head.substr(std::min(head.size(), head.find_first_of("0123456789"))));
  const auto summary = text.find("SUMMARY OF THIS PREDICTION");
  if (summary == text.npos) throw Error("PROPKA wrote no summary of pKa values. Use standard pKa values.");
  std::string_view rest = std::string_view(text).substr(summary);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with("---")) break;
    constexpr std::size_t end_of_pka = 21;
    if (line.size() < end_of_pka || !standard_pka(trimmed(line.substr(3, 3)))) continue;
    const auto number = parse_number<int>(trimmed(line.substr(6, 4)));
    const auto pka = parse_number<double>(trimmed(line.substr(12, end_of_pka - 12)));
    const auto found = number ? input.sites.find({line[11], *number}) : input.sites.end();
    if (pka && found != input.sites.end()) computed.values[found->second] = *pka;
  }
  return computed;
}

ComputedPka run(const Input& input, std::size_t sites, const jobs::Progress& progress) {
  const ScratchFolder scratch("isolume-pka-");
  std::ofstream(scratch.file("structure.pdb")) << input.text;
  progress.report(0, "pKa values by PROPKA");
  const auto log = scratch.file("log");
  try {
    if (!run_program({"propka3", "--quiet", "structure.pdb"}, scratch.path(), log, progress.stop_token()))
      throw Error(fmt::format("PROPKA failed ({}). Use standard pKa values.", last_line(content_of(log))));
  } catch (const NotStarted& problem) {
    throw Error(
        fmt::format("The program propka3 could not be started ({}). Install PROPKA (Debian: python3-propka), "
                    "or use standard pKa values.",
                    problem.what()));
  }
  return read_output(content_of(scratch.file("structure.pka")), input, sites);
}

}  // namespace

ComputedPka computed_pka(const std::vector<Site>& sites, const jobs::Progress& progress) {
  static std::mutex mutex;
  static std::string last_text;
  static ComputedPka last;
  const Input input = input_of(sites);
  {
    const std::scoped_lock lock(mutex);
    if (input.text == last_text && last.values.size() == sites.size()) return last;
  }
  ComputedPka computed = run(input, sites.size(), progress);
  const std::scoped_lock lock(mutex);
  last_text = input.text;
  last = computed;
  return computed;
}

}  // namespace isolume::structures
