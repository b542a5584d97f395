# Rooms of gpu/ are compiled from one source for two runtimes: CUDA's (by nvcc) and the emulator's (by the host's compiler,
# against the headers of gpu/emulator/include). Included after gpu/backend.cmake.

# isolume_gpu_library(NAME gpu_room SOURCES a.cpp b.cu ... [ALONE ...] [CUDA_SOURCES ...] [EMULATED_SOURCES ...] [OFF_SOURCES ...]
# [PUBLIC libs...] [PRIVATE libs...] [EMULATED_PRIVATE libs...]): the library isolume_gpu_room of this tree's backend (cuda or emulated;
# none when off), and isolume_gpu_room_emulated wherever the emulator can be built. Among PUBLIC and PRIVATE, rooms of
# gpu/ are named without "_emulated". Vendor libraries and their stand-ins are what the two backends have apart.
# OFF_SOURCES: what takes the room's place in a tree without GPU engines; without the rooms of gpu/ among PUBLIC.
# EMULATED_ONLY: not for CUDA, as kernels that are wrong on purpose.
function(isolume_gpu_library)
  cmake_parse_arguments(A "EMULATED_ONLY" "NAME" "SOURCES;ALONE;CUDA_SOURCES;EMULATED_SOURCES;OFF_SOURCES;PUBLIC;PRIVATE;EMULATED_PRIVATE" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY ISOLUME_GPU_ROOMS isolume_${A_NAME})
  if(ISOLUME_GPU_BACKEND STREQUAL "cuda" AND NOT A_EMULATED_ONLY)
    isolume_library(NAME ${A_NAME} SOURCES ${A_SOURCES} ${A_CUDA_SOURCES} ALONE ${A_ALONE} PUBLIC ${A_PUBLIC} CUDA::cudart_static
      PRIVATE ${A_PRIVATE})
  endif()
  if(ISOLUME_GPU_BACKEND STREQUAL "off" AND A_OFF_SOURCES)
    set(public ${A_PUBLIC})
    list(FILTER public EXCLUDE REGEX "^isolume_gpu_")
    isolume_library(NAME ${A_NAME} SOURCES ${A_OFF_SOURCES} PUBLIC ${public})
  endif()
  if(NOT ISOLUME_EMULATOR)
    return()
  endif()
  set(sources "")
  foreach(source IN LISTS A_SOURCES A_EMULATED_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    if(source MATCHES "\\.cu$")
      # A file of its own, because CMake knows one language a file and folder.
      set(as_cpp ${CMAKE_CURRENT_BINARY_DIR}/emulated/${source}.cpp)
      file(CONFIGURE OUTPUT ${as_cpp} CONTENT "#include \"${path}\"\n" @ONLY)
      set_source_files_properties(${as_cpp} PROPERTIES COMPILE_OPTIONS "${ISOLUME_EMULATED_KERNEL_OPTIONS}"
        SKIP_PRECOMPILE_HEADERS ON)
      list(APPEND sources ${as_cpp})
    else()
      list(APPEND sources ${source})
    endif()
  endforeach()
  isolume_emulated_names(public ${A_PUBLIC})
  isolume_emulated_names(private ${A_PRIVATE})
  isolume_library(NAME ${A_NAME}_emulated SOURCES ${sources} ALONE ${A_ALONE} PUBLIC ${public} isolume_emulator
    PRIVATE ${private} ${A_EMULATED_PRIVATE})
  if(ISOLUME_GPU_BACKEND STREQUAL "emulated")
    add_library(isolume_${A_NAME} ALIAS isolume_${A_NAME}_emulated)
  endif()
endfunction()

# isolume_flush_to_zero(a.cu ...): kernels in which float numbers below 1e-38 are zero, as -ftz=true has it.
function(isolume_flush_to_zero)
  foreach(source IN LISTS ARGN)
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -ftz=true)
    set_property(SOURCE ${CMAKE_CURRENT_BINARY_DIR}/emulated/${source}.cpp APPEND PROPERTY COMPILE_DEFINITIONS ISOLUME_FLUSH_TO_ZERO)
  endforeach()
endfunction()

# isolume_emulated_names(OUT libs...): the libraries, rooms of gpu/ under their emulated names.
function(isolume_emulated_names out)
  get_property(rooms GLOBAL PROPERTY ISOLUME_GPU_ROOMS)
  set(names "")
  foreach(name IN LISTS ARGN)
    if(name IN_LIST rooms)
      string(APPEND name _emulated)
    endif()
    list(APPEND names ${name})
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# isolume_export_emulator(program): in the emulated backend, kernels compiled at run time find the emulator in the program.
function(isolume_export_emulator program)
  if(ISOLUME_GPU_BACKEND STREQUAL "emulated")
    set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON)
  endif()
endfunction()

# isolume_gpu_test(NAME name SOURCES ... LIBRARIES ...): one test body, run on the emulator (label "emulated") and, in the
# cuda backend with ISOLUME_CUDA_TESTS, on the GPUs of the machine (label "cuda"; each case says so and skips where there are none).
function(isolume_gpu_test)
  cmake_parse_arguments(A "" "NAME" "SOURCES;SECOND;ALONE;LIBRARIES" ${ARGN})
  if(ISOLUME_EMULATOR)
    isolume_emulated_names(libraries ${A_LIBRARIES})
    isolume_test(NAME ${A_NAME}_emulated SOURCES ${A_SOURCES} SECOND ${A_SECOND} ALONE ${A_ALONE} LIBRARIES ${libraries} LABELS emulated
      ENVIRONMENT "ISOLUME_EMULATED_DEVICES=4x sm90 2GiB")
    # Kernels compiled at run time find the emulator in the program.
    set_target_properties(test_${A_NAME}_emulated PROPERTIES ENABLE_EXPORTS ON)
  endif()
  if(ISOLUME_GPU_BACKEND STREQUAL "cuda" AND ISOLUME_CUDA_TESTS)
    isolume_test(NAME ${A_NAME}_cuda SOURCES ${A_SOURCES} SECOND ${A_SECOND} ALONE ${A_ALONE} LIBRARIES ${A_LIBRARIES} LABELS cuda)
  endif()
endfunction()
