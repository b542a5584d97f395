#include "core/dispatch/control_groups.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dispatch/memory.h"
#include "tests/temporary_folder.h"

namespace isolume::dispatch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// A machine's proc and sys, written by the test.
class ControlGroups : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  void put_version_2(const std::string& group, const std::string& limit, const std::string& used,
                     const std::string& high = "max", const std::string& cached = "0") {
    const std::string at = "sys/fs/cgroup/" + group;
    put(at + "/memory.max", limit + "\n");
    put(at + "/memory.high", high + "\n");
    put(at + "/memory.current", used + "\n");
    put(at + "/memory.stat", "anon 5\nfile 7\ninactive_file " + cached + "\nactive_file 1\n");
  }
  std::size_t available() const { return control_groups_available(folder_.path()); }

 private:
  testing::TemporaryFolder folder_;
};

constexpr const char* mounted_version_2 =
    "22 27 0:21 / /proc rw,nosuid shared:12 - proc proc rw\n"
    "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST_F(ControlGroups, OfAMachineWithoutAnyHaveNoLimit) {
  EXPECT_EQ(available(), none);
  put("proc/self/mountinfo", mounted_version_2);
  put("proc/self/cgroup", "0::/user.slice\n");
  put_version_2("user.slice", "max", "1000");
  EXPECT_EQ(available(), none);
}

TEST_F(ControlGroups, OfAContainerIsAtTheTop) {
  put("proc/self/mountinfo", mounted_version_2);
  put("proc/self/cgroup", "0::/\n");
  put_version_2("", "1000", "300", "max", "50");
  EXPECT_EQ(available(), 750U) << "cached files give way";
  put_version_2("", "1000", "1300");
  EXPECT_EQ(available(), 0U);
}

TEST_F(ControlGroups, OfSystemdAndSlurmLimitAtEveryLevel) {
  put("proc/self/mountinfo", mounted_version_2);
  put("proc/self/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0/task_0\n");
  put_version_2("system.slice", "max", "90000");
  put_version_2("system.slice/slurmstepd.scope/job_7", "4000", "1500");
  put_version_2("system.slice/slurmstepd.scope/job_7/step_0", "6000", "1500");
  put_version_2("system.slice/slurmstepd.scope/job_7/step_0/task_0", "max", "1000");
  put_version_2("system.slice/slurmstepd.scope/job_8", "10", "10");
  EXPECT_EQ(available(), 2500U) << "of the job, which the step lies in";
  put_version_2("system.slice/slurmstepd.scope/job_7/step_0", "6000", "1500", "2000");
  EXPECT_EQ(available(), 500U) << "beyond memory.high it would be slowed down";
}

TEST_F(ControlGroups, OfVersion1AreFoundByTheirController) {
  put("proc/self/mountinfo",
      "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs rw,mode=755\n"
      "35 31 0:32 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
      "36 31 0:33 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "37 31 0:34 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  put("proc/self/cgroup", "5:cpu:/other\n4:memory:/slurm/uid_1/job_7\n1:name=systemd:/x\n0::/\n");
  const auto put_version_1 = [&](const std::string& group, const std::string& limit) {
    const std::string at = "sys/fs/cgroup/memory/" + group;
    put(at + "/memory.limit_in_bytes", limit + "\n");
    put(at + "/memory.usage_in_bytes", "1000\n");
    put(at + "/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n");
  };
  put_version_1("", "9223372036854771712");
  put_version_1("slurm/uid_1", "3000");
  put_version_1("slurm/uid_1/job_7", "5000");
  EXPECT_EQ(available(), 2200U);
}

TEST_F(ControlGroups, MayBeMountedFromAGroupBelowTheFirst) {
  put("proc/self/mountinfo", "31 23 0:28 /docker/abc /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n");
  put("proc/self/cgroup", "0::/docker/abc/inner\n");
  put_version_2("", "9000", "1000");
  put_version_2("inner", "5000", "1000");
  EXPECT_EQ(available(), 4000U);
  put("proc/self/cgroup", "0::/elsewhere\n");
  EXPECT_EQ(available(), 8000U) << "at least of what is seen";
}

TEST(Memory, BeyondAllIntegersIsRefusedWithItsSize) {
  EXPECT_NO_THROW(require_memory("a test", 1e6, ""));
  try {
    require_memory("A map", 0x1p60 * 3e9, "Use a larger spacing.");
    FAIL() << "that much memory is nowhere";
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("A map needs 3e+09 EiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("Use a larger spacing."), std::string::npos);
  }
}

}  // namespace
}  // namespace isolume::dispatch
