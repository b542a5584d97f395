// isolume-reader: reads one file in a separate process, by a library that damaged files can crash. Programs
// of Isolume start and end it (core/isolation); it is not meant to be run by hand.
#include <cstdio>
#include <map>
#include <string>

#include "core/anatomy/transform_access.h"
#include "core/isolation/served_reader.h"
#include "core/nbody/files/hdf5_access.h"

int main(int argc, char** argv) {
  using Open = std::unique_ptr<isolume::isolation::ServedReader> (*)(const std::filesystem::path&);
  const std::map<std::string, Open> libraries{{"HDF5", isolume::nbody::serve_hdf5},
                                              {"ITK", isolume::anatomy::serve_transforms}};
  const auto library = argc == 3 ? libraries.find(argv[1]) : libraries.end();
  if (library == libraries.end()) {
    std::fputs("isolume-reader is started by Isolume's other programs.\n", stderr);
    return 2;
  }
  return isolume::isolation::serve([&] { return library->second(argv[2]); });
}
