#!/usr/bin/env bash
# usage: cuda_versions_test.sh ROOT pretended NVCC
#        cuda_versions_test.sh ROOT installed NVCC [FOLDER...]
# pretended: gpu/backend.cmake with compilers that report other versions and are NVCC otherwise. It proves which
# architectures are chosen by the version and that too old compilers are refused, not that they compile the sources.
# installed: configures the program with every compiler FOLDER/bin/nvcc (/usr/local/cuda-*) whose version differs from
# NVCC's; ends with 77 (skipped) where there is none. NVCC may be empty.
set -euo pipefail
root=$1 what=$2 own=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
failures=0

version_of() { "$1" --version | sed -nE 's/.*release ([0-9.]+).*/\1/p'; }

# expect WORDS in the log of the last configuration.
expect() {
  grep -qE -- "$1" "$scratch/log" && return
  printf 'Not in the log of %s: %s\n' "$case" "$1"
  sed 's/^/  /' "$scratch/log"
  failures=$((failures + 1))
}
# expect_architectures VERSION: nvcc compiles for capability 12.0 since CUDA 12.8.
expect_architectures() {
  local newest
  newest=$(printf '%s\n' "$1" 12.8 | sort -V | tail -1)
  if [ "$newest" = "$1" ]; then
    expect 'GPU engines: CUDA .* for 75-real;80-real;90;120$'
  else
    expect 'GPU engines: CUDA .* for 75-real;80-real;90$'
  fi
}

# configure NVCC CMAKE_ARGUMENT...
configure() {
  rm -rf -- "$scratch/build"
  CUDACXX=$1 cmake -G Ninja -B "$scratch/build" "${@:2}" >"$scratch/log" 2>&1
}

pretend() {
  local version status
  mkdir -p "$scratch/project"
  cat >"$scratch/project/CMakeLists.txt" <<'P'
cmake_minimum_required(VERSION 3.25)
project(Versions LANGUAGES CXX)
set(ISOLUME_GPU cuda)
set(ISOLUME_PORTABLE ON)
add_library(isolume_options INTERFACE)
list(APPEND CMAKE_MODULE_PATH ${ROOT}/packaging/cmake)
include(${ROOT}/gpu/backend.cmake)
P
  for version in 11.8 12.6 12.8 12.9; do
    case="pretended CUDA $version"
    cat >"$scratch/nvcc" <<N
#!/usr/bin/env bash
[ "\$*" = --version ] || exec '$own' "\$@"
echo "Cuda compilation tools, release $version, V$version.61"
N
    chmod +x "$scratch/nvcc"
    status=0
    configure "$scratch/nvcc" -S "$scratch/project" -DROOT="$root" || status=$?
    if [ "$version" = 11.8 ]; then
      expect 'CUDA 11.8 knows no C\+\+20'
    else
      expect_architectures "$version"
      [ "$status" -eq 0 ] || expect "status 0 instead of $status"
    fi
  done
}

try_installed() {
  local own_version="" tried=0 folder nvcc version status
  [ $# -gt 0 ] || set -- /usr/local/cuda-*
  [ -z "$own" ] || own_version=$(version_of "$own")
  for folder in "$@"; do
    nvcc="$folder/bin/nvcc"
    [ -x "$nvcc" ] || continue
    version=$(version_of "$nvcc")
    [ "$version" != "$own_version" ] || continue
    case="CUDA $version in $folder"
    tried=$((tried + 1))
    status=0
    configure "$nvcc" -S "$root" -DISOLUME_GPU=cuda -DISOLUME_PORTABLE=ON -DISOLUME_GUI=OFF -DISOLUME_TESTS=OFF ||
      status=$?
    expect_architectures "$version"
    [ "$status" -eq 0 ] || expect "status 0 instead of $status"
  done
  [ "$tried" -gt 0 ] && return
  echo "No CUDA compiler of a version other than ${own_version:-none} was found in: $*"
  exit 77
}

if [ "$what" = pretended ]; then pretend; else try_installed "$@"; fi
exit "$((failures > 0))"
