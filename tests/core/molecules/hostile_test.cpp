// Whatever the bytes are: a document, or one of the promised errors.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <stop_token>
#include <string>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/molecules/readers.h"
#include "tests/core/molecules/example_wavefunction.h"
#include "tests/core/molecules/small_files.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::read_text;
using testing::reference;
using testing::sample;
using testing::TemporaryFile;

using Subject = testing::SmallFile;

/// By this program, so far.
std::uint64_t bytes_read() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  counts >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

std::vector<Subject> subjects() {
  const std::string cube =
      "c\nd\n -1 0 0 0\n 2 .5 0 0\n 3 0 .5 0\n 2 0 0 .5\n 1 1. 0 0 0\n 1 5\n 1 2 3 4 5 6\n 7 8 9 10 11 "
      "12.5E-3\n";
  const std::string xyz = "2\nProperties=species:S:1:pos:R:3\nH 0 0 0\nO 0 0 1.5\n\n1\n\n6 1 2 3\n";
  const std::string gamess =
      " GAMESS VERSION = 1 FROM IOWA STATE UNIVERSITY\n ATOM      ATOMIC                      COORDINATES "
      "(BOHR)\n"
      "           CHARGE         X                   Y                   Z\n HE          2.0     "
      "0.0000000000        0.0000000000        0.5\n\n"
      "  SHELL TYPE  PRIMITIVE        EXPONENT          CONTRACTION COEFFICIENT(S)\n\n HE        \n\n"
      "      1   S       1             6.3624214    0.154328967295\n      1   S       2             "
      "1.1589230    0.535328142282\n\n"
      "      2   L       3             0.3136498    0.444634542185    0.4\n\n TOTAL NUMBER OF BASIS SET "
      "SHELLS             =    2\n"
      " NUMBER OF OCCUPIED ORBITALS (ALPHA)          =    1\n NUMBER OF OCCUPIED ORBITALS (BETA )          = "
      "   1\n"
      " PARAMETERS FOR \"HE\" ON ATOM    1 WITH ZCORE   0 AND LMAX  3 ARE\n"
      "          ------------\n          EIGENVECTORS\n          ------------\n\n                      1     "
      "     2\n"
      "                   -0.9000     1.5000\n                     A          A   \n    1  HE 1  S    "
      "1.000000   0.100000\n"
      "    2  HE 1  S    0.000000   0.200000\n    3  HE 1  X    0.000000   0.300000\n    4  HE 1  Y    "
      "0.000000   0.300000\n"
      "    5  HE 1  Z    0.000000   0.300000\n\n ...... END OF RHF CALCULATION ......\n";
  std::vector<Subject> all{
      {"molden", read_molden, read_text_file(reference("water-631gs.molden.gz")).substr(0, 6000)},
      {"fchk", read_fchk, read_text_file(sample("water-631gs.fchk.gz"))},
      {"gamess", read_gamess, gamess},
      {"cube", read_cube, cube},
      {"xyz", read_xyz, xyz}};
  const auto more = testing::small_files();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// True when the reader came back with a document or with a promised error; anything else ends the test
/// program.
void survive(const Subject& subject, std::string_view text) {
  static const std::filesystem::path path = "hostile";
  static const jobs::Progress progress;
  try {
    subject.read({path, text, progress});
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line only";
  } catch (const ResourceError&) {
  }
}

TEST(Hostile, files_cut_at_every_byte) {
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.name);
    for (std::size_t size = 0; size < subject.text.size(); ++size)
      survive(subject, std::string_view(subject.text).substr(0, size));
  }
}

TEST(Hostile, changed_bytes) {
  std::mt19937 random(2024);
  const std::string favourites = "0123456789-+.eEdDN= \n\r\t*[]\0\xff";
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.name);
    for (int round = 0; round < 1500; ++round) {
      std::string text = subject.text;
      for (unsigned change = 0; change <= random() % 4; ++change) {
        text[random() % text.size()] = favourites[random() % favourites.size()];
      }
      survive(subject, text);
    }
  }
}

TEST(Hostile, lines_doubled_dropped_and_moved) {
  std::mt19937 random(11);
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.name);
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < subject.text.size();) {
      const std::size_t end = std::min(subject.text.find('\n', at), subject.text.size() - 1) + 1;
      lines.push_back(subject.text.substr(at, end - at));
      at = end;
    }
    for (int round = 0; round < 400; ++round) {
      std::vector<std::string> changed = lines;
      const std::size_t a = random() % changed.size(), b = random() % changed.size();
      if (round % 3 == 0) changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(a));
      if (round % 3 == 1) changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(a), lines[b]);
      if (round % 3 == 2) std::swap(changed[a], changed[b]);
      std::string text;
      for (const std::string& line : changed) text += line;
      survive(subject, text);
    }
  }
}

TEST(Hostile, numbers_replaced_by_terrible_ones) {
  std::mt19937 random(5);
  const std::vector<std::string> terrible{"nan",
                                          "inf",
                                          "-1",
                                          "0",
                                          "999999999",
                                          "-2147483648",
                                          "4294967296",
                                          "9223372036854775807",
                                          "1e308",
                                          "-1e308",
                                          "1e-320",
                                          "****",
                                          "1.0-400",
                                          "99999999999999999999999",
                                          "",
                                          "x",
                                          "1e99999999999"};
  for (const Subject& subject : subjects()) {
    SCOPED_TRACE(subject.name);
    std::vector<std::pair<std::size_t, std::size_t>> words;
    for (std::size_t i = 0; i < subject.text.size();) {
      while (i < subject.text.size() && subject.text[i] <= ' ') ++i;
      const std::size_t start = i;
      while (i < subject.text.size() && subject.text[i] > ' ') ++i;
      if (i > start) words.emplace_back(start, i - start);
    }
    for (int round = 0; round < 1500; ++round) {
      std::string text = subject.text;
      const auto [start, length] = words[random() % words.size()];
      text.replace(start, length, terrible[random() % terrible.size()]);
      survive(subject, text);
    }
  }
}

TEST(Hostile, whole_documents_with_terrible_numbers_are_proven_or_refused) {
  std::mt19937 random(6);
  const std::string text = read_text_file(reference("water-631gs.molden.gz"));
  const std::vector<std::string> terrible{"1e300", "-1e300", "1e-300", "0", "1e150", "-0.0"};
  for (int round = 0; round < 60; ++round) {
    std::string changed = text;
    const std::size_t start =
        changed.find_first_not_of(' ', changed.find(' ', random() % (changed.size() - 100)));
    const std::size_t end = changed.find_first_of(" \n", start);
    changed.replace(start, end - start, terrible[random() % terrible.size()]);
    try {
      const Document document = read_text(changed);
      EXPECT_FALSE(document.orthonormality.name.empty());
    } catch (const InputError&) {
    } catch (const ResourceError&) {
    }
  }
}

TEST(Hostile, numbers_out_of_all_range_are_refused) {
  const std::string head = "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 ";
  const auto text = [&head](const char* place, const char* exponent, const char* contraction,
                            const char* orbital) {
    return head + place + "\n[GTO]\n1 0\ns 1 1.0\n" + exponent + " " + contraction +
           "\n\n[MO]\nEne=0\nOccup=1\n1 " + orbital + "\n";
  };
  EXPECT_EQ(error_of(text("0", "1.0", "1.0", "1.0")), "");
  EXPECT_NE(error_of(text("1e300", "1.0", "1.0", "1.0")).find("atom 1 lies 1e+300 bohr away"),
            std::string::npos);
  EXPECT_NE(error_of(text("0", "1e300", "1.0", "1.0")).find("the exponent 1e+300 is out of range"),
            std::string::npos);
  EXPECT_NE(error_of(text("0", "1e-300", "1.0", "1.0")).find("the exponent 1e-300 is out of range"),
            std::string::npos);
  EXPECT_NE(error_of(text("0", "1.0", "1e300", "1.0")).find("contraction coefficient 1e+300"),
            std::string::npos);
  EXPECT_NE(error_of(text("0", "1.0", "1.0", "-1e300")).find("orbital coefficient 1e+300"),
            std::string::npos);
}

TEST(Hostile, small_files_cannot_ask_for_much_memory) {
  // 20 kB of h shells would make 60000 functions: neither S (29 GB) nor a table of orbitals may be made of
  // it.
  std::string text = "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n[GTO]\n1 0\n";
  for (int i = 0; i < 3000; ++i) text += "h 1\n1 1\n";
  text += "[MO]\n";
  const std::string one = text + "Ene=0\n1 1.0\n";
  const Document document = read_text(one);
  EXPECT_EQ(document.orthonormality.name, "unproven");
  EXPECT_FALSE(document.remarks.empty());
  for (int i = 0; i < 20000; ++i) text += "Ene=0\n1 1\n";
  EXPECT_THROW(read_text(text), ResourceError);
}

TEST(Hostile, no_file_empty_file_folder_and_strangers) {
  EXPECT_THROW(read_document("/no/such/file"), InputError);
  EXPECT_THROW(read_document(std::filesystem::temp_directory_path()), InputError);
  const TemporaryFile empty;
  std::ofstream(empty.path()).flush();
  EXPECT_THROW(read_document(empty.path()), InputError);
  EXPECT_NE(error_of("hello\n").find("a structure, found \"hello\""), std::string::npos);
  EXPECT_NE(error_of(std::string("\x89PNG\r\n\x1a\n\0\0", 10)).find("picture"), std::string::npos);
  EXPECT_NE(error_of(std::string(10000, '\0')).find("expected"), std::string::npos);
  EXPECT_NE(error_of(std::string(3000000, 'x')).find("expected"), std::string::npos);
  EXPECT_NE(error_of("\x1f\x8b\x08\x00 damaged gzip").find("gzip"), std::string::npos);
}

TEST(Hostile, formats_are_known_by_their_signature_at_its_place) {
  const auto expect_hint = [](const std::string& text, const std::string& part) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << error;
  };
  expect_hint(std::string("\xff\xfeH\0e\0", 6), "UTF-16");
  // The same two bytes further back are no mark of UTF-16.
  expect_hint(std::string("\x01\x02\x03\0\xff\xfe PK\x03\x04 BZh", 15), "found a binary file");
  expect_hint(std::string("\x7f") + "ELF\x02\x01\x01" + std::string(9, '\0'), "This is a program");
  expect_hint(std::string(128, '\0') + "DICM" + std::string(200, '\x02'), "Livewire lab");
  expect_hint(std::string("ObjectType = Image\nNDims = 2\n\0\1", 31), "Livewire lab");
  expect_hint("%PDF-1.7\nxref\n", "PDF document");
  const std::string sdf =
      "\n  prog\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 C\n";
  expect_hint("2244" + sdf, "atom 2 of 2");  // a number as title, which looks like the first line of XYZ
  expect_hint("aspirin" + sdf, "atom 2 of 2");
  const std::string atom = "ATOM      1  N   MET A   1      27.340  24.430   2.614  1.00  9.67           N\n";
  for (const char* first : {"HEADER    PROTEIN\n", "REMARK   4\n", "CRYST1   52.000\n", "COMPND    X\n",
                            "MODEL        1\n", "TITLE     X\n", ""}) {
    EXPECT_EQ(read_text(first + atom).format, "pdb") << first;
  }
  EXPECT_EQ(read_text("HETATM    1  O   HOH     1       0.000   0.000   0.000\n").format, "pdb");
  expect_hint("ATOM and nothing more that a record of PDB would have in these columns\n",
              "a structure, found");
  expect_hint(" O2\nGAUSSIAN             16 MOL ORBITALS     72 PRIMITIVES        2 NUCLEI\n",
              "number of orbitals is 16");
  expect_hint("<Title>\n h2\n</Title>\n", "<Atomic Numbers>");
  expect_hint(" $GENNBO  NATOMS=13   NBAS=68    UPPER  BODM  $END\n", "$coord");
  expect_hint(" $DATA  \nwater\nC1       0\n", "$DATA");
  expect_hint("{\n  \"atoms\": {}\n}\n", "JSON");
  expect_hint("<?xml version=\"1.0\"?>\n<molpro xmlns=\"x\">\n", "cml:atom");
  expect_hint("<?xml version=\"1.0\"?>\n<other/>\n", "XML");
  expect_hint("<!DOCTYPE html><html>404</html>\n", "web page");
  // Titles may begin like that: this XYZ-like text is judged by its content.
  EXPECT_EQ(error_of("1\nMZ ATOM  \nH 0 0 0\n"), "");
}

TEST(Hostile, only_the_beginning_of_a_file_in_no_known_format_is_read) {
  const TemporaryFile file("no known format\n", ".log");
  std::filesystem::resize_file(file.path(), std::uintmax_t{3} << 30);  // sparse: no disk is used
  const auto before = bytes_read();
  EXPECT_THROW(read_document(file.path()), InputError);
  EXPECT_LT(bytes_read() - before, std::uint64_t{1} << 24);
  // The beginning is right, the rest a hole.
  const TemporaryFile molden("[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n", ".molden");
  std::filesystem::resize_file(molden.path(), std::uintmax_t{3} << 30);
  try {
    read_document(molden.path());
    ADD_FAILURE() << "a hole was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(":4: expected text, found a hole"), std::string::npos)
        << error.what();
  }
  EXPECT_LT(bytes_read() - before, std::uint64_t{1} << 25);
}

TEST(Hostile, copies_broken_off_with_zeros_behind) {
  std::string text = read_text_file(sample("water-631gs.fchk.gz"));
  const std::size_t written = text.find("Alpha MO coefficients");
  ASSERT_NE(written, std::string::npos);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(written), '\n');
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(written), text.end(), '\0');
  EXPECT_NE(error_of(text).find(fmt::format(":{}: expected text, found a hole", line)), std::string::npos);
}

TEST(Hostile, reading_can_be_cancelled) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(read_document(sample("c60.molden.gz"), jobs::Progress(source.get_token(), {})), Cancelled);
}

TEST(Hostile, progress_rises_to_the_end) {
  std::mutex mutex;
  double last = 0;
  double lowest_step = 0;
  bool outside = false;
  const jobs::Progress progress({}, [&](double fraction, std::string_view) {
    const std::scoped_lock lock(mutex);
    outside = outside || fraction < -1e-12 || fraction > 1 + 1e-12;
    lowest_step = std::min(lowest_step, fraction - last);
    last = fraction;
  });
  read_document(sample("c60.molden.gz"), progress);
  EXPECT_FALSE(outside);
  EXPECT_GT(lowest_step, -0.05);  // threads may report two tiles in the other order, never start again
  EXPECT_GT(last, 0.9);
}

}  // namespace
}  // namespace isolume::molecules
