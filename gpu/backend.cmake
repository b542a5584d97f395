# Resolves ISOLUME_GPU into ISOLUME_GPU_BACKEND: cuda, emulated or off. Included at the top, because the language CUDA
# must be enabled above every target that links CUDA objects.

# For every generation since Turing. Machine code of one major version does not run on the next: capabilities 10.0, 10.3
# and 11.0 are served by the PTX of 90, what comes after 12.x by that of 120. nvcc knows 120 from CUDA 12.8.
set(ISOLUME_PORTABLE_ARCHITECTURES "75-real,80-real,90,120")
set(ISOLUME_PORTABLE_ARCHITECTURES_OF_CUDA_12 "75-real,80-real,90")

# cuda_reason_against(OUT): why CUDA engines cannot be compiled here; empty when they can.
function(cuda_reason_against out)
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(${out} "no working nvcc was found" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE text)
  string(REGEX MATCH "release ([0-9.]+)" _ "${text}")
  if(CMAKE_MATCH_1 VERSION_LESS 12.0)
    set(${out} "CUDA ${CMAKE_MATCH_1} knows no C++20; 12.0 or newer is needed" PARENT_SCOPE)
    return()
  endif()
  set(${out} "" PARENT_SCOPE)
  string(REPLACE "," ";" architectures "${ISOLUME_PORTABLE_ARCHITECTURES}")
  if(CMAKE_MATCH_1 VERSION_LESS 12.8)
    string(REPLACE "," ";" architectures "${ISOLUME_PORTABLE_ARCHITECTURES_OF_CUDA_12}")
  endif()
  set(ISOLUME_CUDA_DEFAULT_ARCHITECTURES "${architectures}" PARENT_SCOPE)
endfunction()

# architectures_of_this_machine(OUT): those of its GPUs that nvcc knows; where there are none, one for every GPU, which the
# driver translates when a program first starts.
function(architectures_of_this_machine out)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE known)
  set(found "")
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  foreach(capability IN LISTS capabilities)
    string(REPLACE "." "" capability "${capability}")
    if(NOT failed AND known MATCHES "sm_${capability}[^0-9a-z]")
      list(APPEND found "${capability}-real")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES found)
  if(NOT found)
    set(found "75-virtual")
  endif()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

if(ISOLUME_GPU STREQUAL "auto" OR ISOLUME_GPU STREQUAL "cuda")
  cuda_reason_against(reason)
  if(reason STREQUAL "")
    set(ISOLUME_GPU_BACKEND cuda)
  elseif(ISOLUME_GPU STREQUAL "cuda")
    message(FATAL_ERROR "ISOLUME_GPU=cuda, but ${reason}. Install the CUDA toolkit, set CUDACXX to its nvcc, or set ISOLUME_GPU=off.")
  else()
    set(ISOLUME_GPU_BACKEND off)
    message(STATUS "GPU engines: off, because ${reason}")
  endif()
elseif(ISOLUME_GPU STREQUAL "emulated")
  set(ISOLUME_GPU_BACKEND emulated)
elseif(ISOLUME_GPU STREQUAL "off")
  set(ISOLUME_GPU_BACKEND off)
else()
  message(FATAL_ERROR "ISOLUME_GPU=${ISOLUME_GPU}: expected auto, cuda, emulated or off.")
endif()

if(ISOLUME_GPU_BACKEND STREQUAL "cuda")
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    if(ISOLUME_PORTABLE)
      set(CMAKE_CUDA_ARCHITECTURES "${ISOLUME_CUDA_DEFAULT_ARCHITECTURES}")
    else()
      architectures_of_this_machine(CMAKE_CUDA_ARCHITECTURES)
    endif()
  endif()
  if(CCACHE_PROGRAM)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)  # the program starts on machines without CUDA
  enable_language(CUDA)
  # CMake before 3.26 does not know nvcc's C++20.
  if(CMAKE_VERSION VERSION_LESS 3.26)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  find_package(CUDAToolkit REQUIRED)
  # The host side is compiled by g++ with the project's warnings, less what nvcc's own generated code would raise.
  target_compile_options(isolume_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${ISOLUME_WERROR}>>:-Werror=all-warnings>)
  message(STATUS "GPU engines: CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
endif()

# The emulator runs the same kernels on the processor: the backend itself, and the tests of every backend. Its fibers
# are foreign to ThreadSanitizer.
set(ISOLUME_EMULATOR OFF)
if(((ISOLUME_TESTS AND ISOLUME_EMULATED_TESTS) OR ISOLUME_GPU_BACKEND STREQUAL "emulated")
   AND NOT ISOLUME_SANITIZE MATCHES thread AND NOT ISOLUME_FUZZ)
  find_package(Boost 1.74 REQUIRED COMPONENTS context)
  find_package(Threads REQUIRED)
  set(ISOLUME_EMULATOR ON)
endif()
# Kernels call the emulator at every load and store (the compiler's hooks for ThreadSanitizer, without its library).
# Not vectorised, so that they access only the memory that their source accesses.
set(ISOLUME_EMULATOR_HOOKS OFF)
set(ISOLUME_EMULATED_KERNEL_OPTIONS -Wno-unknown-pragmas -fno-tree-vectorize)  # nvcc's `#pragma unroll` is unknown to g++
if(ISOLUME_EMULATOR AND NOT ISOLUME_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(ISOLUME_EMULATOR_HOOKS ON)
  # Alignment is checked by calls, too, of functions in the emulator; so are fences (-Wno-tsan).
  list(APPEND ISOLUME_EMULATED_KERNEL_OPTIONS -fsanitize=thread,alignment --param=tsan-instrument-func-entry-exit=0
       --param=tsan-distinguish-volatile=1 -Wno-tsan)
endif()
include(IsolumeGpu)
