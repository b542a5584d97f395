#pragma once

#include <filesystem>
#include <vector>

#include <hdf5.h>

namespace isolume::nbody::testing {

/// A snapshot as GADGET writes it, by nothing but libhdf5.
class Snapshot {
 public:
  explicit Snapshot(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Snapshot() { H5Fclose(file_); }

  hid_t file() const { return file_; }
  void group(const char* name) { H5Gclose(H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }
  void attribute(const char* group, const char* name, std::vector<double> values) {
    const hsize_t count = values.size();
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
    const hid_t made =
        H5Acreate_by_name(file_, group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, H5T_NATIVE_DOUBLE, values.data());
    H5Aclose(made);
    H5Sclose(space);
  }
  /// As h5py writes a str.
  void text(const char* group, const char* name, const char* value) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t made =
        H5Acreate_by_name(file_, group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, type, &value);
    H5Aclose(made);
    H5Sclose(space);
    H5Tclose(type);
  }
  void floats(const char* name, std::vector<float> values, std::vector<hsize_t> shape) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t made = H5Dcreate2(file_, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!values.empty()) H5Dwrite(made, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(made);
    H5Sclose(space);
  }

 private:
  hid_t file_;
};

}  // namespace isolume::nbody::testing
