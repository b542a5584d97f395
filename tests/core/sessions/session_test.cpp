#include "core/sessions/session.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/temporary_folder.h"

namespace isolume::sessions {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

Session example(const fs::path& data) {
  DocumentSession orbitals{.lab = "orbitals", .front = false, .data = reference_to(data)};
  orbitals.parameters = {
      {"field", "density"}, {"isovalue", "0.030000000000000002"}, {"title", "a \"quoted\"\nline"}};
  orbitals.camera = "1,2,3,0,0,0,0,1,0";
  orbitals.state = {{"frame", 3}, {"atoms", {0, 5, 7}}};
  const DocumentSession shown{.lab = "orbitals"};
  const DocumentSession generator{.lab = "generator"};
  return {.shown = "generator", .documents = {orbitals, shown, generator}, .layout = "AAAA/w=="};
}

std::string error_of(const fs::path& path) {
  try {
    read_session(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Session, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  const Session before = example(folder.write("benzene.fchk", "orbitals"));
  const fs::path path = folder / "work.isolume";
  write_session(before, path);
  const Session after = read_session(path);
  EXPECT_EQ(after.shown, before.shown);
  EXPECT_EQ(after.layout, before.layout);
  ASSERT_EQ(after.documents.size(), 3U);
  EXPECT_FALSE(after.documents[0].front);
  EXPECT_TRUE(after.documents[1].front);
  EXPECT_EQ(after.documents[1].lab, "orbitals");
  EXPECT_EQ(after.documents[0].lab, "orbitals");
  EXPECT_EQ(after.documents[0].parameters, before.documents[0].parameters);
  EXPECT_EQ(after.documents[0].camera, before.documents[0].camera);
  EXPECT_EQ(after.documents[0].state, before.documents[0].state);
  ASSERT_TRUE(after.documents[0].data);
  EXPECT_EQ(after.documents[0].data->path, folder / "benzene.fchk");
  EXPECT_EQ(after.documents[0].data->beside, "benzene.fchk");
  EXPECT_EQ(after.documents[0].data->bytes, 8U);
  EXPECT_FALSE(after.documents[2].data);
}

// The values of the reference implementation's tool, xxh128sum.
TEST(DataReference, HashesAreThoseOfXxh128sum) {
  const TemporaryFolder folder;
  EXPECT_EQ(reference_to(folder.write("empty", "")).hash, "99aa06d3014798d86001c324468d497f");
  const DataReference abc = reference_to(folder.write("abc", "abc"));
  EXPECT_EQ(abc.hash, "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(abc.bytes, 3U);
  EXPECT_THROW(reference_to(folder / "missing"), Error);
}

TEST(DataReference, LargeFilesDifferByTheirBeginningAndTheirEnd) {
  const TemporaryFolder folder;
  const fs::path path = folder / "large";
  { std::ofstream(path, std::ios::binary) << 'a'; }
  fs::resize_file(path, 40'000'000);
  const std::string before = reference_to(path).hash;
  EXPECT_EQ(reference_to(path).hash, before);
  const auto change_at = [&](std::streamoff place) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(place) << 'b';
  };
  change_at(39'999'999);
  const std::string last = reference_to(path).hash;
  EXPECT_NE(last, before);
  change_at(0);
  EXPECT_NE(reference_to(path).hash, last);
}

TEST(DataReference, FoldersAreTheNamesAndSizesOfTheirFiles) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "ct/inner");
  folder.write("ct/1.dcm", "12345");
  folder.write("ct/inner/2.dcm", "123");
  const DataReference before = reference_to(folder / "ct");
  EXPECT_EQ(before.bytes, 8U);
  fs::rename(folder / "ct", folder / "moved");
  EXPECT_EQ(reference_to(folder / "moved").hash, before.hash);
  folder.write("moved/3.dcm", "");
  EXPECT_NE(reference_to(folder / "moved").hash, before.hash);
}

TEST(Session, FindsDataThatWereMovedTogetherWithIt) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "there/data");
  const fs::path data = folder.write("there/data/benzene.fchk", "orbitals");
  write_session(example(data), folder / "there/work.isolume");
  const auto reference = *read_session(folder / "there/work.isolume").documents[0].data;
  EXPECT_EQ(locate(reference, folder / "there/work.isolume").found, Found::unchanged);

  fs::rename(folder / "there", folder / "here");
  const Located moved = locate(reference, folder / "here/work.isolume");
  EXPECT_EQ(moved.found, Found::unchanged);
  EXPECT_EQ(moved.path, folder / "here/data/benzene.fchk");

  folder.write("here/data/benzene.fchk", "other");
  EXPECT_EQ(locate(reference, folder / "here/work.isolume").found, Found::changed);
  fs::remove(folder / "here/data/benzene.fchk");
  const Located missing = locate(reference, folder / "here/work.isolume");
  EXPECT_EQ(missing.found, Found::missing);
  EXPECT_EQ(missing.path, data);
}

// A changed file beside the session does not hide the right one where it was.
TEST(Session, PrefersDataThatAreUnchanged) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "copy");
  const fs::path data = folder.write("benzene.fchk", "orbitals");
  DataReference reference = reference_to(data);
  reference.beside = "benzene.fchk";
  folder.write("copy/benzene.fchk", "something else");
  const Located located = locate(reference, folder / "copy/work.isolume");
  EXPECT_EQ(located.found, Found::unchanged);
  EXPECT_EQ(located.path, data);
}

TEST(Session, NamesEntriesThatItDoesNotKnow) {
  const auto read = [](const std::string& version, const std::string& list, const std::string& front) {
    return session_of_text(R"({"isolume-session":)" + version + R"(,"shown":"a","layout":"","Layout":1,")" +
                               list + R"(":[{"lab":"a",)" + front +
                               R"("parameters":{},"camera":"","camra":"","state":{"any":1},)"
                               R"("data":{"path":"p","beside":"","bytes":0,"xxh3":"","md5":""}}]})",
                           "/tmp/s.isolume");
  };
  const Session before = read("1", "labs", ""), now = read("2", "documents", R"("front":true,)");
  EXPECT_EQ(before.documents[0].entry, "labs[0]");
  EXPECT_EQ(now.documents[0].entry, "documents[0]");
  ASSERT_EQ(now.remarks.size(), 1U);
  EXPECT_EQ(now.remarks[0].text,
            "s.isolume: entries that sessions do not have are left out: Layout, documents[0].camra, "
            "documents[0].data.md5.");
  EXPECT_EQ(now.remarks[0].count, 3U);
  EXPECT_TRUE(read_session(fs::path(ISOLUME_TEST_REFERENCES) / "sessions/version-1.isolume").remarks.empty());
}

TEST(Session, RefusesWhatItCannotTakeAndSaysWhy) {
  const TemporaryFolder folder;
  const auto error = [&](std::string_view text) { return error_of(folder.write("bad.isolume", text)); };
  EXPECT_NE(error("{\"isolume-session\": 3, \"shown\": \"\"}").find("later version"), std::string::npos);
  EXPECT_NE(error("{\"isolume-session\": \"x\"}").find("isolume-session: expected a whole number"),
            std::string::npos);
  EXPECT_NE(error("{}").find("\"isolume-session\" is missing"), std::string::npos);
  EXPECT_NE(error("[1, 2").find("ends too early"), std::string::npos);
  EXPECT_NE(error("{\n \"a\": 1,\n \"b\": ?}").find("bad.isolume:3: is not JSON from column 7 on"),
            std::string::npos)
      << error("{\n \"a\": 1,\n \"b\": ?}");
  for (const char* text : {"[1, 2", "?", "[1e999]", "{\"a\": \"\x01\"}", "{\"a\": \"\xff\"}"})
    EXPECT_EQ(error(text).find("json.exception"), std::string::npos) << error(text);
  EXPECT_NE(error(std::string(100'000, '[')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error(R"({"isolume-session":1,"shown":"a","layout":"","labs":[{"lab":"a","parameters":{"x":1},)"
                  R"("camera":"","state":{}}]})")
                .find("labs[0].parameters.x: expected text, found"),
            std::string::npos);
  EXPECT_NE(error(R"({"isolume-session":1,"shown":"a","layout":"","labs":[{"lab":"a","parameters":{},)"
                  R"("camera":"","state":[]}]})")
                .find("labs[0].state: expected an object"),
            std::string::npos);
  EXPECT_NE(error(R"({"isolume-session":2,"shown":"a","layout":"","documents":[{"lab":"a","parameters":{},)"
                  R"("camera":"","state":{}}]})")
                .find("\"front\" is missing"),
            std::string::npos);
  EXPECT_THROW(read_session(folder / "none.isolume"), InputError);
}

TEST(Session, EveryCutOfAFileIsAnError) {
  const TemporaryFolder folder;
  const fs::path path = folder / "work.isolume";
  write_session(example(folder.write("benzene.fchk", "orbitals")), path);
  std::stringstream whole;
  whole << std::ifstream(path).rdbuf();
  const std::string text = whole.str();
  for (std::size_t length = 1; length + 2 < text.size(); ++length) {
    EXPECT_NE(error_of(folder.write("cut.isolume", text.substr(0, length))), "no error") << length;
  }
}

// Saved by the program when each lab had one document.
TEST(Session, TakesSessionsOfVersion1) {
  const Session session = read_session(fs::path(ISOLUME_TEST_REFERENCES) / "sessions/version-1.isolume");
  EXPECT_EQ(session.shown, "orbitals");
  EXPECT_FALSE(session.layout.empty());
  ASSERT_EQ(session.documents.size(), 2U);
  const auto& [orbitals, livewire] = std::tie(session.documents[0], session.documents[1]);
  EXPECT_EQ(orbitals.lab, "orbitals");
  EXPECT_TRUE(orbitals.front);
  EXPECT_EQ(orbitals.data->beside, "water-631gs.fchk.gz");
  EXPECT_EQ(orbitals.data->hash, "b74db6bc36359226354b2022f39a4aee");
  EXPECT_NE(std::ranges::find(orbitals.parameters, std::pair<std::string, std::string>("isovalue", "0.07")),
            orbitals.parameters.end());
  EXPECT_EQ(orbitals.state.at("measured_atoms"), nlohmann::json({0, 1}));
  EXPECT_EQ(livewire.lab, "livewire");
  EXPECT_TRUE(livewire.front);
  EXPECT_EQ(livewire.state.at("contours").at("contours").size(), 1U);

  const TemporaryFolder folder;
  write_session(session, folder / "now.isolume");
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(folder / "now.isolume")).at("isolume-session"), 2);
  EXPECT_EQ(read_session(folder / "now.isolume").documents[0].parameters, orbitals.parameters);
}

// How sessions began: contours with their image.
TEST(Session, TakesContoursThatTheLivewireLabSaved) {
  const TemporaryFolder folder;
  const Session session = read_session(
      folder.write("contours.json",
                   R"({"isolume-contours":1,"image":{"path":"/data/ct","series_uid":"1.2.3"},"labels":[]})"));
  EXPECT_EQ(session.shown, "livewire");
  ASSERT_EQ(session.documents.size(), 1U);
  EXPECT_EQ(session.documents[0].data->path, "/data/ct");
  EXPECT_EQ(session.documents[0].state.at("series_uid"), "1.2.3");
  EXPECT_EQ(session.documents[0].state.at("contours").at("isolume-contours"), 1);
}

}  // namespace
}  // namespace isolume::sessions
