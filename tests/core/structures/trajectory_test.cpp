#include "core/structures/trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/structures/charge_frames.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

namespace fs = std::filesystem;

const fs::path references = fs::path(ISOLUME_TEST_REFERENCES) / "electrostatics";

/// As make_trajectories.py has it, in angstrom.
Eigen::Vector3d place_of(int a, int frame) {
  const int m = a / 3, s = a % 3;
  const std::array<double, 3> dx{0, 0.9572, -0.24}, dy{0, 0, 0.927};
  return {3.1 * (m % 3) + dx[static_cast<std::size_t>(s)] + 0.3 * std::sin(m + 0.7 * frame),
          3.1 * (m / 3 % 3) + dy[static_cast<std::size_t>(s)] + 0.2 * std::cos(2.0 * a + frame),
          3.1 * (m / 9) - 5 + 0.1 * std::sin(3.0 * a - frame)};
}

/// The largest distance along an axis from the formula's places.
double worst(Trajectory& trajectory, std::size_t frame) {
  const auto read = trajectory.read(frame);
  EXPECT_EQ(read.places.size(), trajectory.atom_count());
  double most = 0;
  for (std::size_t a = 0; a < read.places.size(); ++a)
    most = std::max(
        most,
        (read.places[a] - place_of(static_cast<int>(a), static_cast<int>(frame))).cwiseAbs().maxCoeff());
  return most;
}

TEST(Trajectories, XtcOfOtherProgramsAreReadToTheirPrecision) {
  for (const auto& [name, frames] : {std::pair{"mdanalysis.xtc", 5U}, std::pair{"mdtraj.xtc", 3U}}) {
    const auto trajectory = open_trajectory(references / name);
    EXPECT_EQ(trajectory->atom_count(), 60U);
    ASSERT_EQ(trajectory->frame_count(), frames);
    EXPECT_FALSE(trajectory->is_cut());
    // Backwards, too: a frame needs none before it. A thousandth of a nanometre is what is kept.
    for (std::size_t frame = frames; frame-- > 0;)
      EXPECT_LT(worst(*trajectory, frame), 0.005 + 1e-5) << name << frame;
  }
  const auto cell = open_xtc(references / "mdanalysis.xtc")->read(4).cell;
  ASSERT_TRUE(cell);
  EXPECT_LT((*cell - Eigen::Matrix3d(Eigen::Vector3d(20, 21, 22).asDiagonal())).cwiseAbs().maxCoeff(), 1e-5);
  // Fewer than ten atoms are written as they are.
  const auto few = open_xtc(references / "mdanalysis-few.xtc");
  ASSERT_EQ(few->frame_count(), 2U);
  EXPECT_LT(worst(*few, 1), 1e-5);
  // The last atom is 100000 times as far away: more than 24 bits are needed, and a single precision number has steps of 0.02
  // angstrom there.
  const auto wide = open_xtc(references / "mdanalysis-wide.xtc")->read(0).places;
  ASSERT_EQ(wide.size(), 60U);
  EXPECT_LT((wide[58] - place_of(58, 0)).cwiseAbs().maxCoeff(), 0.0051);
  EXPECT_LT((wide[59] - 1e5 * place_of(59, 0)).cwiseAbs().maxCoeff(), 0.03);
}

TEST(Trajectories, DcdOfOtherProgramsAreReadWithTheirCells) {
  for (const auto* name : {"mdanalysis.dcd", "mdtraj.dcd"}) {
    const auto trajectory = open_trajectory(references / name);
    EXPECT_EQ(trajectory->atom_count(), 60U) << name;
    ASSERT_EQ(trajectory->frame_count(), 3U) << name;
    for (const std::size_t frame : {2U, 0U, 1U}) EXPECT_LT(worst(*trajectory, frame), 1e-5) << name << frame;
  }
  const auto cell = open_dcd(references / "mdtraj.dcd")->read(1).cell;
  ASSERT_TRUE(cell);
  const auto cosine = [&](int a, int b) {
    return cell->col(a).dot(cell->col(b)) / cell->col(a).norm() / cell->col(b).norm();
  };
  EXPECT_NEAR(cell->col(2).norm(), 22, 1e-4);
  EXPECT_NEAR(cosine(1, 2), std::cos(70 * std::numbers::pi / 180), 1e-5);
  EXPECT_NEAR(cosine(2, 0), std::cos(80 * std::numbers::pi / 180), 1e-5);
  EXPECT_NEAR(cosine(0, 1), std::cos(100 * std::numbers::pi / 180), 1e-5);
}

/// All words of four bytes turned round: what a machine of the other byte order writes, but for letters.
TEST(Trajectories, DcdOfTheOtherByteOrder) {
  const isolume::testing::TemporaryFolder folder;
  std::string bytes = read_text_file(references / "mdanalysis.dcd");
  const std::size_t cell_bytes = 48;
  const auto turn = [&](std::size_t at, std::size_t width) { std::reverse(&bytes[at], &bytes[at] + width); };
  std::size_t at = 0;
  for (int record = 0; at < bytes.size(); ++record) {
    std::uint32_t length = 0;
    std::memcpy(&length, &bytes[at], 4);
    turn(at, 4);
    for (std::size_t i = 0; i < length;) {
      const std::size_t width = length == cell_bytes ? 8 : 4;
      const bool letters = (record == 0 && i == 0) || (record == 1 && i > 0);
      if (!letters) turn(at + 4 + i, width);
      i += width;
    }
    turn(at + 4 + length, 4);
    at += length + 8;
  }
  const auto trajectory = open_dcd(folder.write("other.dcd", bytes));
  ASSERT_EQ(trajectory->frame_count(), 3U);
  EXPECT_LT(worst(*trajectory, 2), 1e-5);
  EXPECT_NEAR(trajectory->read(0).cell->col(1).norm(), 21, 1e-4);
}

void expect_trajectory_refused(const std::function<void()>& read, const std::string& part) {
  try {
    read();
    ADD_FAILURE() << "taken, though: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Trajectories, DamagedTrajectoriesAreRefusedAndCutOnesSaySo) {
  const isolume::testing::TemporaryFolder folder;
  const auto damaged = [&](const std::string& name, std::size_t at, const std::string& with,
                           const std::string& part) {
    std::string bytes = read_text_file(references / name);
    bytes.replace(at, with.size(), with);
    const auto path = folder.write(name, bytes);
    expect_trajectory_refused(
        [&] {
          const auto trajectory = open_trajectory(path);
          for (std::size_t i = 0; i < trajectory->frame_count(); ++i) trajectory->read(i);
        },
        part);
  };
  using std::string_literals::operator""s;
  damaged("mdanalysis.xtc", 0, "\0\0\x07\xe7"s, "298 million");
  damaged("mdanalysis.xtc", 0, "hello"s, "does not begin");
  damaged("mdanalysis.xtc", 4, "\x7f\xff\xff\xff"s, "atoms");
  damaged("mdanalysis.xtc", 52, "\0\0\0\x3d"s, "60 atoms");
  damaged("mdanalysis.xtc", 56, "\0\0\0\0"s, "precision");
  damaged("mdanalysis.xtc", 60, "\x7f\xff\xff\xff"s, "no box");
  damaged("mdanalysis.xtc", 84, "\0\0\0\x49"s, "steps of an unknown size");
  damaged("mdanalysis.xtc", 88, "\x80\0\0\0"s, "bytes");
  damaged("mdanalysis.xtc", 88, "\0\0\0\x10"s, "frame 2 does not begin");
  damaged("mdanalysis.dcd", 4, "VELD"s, "CORD");
  damaged("mdanalysis.dcd", 0, "\x55\0\0\0"s, "does not begin");
  damaged("mdanalysis.dcd", 4 + 36, "\x05\0\0\0"s, "fixed");
  damaged("mdanalysis.dcd", 88, "\x01\0\0\0"s, "no record");
  const std::string xtc = read_text_file(references / "mdanalysis.xtc");
  for (const auto* name : {"mdanalysis.xtc", "mdanalysis.dcd", "mdanalysis-few.xtc"}) {
    const std::string bytes = read_text_file(references / name);
    const std::size_t whole = open_trajectory(references / name)->frame_count();
    for (std::size_t length = 0; length < bytes.size(); length += 7) {
      const auto path = folder.write("cut"s + name, bytes.substr(0, length));
      try {
        const auto trajectory = open_trajectory(path);
        EXPECT_LT(trajectory->frame_count(), whole);
        for (std::size_t i = 0; i < trajectory->frame_count(); ++i) EXPECT_LT(worst(*trajectory, i), 0.0051);
      } catch (const InputError&) {
        continue;
      }
    }
  }
  const auto cut = open_trajectory(folder.write("end.xtc", xtc.substr(0, xtc.size() - 4)));
  EXPECT_TRUE(cut->is_cut());
  EXPECT_EQ(cut->frame_count(), 4U);
  // Whatever a byte is, nothing but an error comes of it.
  for (std::size_t at = 0; at < 700; at += 3) {
    std::string bytes = xtc;
    bytes[at] = static_cast<char>(bytes[at] ^ (at % 6 == 0 ? 0xFF : 0x10));
    try {
      open_xtc(folder.write("flip.xtc", bytes))->read(0);
    } catch (const InputError&) {
      continue;
    }
  }
}

TEST(Trajectories, DcdThatStatesOtherFramesThanItHoldsSaysSo) {
  const isolume::testing::TemporaryFolder folder;
  const auto with = [&](char frames) {
    std::string bytes = read_text_file(references / "mdanalysis.dcd");
    bytes[8] = frames;
    return open_dcd(folder.write("t.dcd", bytes))->remarks().text();
  };
  EXPECT_EQ(with(3), "");
  EXPECT_EQ(with(0), "") << "which writers leave that are ended";
  EXPECT_EQ(with(5), "t.dcd: the header states 5 frames, but the file holds 3, which are used.");
}

// Frames of charges

class ChargeFrameFiles : public ::testing::Test {
 protected:
  std::unique_ptr<ChargeFrames> opened(const fs::path& path, const fs::path& trajectory = {}) {
    return open_charge_frames(path, {}, trajectory);
  }
  isolume::testing::TemporaryFolder folder;
};

TEST_F(ChargeFrameFiles, ModelsOfAStructureAreFrames) {
  const auto frames = opened(references / "1A1P-21-models.pdb.gz");
  ASSERT_EQ(frames->size(), 21U);
  const auto third = frames->at(2);
  ChargedFileOptions options;
  options.model = 3;
  const auto alone = read_charged_file(references / "1A1P-21-models.pdb.gz", options).charges;
  EXPECT_EQ(third.x, alone.x);
  EXPECT_EQ(third.charge, alone.charge);
  EXPECT_NE(third.x, frames->at(3).x);
  EXPECT_EQ(open_charge_frames(references / "1A1P-21-models.pdb.gz", options, {})->size(), 1U);
}

TEST_F(ChargeFrameFiles, FramesOfXyzAndGroAndTrajectories) {
  const auto xyz = opened(folder.write("f.xyz", "1\n\nO 0 0 0 1\n1\n\nO 1 0 0 2\n\n"));
  ASSERT_EQ(xyz->size(), 2U);
  EXPECT_EQ(xyz->at(1).charge[0], 2);
  const std::string atom = "    1NA      NA    1   1.000   0.000   ";
  folder.write("f.top", "[ moleculetype ]\nNA 1\n[ atoms ]\n1 NA 1 NA NA 1 1.0\n");
  const auto gro =
      opened(folder.write("f.gro", "t= 0\n1\n" + atom + "0.100\n1 1 1\nt= 1\n1\n" + atom + "0.200\n2 2 2\n"));
  ASSERT_EQ(gro->size(), 2U);
  EXPECT_NEAR(gro->at(1).z[0], 2, 1e-12);
  EXPECT_EQ(gro->at(1).charge[0], 1);
  EXPECT_NEAR((*gro->at(1).cell)(2, 2), 20, 1e-12);
  std::string pqr;
  for (int i = 0; i < 60; ++i) pqr += "ATOM 1 X UNK 1 0 0 0 " + std::to_string(i) + " 1\n";
  const auto moving = opened(folder.write("m.pqr", pqr), references / "mdanalysis.xtc");
  ASSERT_EQ(moving->size(), 5U);
  const auto charges = moving->at(3);
  EXPECT_EQ(charges.charge[59], 59);
  EXPECT_LT((charges.place(59) - place_of(59, 3)).norm(), 0.01);
  EXPECT_TRUE(charges.cell);
  std::string dcd = read_text_file(references / "mdanalysis.dcd");
  dcd[8] = 9;  // frames that the header states
  EXPECT_EQ(opened(folder / "m.pqr", folder.write("nine.dcd", dcd))->at(2).remarks.size(),
            charges.remarks.size() + 1);
  expect_trajectory_refused([&] { opened(folder.write("n.pqr", pqr.substr(30)), references / "mdtraj.dcd"); },
                            "60 atoms");
  expect_trajectory_refused([&] { opened(folder / "m.pqr", folder.write("t.trr", "x")); }, ".dcd or .xtc");
}

TEST_F(ChargeFrameFiles, ModelsOfPqrAndMoleculesOfMol2) {
  const auto pqr =
      opened(folder.write("m.pqr",
                          "CRYST1   10.000   20.000   30.000  90.00  90.00  90.00\n"
                          "MODEL 1\nATOM 1 NA NA 1 0 0 0 1 1.5\nENDMDL\n"
                          "MODEL 2\nATOM 1 NA NA 1 4 0 0 -1 1.5\nATOM 2 CL CL 2 5 0 0 2 1.5\nENDMDL\nEND\n"));
  ASSERT_EQ(pqr->size(), 2U);
  EXPECT_EQ(pqr->at(0).size(), 1U);
  EXPECT_EQ(pqr->at(1).x, (std::vector<double>{4, 5}));
  EXPECT_EQ(pqr->at(1).charge, (std::vector<double>{-1, 2}));
  ASSERT_TRUE(pqr->at(1).cell) << "of the whole file";
  EXPECT_NEAR((*pqr->at(1).cell)(1, 1), 20, 1e-12);
  const auto molecule = [](const std::string& atoms) {
    return "@<TRIPOS>MOLECULE\nname\n1 0\nSMALL\nUSER_CHARGES\n@<TRIPOS>ATOM\n" + atoms;
  };
  const auto mol2 = opened(folder.write("m.mol2", molecule("1 C1 0 0 0 C.3 1 LIG1 0.25\n") +
                                                      molecule("1 O1 0 2 0 O.3 1 LIG1 -0.5\n") +
                                                      molecule("1 N1 0 0 3 N.3 1 LIG1 0.125\n")));
  ASSERT_EQ(mol2->size(), 3U);
  EXPECT_EQ(mol2->at(0).charge, std::vector<double>{0.25});
  EXPECT_EQ(mol2->at(1).y, std::vector<double>{2});
  EXPECT_EQ(mol2->at(2).charge, std::vector<double>{0.125});
  EXPECT_THROW(opened(folder.write("bad.mol2", molecule("1 C1 0 0 0 C.3 1 LIG1 0.25\n") + molecule(""))),
               InputError);
  EXPECT_THROW(opened(folder.write("bad.pqr",
                                   "MODEL 1\nATOM 1 NA NA 1 0 0 0 1 1.5\nENDMDL\n"
                                   "MODEL 2\nATOM 1 NA NA 1 0 0 zero 1 1.5\nENDMDL\n")),
               InputError);
}

TEST_F(ChargeFrameFiles, FramesAreChosenByFirstAndLastAndStep) {
  std::string text;
  for (int i = 0; i < 7; ++i) text += "1\n\nO 0 0 0 1\n";
  const auto frames = opened(folder.write("f.xyz", text));
  using List = std::vector<std::size_t>;
  EXPECT_EQ(chosen_frames("2:6:2", *frames, "traj.dcd"), (List{1, 3, 5}));
  EXPECT_EQ(chosen_frames("::3", *frames, "traj.dcd"), (List{0, 3, 6}));
  EXPECT_EQ(chosen_frames("5:", *frames, "traj.dcd"), (List{4, 5, 6}));
  EXPECT_EQ(chosen_frames(":2", *frames, "traj.dcd"), (List{0, 1}));
  EXPECT_EQ(chosen_frames("4", *frames, "traj.dcd"), (List{3}));
  EXPECT_EQ(chosen_frames("", *frames, "traj.dcd").size(), 7U);
  EXPECT_EQ(chosen_frames("1::9999999999", *frames, "traj.dcd"), (List{0}));
  for (const auto* bad : {"0", "1:8", "5:4", "a", "1:2:0", "1:2:3:4", "-1", "1:7:-1", "9"})
    expect_trajectory_refused([&] { chosen_frames(bad, *frames, "traj.dcd"); }, "FIRST:LAST:STEP");
  std::string pqr;
  for (int i = 0; i < 60; ++i) pqr += "ATOM 1 X UNK 1 0 0 0 1 1\n";
  const std::string xtc = read_text_file(references / "mdanalysis.xtc");
  const auto cut = opened(folder.write("m.pqr", pqr), folder.write("cut.xtc", xtc.substr(0, xtc.size() - 1)));
  expect_trajectory_refused([&] { chosen_frames("1:", *cut, "traj.dcd"); },
                            "traj.dcd: frames \"1:\": the file is cut off after frame 4");
  EXPECT_EQ(chosen_frames("1:4", *cut, "traj.dcd").size(), 4U);
}

}  // namespace
}  // namespace isolume::structures
