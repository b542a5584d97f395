#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include <hdf5.h>

#include "core/nbody/files/hdf5_shape.h"

/// Shared by both users of libhdf5: isolume-reader, which reads, and the programs, which write.
namespace isolume::nbody {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

/// Owns an HDF5 identifier and closes it.
class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*how)(hid_t)) : id_(id), close_(how) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  operator hid_t() const { return id_; }
  /// Closes now and returns the status: libhdf5 writes on closing.
  herr_t close() { return close_(std::exchange(id_, -1)); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The innermost message of libhdf5's error stack.
inline std::string last_hdf5_problem() {
  std::string text;
  const auto take = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    if (error->desc != nullptr && *error->desc != 0) *static_cast<std::string*>(to) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, take, &text);
  return text.empty() ? "the HDF5 library does not say why" : text;
}

inline Shape shape_of(hid_t dataset) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  std::array<hsize_t, H5S_MAX_RANK> sizes = {};
  if (rank < 0 || H5Sget_simple_extent_dims(space, sizes.data(), nullptr) < 0) return {0};
  return {sizes.begin(), sizes.begin() + rank};
}

}  // namespace isolume::nbody
