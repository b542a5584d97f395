#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <zlib.h>

#include "core/base/atomic_file.h"
#include "core/base/clock.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/error_text.h"
#include "core/base/input_file.h"
#include "core/base/logging.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "tests/full_disk.h"

namespace isolume {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("isolume-base-" + std::to_string(std::random_device{}()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder / name, std::ios::binary) << content;
    return folder / name;
  }
  fs::path write_gz(const std::string& name, const std::string& content) {
    const gzFile file = gzopen((folder / name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return folder / name;
  }
  std::string content_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t file_count() { return std::distance(fs::directory_iterator(folder), fs::directory_iterator{}); }
};

TEST_F(Files, PlainTextComesBackWhole) {
  EXPECT_EQ(read_text_file(write("a", "one\ntwo\n")), "one\ntwo\n");
}

TEST_F(Files, GzipIsRecognisedByContent) {
  const std::string text(300000, 'x');
  EXPECT_EQ(read_text_file(write_gz("no_suffix", text)), text);
}

TEST_F(Files, TheStartOfAFileIsReadAlone) {
  EXPECT_EQ(read_text_start(write("a", "one\ntwo\n"), 5), "one\nt");
  EXPECT_EQ(read_text_start(write("a", "one\n"), 1000), "one\n");
  const std::string packed =
      content_of(write_gz("whole.gz", std::string(5000, 'x') + std::string(300000, 'y')));
  EXPECT_EQ(read_text_start(folder / "whole.gz", 5001), std::string(5000, 'x') + 'y');
  EXPECT_EQ(read_text_start(write("cut.gz", packed.substr(0, packed.size() - 20)), 10), std::string(10, 'x'))
      << "what is damaged behind it does not matter";
  EXPECT_THROW(read_text_start(write("empty", ""), 10), InputError);
  EXPECT_THROW(read_text_start(folder / "missing", 10), InputError);
  EXPECT_THROW(read_text_start(write("bad.gz", "\x1f\x8b" + std::string(100, 'q')), 10), InputError);
}

TEST_F(Files, UnusableFilesNameThemselvesAndTheRemedy) {
  const auto message = [](const fs::path& path, std::size_t limit = 1 << 20) -> std::string {
    try {
      read_text_file(path, limit);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message(folder / "missing").find("missing: no such file"), std::string::npos);
  EXPECT_NE(message(folder).find("folder"), std::string::npos);
  EXPECT_NE(message(write("empty", "")).find("empty"), std::string::npos);
  EXPECT_NE(message(write("large", std::string(5000, 'x')), 1000).find("more than 1000 B"),
            std::string::npos);
  EXPECT_NE(message(write_gz("bomb.gz", std::string(5000000, 'x'))).find("more than 1 MiB"),
            std::string::npos);
  const std::string packed =
      content_of(write_gz("whole.gz", std::string(100000, 'x') + std::string(999, 'y')));
  EXPECT_NE(message(write("cut.gz", packed.substr(0, packed.size() / 2))).find("gzip"), std::string::npos);
}

TEST_F(Files, GzipThatGrowsAsNoCalculationDoesIsRefused) {
  const fs::path path = folder / "bomb.gz";
  const gzFile file = gzopen(path.c_str(), "wb1");
  const std::string block(1 << 20, '1');
  for (int i = 0; i < 900; ++i) gzwrite(file, block.data(), static_cast<unsigned>(block.size()));
  gzclose(file);
  ASSERT_LT(fs::file_size(path), 6u << 20);
  try {
    read_text_file(path);
    ADD_FAILURE() << "900 MiB were unpacked";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("unpack to more than"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("gunzip"), std::string::npos);
  }
}

TEST_F(Files, TheWatchSeesTheFileGrowAndMayEndTheReading) {
  const std::string text(9000000, 'x');
  for (const fs::path& path : {write("plain", text), write_gz("packed", text)}) {
    std::size_t seen = 0;
    double last = 0;
    const auto watch = [&](std::string_view so_far, double fraction) {
      EXPECT_GT(so_far.size(), seen);
      EXPECT_GE(fraction, last);
      EXPECT_LE(fraction, 1);
      seen = so_far.size();
      last = fraction;
    };
    EXPECT_EQ(read_text_file(path, 1 << 30, watch), text);
    EXPECT_EQ(seen, text.size());
    int calls = 0;
    const auto stop = [&calls](std::string_view, double) {
      ++calls;
      throw Error("enough");
    };
    EXPECT_THROW(read_text_file(path, 1 << 30, stop), Error);
    EXPECT_EQ(calls, 1);
  }
}

TEST_F(Files, AtomicFileAppearsOnlyWhenCommitted) {
  const fs::path target = write("out.txt", "old");
  {
    AtomicFile file(target);
    file.stream() << "half";
  }
  EXPECT_EQ(content_of(target), "old");
  {
    AtomicFile file(target);
    file.stream() << "new";
    file.commit();
  }
  EXPECT_EQ(content_of(target), "new");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(Files, AtomicFileKeepsSuffixForLibrariesThatLookAtIt) {
  AtomicFile file(folder / "mesh.stl");
  EXPECT_EQ(file.temporary().extension(), ".stl");
  AtomicFile packed(folder / "mask.nii.gz");
  EXPECT_TRUE(packed.temporary().string().ends_with(".nii.gz"));
}

TEST_F(Files, AtomicFileTakesTheLongestName) {
  const fs::path target = folder / (std::string(251, 'a') + ".txt");
  AtomicFile file(target);
  file.stream() << "new";
  file.commit();
  EXPECT_EQ(content_of(target), "new");
}

TEST_F(Files, AtomicFileReplacesWhatALinkLeadsTo) {
  const fs::path target = write("out.txt", "old");
  fs::create_symlink(target, folder / "link");
  AtomicFile file(folder / "link");
  file.stream() << "new";
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(content_of(target), "new");
}

fs::perms permissions_of(const fs::path& path) {
  return fs::status(path).permissions();
}

void write_whole(const fs::path& path, const std::string& content,
                 AtomicFile::Readers readers = AtomicFile::Readers::usual) {
  AtomicFile file(path, readers);
  file.stream() << content;
  file.commit();
}

TEST_F(Files, AtomicFileMakesTheFileThatALinkLeadsTo) {
  fs::create_directory(folder / "below");
  fs::create_symlink("below/later.txt", folder / "first");
  fs::create_symlink("first", folder / "second");
  write_whole(folder / "second", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "second"));
  EXPECT_EQ(content_of(folder / "below" / "later.txt"), "new");
}

TEST_F(Files, AtomicFileRefusesLinksWithoutAnEnd) {
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_THROW(AtomicFile{folder / "a"}, Error);
  fs::create_symlink(folder / "nowhere" / "x", folder / "lost");
  EXPECT_THROW(AtomicFile{folder / "lost"}, Error);
  EXPECT_EQ(file_count(), 3u);
}

TEST_F(Files, AtomicFileKeepsPermissions) {
  const auto owner = fs::perms::owner_read | fs::perms::owner_write;
  for (const fs::perms mode : {owner, owner | fs::perms::group_read, fs::perms::owner_read,
                               fs::perms::owner_all | fs::perms::group_all | fs::perms::others_all}) {
    const fs::path target = write("out" + std::to_string(static_cast<unsigned>(mode)), "old");
    fs::permissions(target, mode);
    {
      AtomicFile file(target);
      // While it is written, too, and where a library opens it anew.
      EXPECT_EQ(permissions_of(file.temporary()), mode | owner);
      std::ofstream(file.temporary()) << "new";
      file.commit();
    }
    EXPECT_EQ(content_of(target), "new");
    EXPECT_EQ(permissions_of(target), mode);
  }
}

TEST_F(Files, AtomicFileIsOfItsOwnerAloneWhereThatIsWanted) {
  const auto owner = fs::perms::owner_read | fs::perms::owner_write;
  write_whole(folder / "private", "new", AtomicFile::Readers::owner);
  EXPECT_EQ(permissions_of(folder / "private"), owner);
  const fs::path older = write("older", "old");
  fs::permissions(older, owner | fs::perms::group_read | fs::perms::others_read);
  write_whole(older, "new", AtomicFile::Readers::owner);
  EXPECT_EQ(permissions_of(older), owner);
}

TEST_F(Files, PrivateFoldersAreOfTheirOwnerAlone) {
  std::error_code failed;
  fs::create_directory(folder / "older");
  for (const char* name : {"new", "older"}) {
    make_private_folder(folder / name / "kept", failed);
    EXPECT_FALSE(failed);
    EXPECT_EQ(permissions_of(folder / name / "kept"), fs::perms::owner_all);
  }
}

TEST_F(Files, UnfinishedFilesAreRemovedWhereAProgramEndsAtOnce) {
  const fs::path target = write("out.txt", "old");
  AtomicFile file(target), other(folder / "other.txt");
  file.stream() << "half";
  EXPECT_EQ(file_count(), 3u);
  remove_unfinished_files();
  EXPECT_EQ(file_count(), 1u);
  EXPECT_EQ(content_of(target), "old");
}

TEST_F(Files, PipesSocketsAndDevicesAreRefusedAtOnce) {
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const fs::path& path : {pipe, fs::path("/dev/zero"), folder, folder / "missing"}) {
    EXPECT_THROW(require_regular_file(path), InputError) << path;
    EXPECT_THROW(open_input(path), InputError) << path;
    EXPECT_THROW(read_text_file(path), InputError) << path;
    EXPECT_EQ(start_of_file(path, 10), "") << path;
  }
  EXPECT_EQ(start_of_file(write("a", "one\ntwo"), 5), "one\nt");
  EXPECT_EQ(start_of_file(write("a", "one"), 5), "one");
}

TEST_F(Files, AtomicFileNeverReplacesAnythingButAFile) {
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(AtomicFile{pipe}, Error);
  EXPECT_THROW(AtomicFile{folder}, Error);
  EXPECT_THROW(AtomicFile{folder / ""}, Error);
  EXPECT_THROW(AtomicFile{""}, Error);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(Files, AtomicFileKeepsTheOlderFileWhenThereIsNoRoom) {
  const fs::path target = write("out.txt", "old");
  const auto commit = [&](std::size_t bytes) {
    const testing::FileSizeLimit limit(100);
    AtomicFile file(target);
    file.stream() << std::string(bytes, 'x');
    file.commit();
  };
  for (const std::size_t bytes : {101U, 1000000U}) {  // a large write fails before the commit
    try {
      commit(bytes);
      ADD_FAILURE() << bytes;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(std::strerror(EFBIG)), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(content_of(target), "old");
  EXPECT_EQ(file_count(), 1u);
  commit(100);
  EXPECT_EQ(content_of(target), std::string(100, 'x'));
}

TEST_F(Files, AtomicFileKeepsTheOlderFileOnAFullDisk) {
  SMALL_DISK(disk);
  const fs::path target = disk.path() / "out.txt";
  std::ofstream(target) << "old";
  disk.fill("filler");
  EXPECT_THROW(
      {
        AtomicFile file(target);
        file.stream() << "new";
        file.commit();
      },
      Error);
  EXPECT_EQ(content_of(target), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(disk.path()), fs::directory_iterator{}), 2);
}

TEST_F(Files, AtomicFileLooksHowMuchALibraryHasWritten) {
  const fs::path target = write("out.txt", "old");
  const auto commit = [&](const std::string& written, std::optional<std::uintmax_t> size) {
    AtomicFile file(target);
    std::ofstream(file.temporary()) << written;
    file.commit(size);
  };
  EXPECT_THROW(commit("", {}), Error);
  EXPECT_THROW(commit("half", 8), Error);
  EXPECT_EQ(content_of(target), "old");
  EXPECT_EQ(file_count(), 1u);
  commit("whole", 5);
  EXPECT_EQ(content_of(target), "whole");
  commit("more", {});
  EXPECT_EQ(content_of(target), "more");
}

TEST_F(Files, AtomicFileRefusesAFolderThatDoesNotExist) {
  EXPECT_THROW(AtomicFile(folder / "nowhere" / "out.txt"), Error);
}

TEST(Errors, LongMessagesKeepTheirPlaceAndRemedy) {
  const std::string long_text(2000, 'x');
  const std::string text = InputError("a.molden", 12, long_text, "Export it again.").what();
  EXPECT_LE(text.size(), most_of_a_message);
  EXPECT_TRUE(text.starts_with("a.molden:12: xxx")) << text;
  EXPECT_TRUE(text.ends_with("xxx. Export it again.")) << text;
  EXPECT_EQ(shortened("short"), "short");
  std::string letters;
  for (int i = 0; i < 400; ++i) letters += "\u03c8";
  for (const std::size_t most : {100U, 101U, 102U, 103U}) {
    std::string cut = shortened(letters, most);
    EXPECT_LE(cut.size(), most);
    for (std::size_t at; (at = cut.find("\u03c8")) != cut.npos;) cut.erase(at, 2);
    EXPECT_EQ(cut, " ... ") << "no letter is cut in two";
  }
}

TEST(Errors, OfLibrariesAreInWords) {
  EXPECT_EQ(error_text(Error("As it is.")), "As it is.");
  EXPECT_NE(error_text(std::bad_alloc()).find("memory"), std::string::npos);
  EXPECT_NE(error_text(std::length_error("vector::_M_default_append")).find("memory"), std::string::npos);
  try {
    const auto json = nlohmann::json::parse(R"({"a": "text"})");
    static_cast<void>(json.at("a").get<int>());
    FAIL() << "text is no number";
  } catch (const std::exception& error) {
    EXPECT_EQ(error_text(error), "type must be number, but is string");
  }
  try {
    static_cast<void>(std::filesystem::file_size("/nowhere/at.all"));
    FAIL() << "there is no such file";
  } catch (const std::exception& error) {
    EXPECT_EQ(error_text(error), "/nowhere/at.all: No such file or directory.");
  }
}

TEST(Errors, InputErrorIsOneLineWithPlaceAndRemedy) {
  const InputError error("a.molden", 12, "expected a number", "Export it again.");
  EXPECT_STREQ(error.what(), "a.molden:12: expected a number. Export it again.");
}

TEST(Errors, HostileTextIsQuotedSafely) {
  EXPECT_EQ(quoted("a\nb\x1b[31m"), "\"a?b?[31m\"");
  EXPECT_EQ(quoted("abcdef", 3), "\"abc...\"");
  EXPECT_EQ(quoted("\x1f\x8b\x08\x08name\xff\xfe"), "binary data");
}

TEST(Errors, BytesAreReadable) {
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(std::size_t{3} << 30), "3 GiB");
}

TEST(Log, ListenersHearLinesUntilTheyStop) {
  std::vector<std::string> heard;
  const int token = log::listen([&](const log::Entry& entry) { heard.push_back(entry.text); });
  log::warning("number {}", 1);
  log::unlisten(token);
  log::warning("number {}", 2);
  EXPECT_EQ(heard, std::vector<std::string>{"number 1"});
}

TEST(Text, IsTrimmedOfBlanksAndControlCharactersAtItsEnds) {
  EXPECT_EQ(trimmed(" \t two words\r\n"), "two words");
  EXPECT_EQ(trimmed(std::string_view("PADDED\0", 7)), "PADDED");
  EXPECT_EQ(trimmed(" \r\n\t"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("\xc3\xa4 "), "\xc3\xa4") << "bytes above 127 are no blanks";
}

TEST(Clock, CountsInSecondsAndMilliseconds) {
  const auto start = std::chrono::steady_clock::now() - std::chrono::milliseconds(1500);
  EXPECT_NEAR(seconds_since(start), 1.5, 0.4);
  EXPECT_NEAR(milliseconds_since(start), 1500, 400);
}

TEST(Csv, CellsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csv_cell("LYS A 12"), "LYS A 12");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("5\" pipe"), "\"5\"\" pipe\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(quoted_csv_cell(""), "\"\"");
}

}  // namespace
}  // namespace isolume
