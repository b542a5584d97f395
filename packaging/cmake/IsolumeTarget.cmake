# Compile settings shared by every target, and the function that makes one library per room.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Over a hundred programs are linked, by lld in a sixth of the time.
find_program(ISOLUME_LLD ld.lld)
if(ISOLUME_LLD)
  add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=lld>)
endif()

add_library(isolume_options INTERFACE)
target_include_directories(isolume_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_options(isolume_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>
  # g++ 12 sees overlapping copies in std::string where there are none (GCC bug 105651).
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # Nor does it know that copies of strings which it inlined from a precompiled header are a library's, and warns of them.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>
  # Joined sources fill memory, which g++ would search for garbage again and again: an eighth of the time.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:--param=ggc-min-heapsize=2097152>
  # In a unity build no source is the main one, whose types alone may hold types of unnamed namespaces.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ISOLUME_WERROR}>>:-Werror>)
if(ISOLUME_SANITIZE)
  target_compile_options(isolume_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${ISOLUME_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(isolume_options INTERFACE -fsanitize=${ISOLUME_SANITIZE})
endif()

# isolume_library(NAME room SOURCES ... [ALONE ...] [PUBLIC libs...] [PRIVATE libs...]): the static library isolume_<room>.
# ALONE: sources that cannot be joined with others in unity builds (packaging/run and packaging/test make such), because
# names of their unnamed namespaces are others' too, or because they are compiled once for each SIMD target.
function(isolume_library)
  cmake_parse_arguments(A "" "NAME" "SOURCES;ALONE;PUBLIC;PRIVATE" ${ARGN})
  add_library(isolume_${A_NAME} STATIC ${A_SOURCES} ${A_ALONE})
  set_source_files_properties(${A_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(isolume_${A_NAME} PUBLIC isolume_options ${A_PUBLIC} PRIVATE ${A_PRIVATE})
  set_target_properties(isolume_${A_NAME} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(CMAKE_UNITY_BUILD)
    isolume_links(window Qt6::Widgets ${A_PUBLIC} ${A_PRIVATE})
    isolume_links(verbs CLI11::CLI11 ${A_PUBLIC} ${A_PRIVATE})
    if(window)
      isolume_precompile(isolume_${A_NAME} isolume_often_read_by_windows)
    elseif(verbs)
      isolume_precompile(isolume_${A_NAME} isolume_often_read_by_verbs)
      set_target_properties(isolume_${A_NAME} PROPERTIES AUTOMOC OFF)  # there is nothing of Qt
      # With few optimisations, g++ 12 does not see that an optional is asked before it is read.
      target_compile_options(isolume_${A_NAME} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    else()
      isolume_precompile(isolume_${A_NAME} isolume_often_read)
    endif()
  endif()
endfunction()

# isolume_full_library(NAME room [SOURCES ... PUBLIC libs... PRIVATE libs...] OFF_SOURCES ... [OFF_PUBLIC libs...]): what needs
# third-party libraries that take long to load (VTK, Qt, FFmpeg, HDF5, MPI), and in OFF_SOURCES what takes its place in lean
# programs, and everywhere where there are no SOURCES. Sets the variable isolume_<room> to what others link. A lean program
# (isolume_make_lean) leaves what it cannot do to another one: see need_full_program() in app/batch/context.h.
function(isolume_full_library)
  cmake_parse_arguments(A "" "NAME" "SOURCES;PUBLIC;PRIVATE;OFF_SOURCES;OFF_PUBLIC" ${ARGN})
  isolume_library(NAME ${A_NAME}_off SOURCES ${A_OFF_SOURCES} PUBLIC ${A_OFF_PUBLIC})
  set(targets isolume_${A_NAME}_off)
  set(chosen isolume_${A_NAME}_off)
  if(A_SOURCES)
    isolume_library(NAME ${A_NAME}_full SOURCES ${A_SOURCES} PUBLIC ${A_PUBLIC} PRIVATE ${A_PRIVATE})
    list(APPEND targets isolume_${A_NAME}_full)
    set(chosen "$<IF:$<BOOL:$<TARGET_PROPERTY:ISOLUME_LEAN>>,isolume_${A_NAME}_off,isolume_${A_NAME}_full>")
  endif()
  set_target_properties(${targets} PROPERTIES UNITY_BUILD OFF AUTOMOC OFF)
  set(isolume_${A_NAME} "${chosen}" PARENT_SCOPE)
endfunction()

# isolume_make_lean(program): without the SOURCES of isolume_full_library, and without libraries that it does not call.
function(isolume_make_lean PROGRAM)
  set_target_properties(${PROGRAM} PROPERTIES ISOLUME_LEAN ON)
  target_link_options(${PROGRAM} PRIVATE -Wl,--as-needed)
endfunction()

# isolume_links(RESULT LIBRARY LIBRARIES...): whether what links LIBRARIES links LIBRARY.
function(isolume_links RESULT LIBRARY)
  set(${RESULT} OFF PARENT_SCOPE)
  set(all ${ARGN})
  while(all)
    list(POP_FRONT all next)
    if(next STREQUAL LIBRARY)
      set(${RESULT} ON PARENT_SCOPE)
      return()
    elseif(next MATCHES "^isolume_" AND TARGET ${next})
      get_target_property(libraries ${next} INTERFACE_LINK_LIBRARIES)
      if(libraries)
        list(APPEND all ${libraries})
        list(REMOVE_DUPLICATES all)
      endif()
    endif()
  endwhile()
endfunction()

# isolume_often_read(name [OPTIMISATION flag] [HEADERS...] [LIBRARIES...]): the target of a precompiled header that others
# reuse, in builds that join sources. It holds what most sources read, which takes longer than compiling most of them. Other
# builds read headers where they are included, and so show what a source forgot. OPTIMISATION: -O1 for sources that wait for
# people or are run once, which takes two thirds of the time; -O0 for tests that wait for windows, which takes half.
function(isolume_often_read NAME)
  cmake_parse_arguments(A "" "OPTIMISATION" "HEADERS;LIBRARIES" ${ARGN})
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  file(CONFIGURE OUTPUT ${NAME}.cpp CONTENT "")
  add_library(${NAME} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cpp)
  set_target_properties(${NAME} PROPERTIES ISOLUME_OPTIMISATION "${A_OPTIMISATION}")
  target_link_libraries(${NAME} PRIVATE isolume_options Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json ${A_LIBRARIES})
  target_compile_options(${NAME} PRIVATE -fPIC ${A_OPTIMISATION})
  target_precompile_headers(${NAME} PRIVATE <algorithm> <cmath> <filesystem> <functional> <map> <memory> <optional> <ostream>
    <string> <variant> <vector> <Eigen/Core> <fmt/format.h> <nlohmann/json.hpp> ${A_HEADERS})
endfunction()

# isolume_precompile(target name): the target reads what isolume_often_read(name) holds, where there is such. It has to be
# compiled as the header was, with -fPIC: libraries are, and what links Qt.
function(isolume_precompile TARGET NAME)
  if(TARGET ${NAME})
    get_target_property(optimisation ${NAME} ISOLUME_OPTIMISATION)
    target_compile_options(${TARGET} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${optimisation}>)
    target_precompile_headers(${TARGET} REUSE_FROM ${NAME})
    # Sources include what moc makes of their headers; the file for what they leave is empty.
    set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${TARGET}_autogen/mocs_compilation.cpp
      PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# Programs that open a display or run on ranks, in builds that look for leaks: see the file.
function(isolume_keep_libraries TARGET)
  if(ISOLUME_SANITIZE MATCHES address)
    target_sources(${TARGET} PRIVATE ${PROJECT_SOURCE_DIR}/packaging/sanitizers/keep_libraries.cpp)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/packaging/sanitizers/keep_libraries.cpp PROPERTIES
      SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# Where the files are that tests compare with; another place for tests that are run elsewhere.
set(ISOLUME_TEST_REFERENCES "${PROJECT_SOURCE_DIR}/tests/references" CACHE STRING "Folder of the tests' references")

# isolume_join(TARGET SOURCES ... SECOND ... ALONE ...): which sources unity builds join. Those of SECOND cannot be joined
# with SOURCES, as ALONE cannot (see isolume_library), but with each other.
function(isolume_join TARGET)
  cmake_parse_arguments(A "" "" "SOURCES;SECOND;ALONE" ${ARGN})
  set_source_files_properties(${A_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(A_SECOND)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${A_SOURCES} PROPERTIES UNITY_GROUP first)
    set_source_files_properties(${A_SECOND} PROPERTIES UNITY_GROUP second)
  endif()
endfunction()

# isolume_test(NAME name SOURCES ... [SECOND ...] [ALONE ...] LIBRARIES ... [LABELS ...] [ENVIRONMENT VARIABLE=value] [RESOURCE_LOCK name]): one
# GoogleTest program, its cases listed in ctest; where its label is "cuda", one entry for all of them.
function(isolume_test)
  cmake_parse_arguments(A "" "NAME;ENVIRONMENT;RESOURCE_LOCK" "SOURCES;SECOND;ALONE;LIBRARIES;LABELS" ${ARGN})
  if(NOT A_LABELS)
    set(A_LABELS unit)
  endif()
  add_executable(test_${A_NAME} ${A_SOURCES} ${A_SECOND} ${A_ALONE})
  isolume_join(test_${A_NAME} SOURCES ${A_SOURCES} SECOND ${A_SECOND} ALONE ${A_ALONE})
  target_compile_options(test_${A_NAME} PRIVATE -fPIC)  # as Qt wants it where a test uses Qt
  isolume_precompile(test_${A_NAME} isolume_often_read_by_tests)
  isolume_keep_libraries(test_${A_NAME})
  target_link_libraries(test_${A_NAME} PRIVATE isolume_options ${A_LIBRARIES} GTest::gtest GTest::gtest_main)
  target_compile_definitions(test_${A_NAME} PRIVATE ISOLUME_TEST_REFERENCES="${ISOLUME_TEST_REFERENCES}")
  set(properties LABELS "${A_LABELS}" TIMEOUT 600)
  if(A_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT "${A_ENVIRONMENT}")
  endif()
  if(A_RESOURCE_LOCK)
    list(APPEND properties RESOURCE_LOCK ${A_RESOURCE_LOCK})
  endif()
  if(A_LABELS STREQUAL "cuda")
    # On most machines every case skips for want of a GPU: starting a program for each took a minute and more.
    add_test(NAME ${A_NAME} COMMAND test_${A_NAME})
    set_tests_properties(${A_NAME} PROPERTIES ${properties} SKIP_REGULAR_EXPRESSION "\\[  PASSED  \\] 0 tests")
  else()
    gtest_discover_tests(test_${A_NAME} TEST_PREFIX "${A_NAME}." DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
  endif()
endfunction()

# isolume_gui_test(NAME name SOURCES ... [SECOND ...] [ALONE ...] LIBRARIES ... [LABELS ...] [SHARDS n] [OPTIMISED]): as
# isolume_test, for a program that opens windows and has a main() of its own sources or of its libraries. It runs on a virtual
# display of its own. OPTIMISED: it computes pictures to compare with.
# One ctest entry a program, since starting a display for each case would cost more than the case; with SHARDS, n entries
# with a part of the cases each, so that a long program runs on several processors.
find_program(ISOLUME_XVFB_RUN xvfb-run)
function(isolume_gui_test)
  cmake_parse_arguments(A "OPTIMISED" "NAME;SHARDS" "SOURCES;SECOND;ALONE;LIBRARIES;LABELS" ${ARGN})
  add_executable(test_${A_NAME} ${A_SOURCES} ${A_SECOND} ${A_ALONE})
  isolume_join(test_${A_NAME} SOURCES ${A_SOURCES} SECOND ${A_SECOND} ALONE ${A_ALONE})
  isolume_keep_libraries(test_${A_NAME})
  set_target_properties(test_${A_NAME} PROPERTIES AUTOMOC ON)
  isolume_links(window Qt6::Widgets ${A_LIBRARIES})
  if(window AND A_OPTIMISED)
    isolume_precompile(test_${A_NAME} isolume_often_read_by_windows)
  elseif(window)
    isolume_precompile(test_${A_NAME} isolume_often_read_by_tests_of_windows)
  endif()
  target_link_libraries(test_${A_NAME} PRIVATE isolume_options ${A_LIBRARIES} GTest::gtest Qt6::Test)
  target_compile_definitions(test_${A_NAME} PRIVATE ISOLUME_TEST_REFERENCES="${ISOLUME_TEST_REFERENCES}")
  if(NOT A_SHARDS)
    isolume_window_entry(${A_NAME} test_${A_NAME} LABELS ${A_LABELS})
    return()
  endif()
  foreach(shard RANGE 1 ${A_SHARDS})
    math(EXPR index "${shard} - 1")
    isolume_window_entry(${A_NAME}.${shard} test_${A_NAME} LABELS ${A_LABELS}
      COST 200 ENVIRONMENT GTEST_TOTAL_SHARDS=${A_SHARDS} GTEST_SHARD_INDEX=${index})
  endforeach()
endfunction()

# isolume_window_entry(entry program [COST n] [LABELS ...] [ENVIRONMENT VARIABLE=value...]): the program on a virtual display, as
# an entry of ctest. Those of the highest COST start first, so that no long one is left for the end.
function(isolume_window_entry ENTRY PROGRAM)
  cmake_parse_arguments(A "" "COST" "LABELS;ENVIRONMENT" ${ARGN})
  if(NOT A_COST)
    set(A_COST 100)
  endif()
  add_test(NAME ${ENTRY} COMMAND ${PROJECT_SOURCE_DIR}/packaging/with-display --own $<TARGET_FILE:${PROGRAM}>)
  set_tests_properties(${ENTRY} PROPERTIES LABELS "gui;${A_LABELS}" TIMEOUT 900 COST ${A_COST} ENVIRONMENT "${A_ENVIRONMENT}")
  if(NOT ISOLUME_XVFB_RUN)
    # Several windows at once would take the keyboard focus from each other on the one display.
    set_tests_properties(${ENTRY} PROPERTIES RESOURCE_LOCK display)
  endif()
endfunction()
