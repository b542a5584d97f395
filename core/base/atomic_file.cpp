#include "core/base/atomic_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"

namespace isolume {
namespace {

namespace fs = std::filesystem;

/// The existing temporary files, for a program that ends at once.
struct Unfinished {
  std::mutex mutex;
  std::set<fs::path> files;
};
Unfinished& unfinished() {
  static auto* all = new Unfinished;  // outlives all other static objects
  return *all;
}

/// Throws Error for a name that only the rename would find too long, after the work.
void check_length(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const long most = ::pathconf(folder.c_str(), _PC_NAME_MAX);
  if (most < 0 || target.filename().native().size() <= static_cast<std::size_t>(most)) return;
  throw Error(
      fmt::format("{}: cannot be written (the name is longer than {} bytes). Give the file a shorter name.",
                  target.string(), most));
}

/// The file that the rename will replace: for a link, its target; never a device, which a rename by root
/// would replace by a file.
fs::path checked(fs::path target) {
  std::error_code failed;
  // Of the name as given: what a link of /proc leads to ("pipe:[123]") has no name in the file system.
  const fs::file_status status = fs::status(target, failed);
  const bool is_other = fs::exists(status) && !fs::is_regular_file(status);
  if (is_other || !target.has_filename()) {
    throw Error(fmt::format("{}: cannot be written as a file ({}). Give the name of a file to write.",
                            target.string(),
                            !is_other                  ? "it ends without a name"
                            : fs::is_directory(status) ? "it is a folder"
                                                       : "it is a device, a pipe or a socket"));
  }
  target = behind_links(std::move(target));
  check_length(target);
  return target;
}

constexpr unsigned all_may = 0777;
constexpr unsigned owner_may = 0600;

/// Creates the file for its writer alone, then gives it the permissions and the group of the file that it
/// will replace: no more users than before may read it. Returns these permissions; empty if there are none to
/// keep. Errors show when the file is opened.
std::optional<unsigned> make_temporary(const fs::path& temporary, const fs::path& target,
                                       AtomicFile::Readers readers) {
  struct stat old = {};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  const bool is_private = readers == AtomicFile::Readers::owner;
  constexpr mode_t by_umask = 0666;
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          replaces || is_private ? owner_may : by_umask);
  if (file < 0) return std::nullopt;
  std::optional<unsigned> mode;
  if (is_private) mode = owner_may;
  if (replaces && !is_private) {
    mode = old.st_mode & all_may;
    struct stat made = {};
    const bool same_group = ::fstat(file, &made) == 0 && made.st_gid == old.st_gid;
    // Another group gets no more rights than everybody.
    if (!same_group && ::fchown(file, static_cast<uid_t>(-1), old.st_gid) != 0)
      *mode = (*mode & 0707U) | (*mode & 07U) << 3U;
    ::fchmod(file, *mode | owner_may);
  }
  ::close(file);
  return mode;
}

fs::path path_beside(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  // A name of maximum length leaves no room for additions. Suffixes (".nii.gz") stay at its end.
  const std::string name = target.filename().string();
  return target.parent_path() /
         fmt::format(".{}-{}-{}", ::getpid(), counter++,
                     name.substr(name.size() - std::min<std::size_t>(name.size(), 200)));
}

/// The last error of the system.
std::string last_problem() {
  return errno != 0 ? std::strerror(errno) : "the system does not say why";
}

/// The reason why the stream failed. errno of an earlier failed write is lost; another large write fails for
/// the same reason. The temporary file is removed afterwards.
std::string problem_of_stream(std::ostream& stream) {
  if (errno == 0) {
    constexpr std::size_t large = 1U << 20U;  // larger than the rest of a block of a full disk
    stream.clear();
    stream << std::string(large, '\0') << std::flush;
  }
  return last_problem();
}

/// Empty if all of the file has reached the disk: some file systems report a full disk or an exceeded quota
/// only then.
std::string problem_of_disk(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return last_problem();
  const bool is_there = ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;  // may be unsupported
  std::string problem = is_there ? "" : last_problem();
  ::close(descriptor);
  return problem;
}

/// The rename is stored in the folder and could be lost at a power failure. Some file systems and folder
/// permissions do not allow this step, and the data are safe already.
void bring_to_disk(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

/// Empty if the file has the required length; at least one byte if that is not known.
std::string problem_of_size(const fs::path& file, std::optional<std::uintmax_t> wanted) {
  std::error_code failed;
  const std::uintmax_t found = fs::file_size(file, failed);
  if (failed) return failed.message();
  if (wanted ? found == *wanted : found > 0) return {};
  return wanted ? fmt::format("it has only {} of {} bytes", found, *wanted) : "it is empty";
}

}  // namespace

AtomicFile::AtomicFile(fs::path target, Readers readers)
    : target_(checked(std::move(target))), temporary_(path_beside(target_)) {
  Unfinished& all = unfinished();
  const std::scoped_lock lock(all.mutex);  // otherwise it could be created while the files are being removed
  mode_ = make_temporary(temporary_, target_, readers);
  stream_.open(temporary_, std::ios::binary);
  if (!stream_) {
    const std::string problem = last_problem();
    std::error_code ignored;
    fs::remove(temporary_, ignored);
    throw Error(
        fmt::format("{}: cannot be written ({}). Choose a folder that exists and that you may write to.",
                    target_.string(), problem));
  }
  all.files.insert(temporary_);
}

AtomicFile::~AtomicFile() {
  if (!committed_) {
    stream_.close();
    std::error_code ignored;
    fs::remove(temporary_, ignored);
  }
  Unfinished& all = unfinished();
  const std::scoped_lock lock(all.mutex);
  all.files.erase(temporary_);
}

void AtomicFile::retarget(fs::path target) {
  target_ = checked(std::move(target));
}

void AtomicFile::commit(std::optional<std::uintmax_t> size) {
  errno = 0;
  stream_.flush();
  // The stream is empty if a library wrote to the path.
  if (const std::streamoff streamed = stream_.tellp(); streamed > 0) size = streamed;
  std::string problem = stream_.good() ? "" : problem_of_stream(stream_);
  stream_.close();
  if (problem.empty() && !stream_.good()) problem = last_problem();
  if (mode_) ::chmod(temporary_.c_str(), *mode_);
  if (problem.empty()) problem = problem_of_disk(temporary_);
  if (problem.empty()) problem = problem_of_size(temporary_, size);
  std::error_code failed;
  if (problem.empty()) fs::rename(temporary_, target_, failed);
  if (failed) problem = failed.message();
  if (!problem.empty()) {
    throw Error(fmt::format("{}: could not be written ({}). Free some space or choose another folder.",
                            target_.string(), problem));
  }
  committed_ = true;
  bring_to_disk(target_.parent_path());
}

fs::path behind_links(fs::path path) {
  constexpr int most_links = 40;  // the limit of Linux
  std::error_code failed;
  for (int links = 0; fs::is_symlink(path, failed); ++links) {
    const fs::path next = fs::read_symlink(path, failed);
    if (failed || links == most_links) {
      throw Error(fmt::format(
          "{}: cannot be written as a file (its links lead to no end). Give another name.", path.string()));
    }
    path = path.parent_path() / next;
  }
  return path;
}

void remove_unfinished_files() {
  Unfinished& all = unfinished();
  const std::scoped_lock lock(all.mutex);
  std::error_code ignored;
  for (const fs::path& file : all.files) fs::remove(file, ignored);
  all.files.clear();
}

void make_private_folder(const fs::path& folder, std::error_code& failed) {
  fs::create_directories(folder, failed);
  if (!failed) fs::permissions(folder, fs::perms::owner_all, failed);
}

}  // namespace isolume
