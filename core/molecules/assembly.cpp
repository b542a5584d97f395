// https://mmcif.wwpdb.org/dictionaries/mmcif_pdbx_v50.dic/Categories/pdbx_struct_assembly_gen.html
#include "core/molecules/assembly.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/molecules/line_reader.h"

namespace isolume::molecules {
namespace {

constexpr std::string_view assemblies_unreadable =
    "The biological assemblies cannot be read; only the deposited atoms can be shown.";
constexpr std::size_t most_operators = 100'000;

std::vector<std::string> comma_separated(std::string_view text) {
  std::string words(text);
  std::ranges::replace(words, ',', ' ');
  std::vector<std::string_view> views;
  split_words(words, views);
  return {views.begin(), views.end()};
}

/// "1-5" is 1, 2, 3, 4 and 5; others are single identifiers.
std::vector<std::string> operators_in_list(std::string_view list) {
  std::vector<std::string> all;
  for (const auto& word : comma_separated(list)) {
    const auto dash = word.find('-');
    const auto first = dash == word.npos ? std::nullopt : parse_integer(word.substr(0, dash)),
               last = dash == word.npos ? std::nullopt : parse_integer(word.substr(dash + 1));
    if (!first || !last) {
      all.push_back(word);
      continue;
    }
    for (long i = *first; i <= *last && all.size() <= most_operators; ++i) all.push_back(std::to_string(i));
  }
  return all;
}

std::optional<Eigen::Affine3d> operator_of(const CifCategory::Row& row) {
  Eigen::Affine3d made = Eigen::Affine3d::Identity();
  for (int i = 0; i < 3; ++i) {
    const auto shift = parse_real(text_of(row, fmt::format("vector[{}]", i + 1)));
    if (!shift) return std::nullopt;
    made.translation()[i] = *shift;
    for (int k = 0; k < 3; ++k) {
      const auto value = parse_real(text_of(row, fmt::format("matrix[{}][{}]", i + 1, k + 1)));
      if (!value) return std::nullopt;
      made.linear()(i, k) = *value;
    }
  }
  return made;
}

Assembly& assembly_named(std::vector<Assembly>& all, std::string_view name) {
  const auto known = std::ranges::find(all, name, &Assembly::name);
  if (known != all.end()) return *known;
  all.push_back({std::string(name), {}});
  return all.back();
}

}  // namespace

void PdbAssemblies::take(std::string_view line) {
  const auto text = trimmed(line.substr(std::min<std::size_t>(line.size(), 10)));
  const auto chains = text.find("CHAINS:");
  const bool continues_names = !found_.all.empty() && found_.all.back().name.ends_with(',') &&
                               found_.all.back().parts.empty() && chains == text.npos;
  if (text.starts_with("BIOMOLECULE:")) {
    found_.all.push_back({std::string(trimmed(text.substr(12))), {}});
  } else if (continues_names && !text.empty() && text.front() >= '0' && text.front() <= '9') {
    found_.all.back().name += text;
  } else if (chains != text.npos && !found_.all.empty()) {
    auto& parts = found_.all.back().parts;
    const bool goes_on = text.starts_with("AND") && !parts.empty() && parts.back().operators.empty();
    if (!goes_on) parts.emplace_back();
    for (auto& name : comma_separated(text.substr(chains + 7)))
      parts.back().chains.push_back(name == "NULL" ? std::string() : std::move(name));
  } else if (text.starts_with("BIOMT")) {
    std::vector<std::string_view> words;
    split_words(text, words);
    const int row = text.size() > 5 ? text[5] - '1' : -1;
    bool is_read =
        words.size() == 6 && row >= 0 && row < 3 && !found_.all.empty() && !found_.all.back().parts.empty();
    for (int i = 0; is_read && i < 4; ++i) {
      const auto value = parse_real(words[static_cast<std::size_t>(i) + 2]);
      is_read = value.has_value();
      rows_(row, i) = value.value_or(0);
    }
    is_damaged_ |= !is_read;
    if (!is_read || row != 2) return;
    Eigen::Affine3d made;
    made.matrix() << rows_, 0, 0, 0, 1;
    found_.all.back().parts.back().operators.push_back(made);
  }
}

Assemblies PdbAssemblies::found(Remarks& remarks) const {
  const bool is_whole = std::ranges::all_of(found_.all, [](const auto& assembly) {
    return !assembly.name.empty() && !assembly.parts.empty() &&
           std::ranges::none_of(assembly.parts, [](const auto& part) {
             return part.operators.empty() || part.chains.empty();
           });
  });
  if (!is_whole || is_damaged_) {
    remarks.dropped(std::string(assemblies_unreadable));
    return {};
  }
  Assemblies made{{}, found_.by_part};
  for (const auto& block : found_.all) {
    for (const auto& name : comma_separated(block.name)) {
      auto& parts = assembly_named(made.all, name).parts;
      parts.insert(parts.end(), block.parts.begin(), block.parts.end());
    }
  }
  return made;
}

bool MmcifAssemblies::take(const CifToken& tag, CifTokens& tokens) {
  return parts_.take(tag, tokens) || operators_.take(tag, tokens);
}

bool MmcifAssemblies::take_loop(const std::vector<std::string>& tags, CifTokens& tokens) {
  return parts_.take_loop(tags, tokens) || operators_.take_loop(tags, tokens);
}

Assemblies MmcifAssemblies::found(Remarks& remarks) const {
  Assemblies made{{}, true};
  std::map<std::string, Eigen::Affine3d, std::less<>> operators;
  for (const auto& row : operators_.rows()) {
    if (const auto found = operator_of(row)) operators.emplace(text_of(row, "id"), *found);
  }
  for (const auto& row : parts_.rows()) {
    AssemblyPart part{comma_separated(text_of(row, "asym_id_list")), {}};
    for (const auto& product : operators_of(text_of(row, "oper_expression"))) {
      Eigen::Affine3d motion = Eigen::Affine3d::Identity();
      for (const auto& id : product) {
        const auto found = operators.find(id);
        if (found == operators.end()) {
          remarks.dropped(std::string(assemblies_unreadable));
          return {};
        }
        motion = motion * found->second;
      }
      part.operators.push_back(motion);
    }
    if (part.chains.empty() || part.operators.empty()) {
      remarks.dropped(std::string(assemblies_unreadable));
      return {};
    }
    assembly_named(made.all, text_of(row, "assembly_id")).parts.push_back(std::move(part));
  }
  return made;
}

std::vector<std::vector<std::string>> operators_of(std::string_view expression) {
  std::vector<std::vector<std::string>> made{{}};
  for (std::string_view rest = trimmed(expression); !rest.empty(); rest = trimmed(rest)) {
    const bool is_group = rest.front() == '(';
    const auto end = is_group ? rest.find(')') : std::min(rest.find('('), rest.size());
    if (end == rest.npos) return {};
    const auto list = operators_in_list(rest.substr(is_group ? 1 : 0, end - (is_group ? 1 : 0)));
    rest.remove_prefix(end + (is_group ? 1 : 0));
    if (list.empty() || made.size() * list.size() > most_operators) return {};
    std::vector<std::vector<std::string>> products;
    for (const auto& before : made) {
      for (const auto& id : list) {
        products.push_back(before);
        products.back().push_back(id);
      }
    }
    made = std::move(products);
  }
  return made.front().empty() ? std::vector<std::vector<std::string>>() : made;
}

}  // namespace isolume::molecules
