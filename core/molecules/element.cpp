#include "core/molecules/element.h"

#include <algorithm>
#include <cctype>

#include "core/base/letter_case.h"

namespace isolume::molecules {
namespace {

// Radii in angstrom. Cordero lists elements to Cm (high-spin Mn, Fe, Co; sp3 carbon) and Alvarez those with enough
// crystal structures; the remaining ones have rough estimates that are only used for drawing. Colours follow custom
// if there is one.
constexpr std::array<Element, 119> elements{{
    {"X", "ghost", 0.30, 1.00, {190, 190, 200}},         {"H", "hydrogen", 0.31, 1.20, {240, 240, 240}},
    {"He", "helium", 0.28, 1.43, {205, 250, 250}},       {"Li", "lithium", 1.28, 2.12, {190, 120, 240}},
    {"Be", "beryllium", 0.96, 1.98, {180, 235, 60}},     {"B", "boron", 0.84, 1.91, {245, 175, 165}},
    {"C", "carbon", 0.76, 1.77, {105, 105, 110}},        {"N", "nitrogen", 0.71, 1.66, {60, 95, 235}},
    {"O", "oxygen", 0.66, 1.50, {230, 45, 35}},          {"F", "fluorine", 0.57, 1.46, {130, 215, 80}},
    {"Ne", "neon", 0.58, 1.58, {170, 225, 240}},         {"Na", "sodium", 1.66, 2.50, {165, 95, 235}},
    {"Mg", "magnesium", 1.41, 2.51, {120, 225, 40}},     {"Al", "aluminium", 1.21, 2.25, {185, 165, 165}},
    {"Si", "silicon", 1.11, 2.19, {235, 195, 150}},      {"P", "phosphorus", 1.07, 1.90, {245, 135, 20}},
    {"S", "sulfur", 1.05, 1.89, {240, 205, 45}},         {"Cl", "chlorine", 1.02, 1.82, {45, 215, 60}},
    {"Ar", "argon", 1.06, 1.83, {125, 205, 225}},        {"K", "potassium", 2.03, 2.73, {140, 70, 210}},
    {"Ca", "calcium", 1.76, 2.62, {75, 215, 35}},        {"Sc", "scandium", 1.70, 2.58, {173, 153, 204}},
    {"Ti", "titanium", 1.60, 2.46, {153, 191, 204}},     {"V", "vanadium", 1.53, 2.42, {153, 157, 204}},
    {"Cr", "chromium", 1.39, 2.45, {183, 153, 204}},     {"Mn", "manganese", 1.61, 2.45, {153, 181, 204}},
    {"Fe", "iron", 1.52, 2.44, {220, 105, 55}},          {"Co", "cobalt", 1.50, 2.40, {235, 140, 160}},
    {"Ni", "nickel", 1.24, 2.40, {85, 200, 90}},         {"Cu", "copper", 1.32, 2.38, {200, 125, 60}},
    {"Zn", "zinc", 1.22, 2.39, {125, 130, 175}},         {"Ga", "gallium", 1.22, 2.32, {153, 161, 204}},
    {"Ge", "germanium", 1.20, 2.29, {179, 153, 204}},    {"As", "arsenic", 1.19, 1.88, {153, 185, 204}},
    {"Se", "selenium", 1.20, 1.82, {155, 153, 204}},     {"Br", "bromine", 1.20, 1.86, {160, 50, 45}},
    {"Kr", "krypton", 1.16, 2.25, {90, 185, 205}},       {"Rb", "rubidium", 2.20, 3.21, {115, 55, 180}},
    {"Sr", "strontium", 1.95, 2.84, {40, 225, 30}},      {"Y", "yttrium", 1.90, 2.75, {116, 131, 184}},
    {"Zr", "zirconium", 1.75, 2.52, {146, 116, 184}},    {"Nb", "niobium", 1.64, 2.56, {116, 163, 184}},
    {"Mo", "molybdenum", 1.54, 2.45, {116, 118, 184}},   {"Tc", "technetium", 1.47, 2.44, {159, 116, 184}},
    {"Ru", "ruthenium", 1.46, 2.46, {116, 149, 184}},    {"Rh", "rhodium", 1.42, 2.44, {127, 116, 184}},
    {"Pd", "palladium", 1.39, 2.15, {25, 105, 130}},     {"Ag", "silver", 1.45, 2.53, {190, 195, 205}},
    {"Cd", "cadmium", 1.44, 2.49, {240, 215, 145}},      {"In", "indium", 1.42, 2.43, {116, 168, 184}},
    {"Sn", "tin", 1.39, 2.42, {105, 130, 130}},          {"Sb", "antimony", 1.39, 2.47, {154, 116, 184}},
    {"Te", "tellurium", 1.38, 1.99, {116, 154, 184}},    {"I", "iodine", 1.39, 2.04, {145, 20, 145}},
    {"Xe", "xenon", 1.40, 2.06, {70, 160, 180}},         {"Cs", "caesium", 2.44, 3.48, {90, 30, 145}},
    {"Ba", "barium", 2.15, 3.03, {25, 195, 25}},         {"La", "lanthanum", 2.07, 2.98, {155, 242, 133}},
    {"Ce", "cerium", 2.04, 2.88, {142, 237, 130}},       {"Pr", "praseodymium", 2.03, 2.92, {130, 232, 128}},
    {"Nd", "neodymium", 2.01, 2.95, {125, 227, 131}},    {"Pm", "promethium", 1.99, 2.90, {122, 222, 137}},
    {"Sm", "samarium", 1.98, 2.90, {119, 217, 143}},     {"Eu", "europium", 1.98, 2.87, {116, 212, 148}},
    {"Gd", "gadolinium", 1.96, 2.83, {114, 207, 152}},   {"Tb", "terbium", 1.94, 2.79, {111, 201, 156}},
    {"Dy", "dysprosium", 1.92, 2.87, {108, 196, 160}},   {"Ho", "holmium", 1.92, 2.81, {105, 191, 164}},
    {"Er", "erbium", 1.89, 2.83, {102, 186, 167}},       {"Tm", "thulium", 1.90, 2.79, {100, 181, 169}},
    {"Yb", "ytterbium", 1.87, 2.80, {97, 176, 172}},     {"Lu", "lutetium", 1.87, 2.74, {94, 168, 171}},
    {"Hf", "hafnium", 1.75, 2.63, {95, 83, 163}},        {"Ta", "tantalum", 1.70, 2.53, {83, 162, 163}},
    {"W", "tungsten", 1.62, 2.57, {83, 109, 163}},       {"Re", "rhenium", 1.51, 2.49, {111, 83, 163}},
    {"Os", "osmium", 1.44, 2.48, {83, 146, 163}},        {"Ir", "iridium", 1.41, 2.41, {83, 93, 163}},
    {"Pt", "platinum", 1.36, 2.29, {205, 205, 220}},     {"Au", "gold", 1.36, 2.32, {240, 200, 45}},
    {"Hg", "mercury", 1.32, 2.45, {180, 180, 210}},      {"Tl", "thallium", 1.45, 2.47, {143, 83, 163}},
    {"Pb", "lead", 1.46, 2.60, {85, 90, 100}},           {"Bi", "bismuth", 1.48, 2.54, {105, 83, 163}},
    {"Po", "polonium", 1.40, 2.40, {83, 152, 163}},      {"At", "astatine", 1.50, 2.40, {83, 98, 163}},
    {"Rn", "radon", 1.50, 2.40, {121, 83, 163}},         {"Fr", "francium", 2.60, 2.80, {83, 136, 163}},
    {"Ra", "radium", 2.21, 2.80, {84, 83, 163}},         {"Ac", "actinium", 2.15, 2.80, {97, 199, 242}},
    {"Th", "thorium", 2.06, 2.93, {95, 183, 238}},       {"Pa", "protactinium", 2.00, 2.88, {94, 168, 235}},
    {"U", "uranium", 1.96, 2.71, {20, 140, 245}},        {"Np", "neptunium", 1.90, 2.82, {91, 138, 227}},
    {"Pu", "plutonium", 1.87, 2.81, {89, 124, 223}},     {"Am", "americium", 1.80, 2.83, {88, 110, 219}},
    {"Cm", "curium", 1.69, 3.05, {86, 97, 215}},         {"Bk", "berkelium", 1.60, 3.40, {85, 85, 212}},
    {"Cf", "californium", 1.60, 3.05, {95, 83, 208}},    {"Es", "einsteinium", 1.60, 2.70, {104, 82, 204}},
    {"Fm", "fermium", 1.60, 2.80, {112, 80, 200}},       {"Md", "mendelevium", 1.60, 2.80, {120, 79, 196}},
    {"No", "nobelium", 1.60, 2.80, {128, 77, 193}},      {"Lr", "lawrencium", 1.60, 2.80, {136, 75, 189}},
    {"Rf", "rutherfordium", 1.60, 2.80, {217, 98, 155}}, {"Db", "dubnium", 1.60, 2.80, {213, 92, 157}},
    {"Sg", "seaborgium", 1.60, 2.80, {209, 86, 160}},    {"Bh", "bohrium", 1.60, 2.80, {205, 80, 163}},
    {"Hs", "hassium", 1.60, 2.80, {201, 75, 166}},       {"Mt", "meitnerium", 1.60, 2.80, {198, 69, 169}},
    {"Ds", "darmstadtium", 1.60, 2.80, {194, 64, 173}},  {"Rg", "roentgenium", 1.60, 2.80, {190, 59, 177}},
    {"Cn", "copernicium", 1.60, 2.80, {186, 54, 181}},   {"Nh", "nihonium", 1.60, 2.80, {180, 49, 182}},
    {"Fl", "flerovium", 1.60, 2.80, {168, 45, 178}},     {"Mc", "moscovium", 1.60, 2.80, {156, 40, 175}},
    {"Lv", "livermorium", 1.60, 2.80, {144, 36, 171}},   {"Ts", "tennessine", 1.60, 2.80, {132, 32, 167}},
    {"Og", "oganesson", 1.60, 2.80, {120, 28, 163}},
}};

bool letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool same_symbol(std::string_view text, std::string_view symbol) {
  return std::ranges::equal(text, symbol, [](char a, char b) { return lower_case(a) == lower_case(b); });
}

}  // namespace

const Element& element(int atomic_number) {
  const bool known = atomic_number >= 0 && atomic_number < static_cast<int>(elements.size());
  return elements[static_cast<std::size_t>(known ? atomic_number : 0)];
}

int atomic_number(std::string_view symbol) {
  std::size_t letters = 0;
  while (letters < symbol.size() && letter(symbol[letters])) ++letters;
  const std::string_view word = symbol.substr(0, letters);
  for (int z = 0; z < static_cast<int>(elements.size()); ++z) {
    if (same_symbol(word, elements[static_cast<std::size_t>(z)].symbol)) return z;
  }
  if (same_symbol(word, "D") || same_symbol(word, "T")) return 1;  // isotopes have names of their own
  if (same_symbol(word, "Bq") || same_symbol(word, "Gh") || same_symbol(word, "Xx") ||
      same_symbol(word, "Du")) {
    return 0;  // ghost and dummy atoms as named by various programs
  }
  return -1;
}

}  // namespace isolume::molecules
