# Labs: what one declaration in app/labs/<lab>/CMakeLists.txt brings with it. No other file names a lab.

file(GLOB ISOLUME_LABS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/app/labs ${PROJECT_SOURCE_DIR}/app/labs/*/CMakeLists.txt)
list(TRANSFORM ISOLUME_LABS REPLACE "/CMakeLists.txt$" "")

# isolume_add_labs([FOLDER]): add_subdirectory for what the labs have here, each in a folder of its own name: FOLDER/orbitals.
function(isolume_add_labs)
  set(folder "${ARGN}")
  foreach(lab IN LISTS ISOLUME_LABS)
    cmake_path(APPEND CMAKE_CURRENT_SOURCE_DIR "${folder}" ${lab} OUTPUT_VARIABLE place)
    if(EXISTS ${place}/CMakeLists.txt)
      add_subdirectory(${place})
    endif()
  endforeach()
endfunction()

# isolume_lab(NAME lab ORDER number MANUAL page.md [ONLY_IN_TESTS]
#   DESCRIPTION_SOURCES ... [DESCRIPTION_LIBRARIES ...]
#   BATCH_SOURCES ... [BATCH_LIBRARIES ...]
#   [WINDOW_SOURCES ... WINDOW_LIBRARIES ...])
# A lab of the programs. Labs stand in menus, in manuals and on the welcome page by ORDER, then by NAME; the first one is
# shown at start. Makes up to three libraries:
#   isolume_<lab>_description  what all programs know of it: `LabDescription description()` (core/commands/lab_description.h)
#   isolume_<lab>_batch        its verbs of isolume-batch: `batch::BatchLab batch_lab()` (app/batch/batch_lab.h); knows no Qt
#   isolume_lab_<lab>          its window: `workbench::LabEntry lab_entry()` (app/workbench/contract/lab.h); not where
#                              ISOLUME_GUI is off, nor for a lab of isolume-batch alone, which gives no WINDOW_SOURCES
# BATCH_LIBRARIES that take long to load are declared by isolume_full_library, which isolume-batch starts without.
# All three functions are in namespace isolume::labs::<lab>. MANUAL: its page, which resources/manual/index.md links to.
# ONLY_IN_TESTS: not in the programs that people get; its page lies in its folder.
function(isolume_lab)
  cmake_parse_arguments(A "ONLY_IN_TESTS" "NAME;ORDER;MANUAL"
    "DESCRIPTION_SOURCES;DESCRIPTION_LIBRARIES;BATCH_SOURCES;BATCH_LIBRARIES;WINDOW_SOURCES;WINDOW_LIBRARIES" ${ARGN})
  if(A_UNPARSED_ARGUMENTS OR NOT A_ORDER MATCHES "^[0-9]+$" OR NOT A_NAME MATCHES "^[a-z_]+$")
    message(FATAL_ERROR "isolume_lab(NAME ${A_NAME} ORDER ${A_ORDER}): expected a name of small letters, a whole number, "
      "and none of: ${A_UNPARSED_ARGUMENTS}")
  endif()
  if(A_ONLY_IN_TESTS)
    cmake_path(ABSOLUTE_PATH A_MANUAL OUTPUT_VARIABLE page)
    set_property(GLOBAL PROPERTY ISOLUME_MANUAL_OF_${A_NAME} ${page})
  else()
    set(page ${PROJECT_SOURCE_DIR}/resources/manual/${A_MANUAL})
    file(STRINGS ${PROJECT_SOURCE_DIR}/resources/manual/index.md linked REGEX "\\(${A_MANUAL}\\)")
    if(NOT linked)
      message(FATAL_ERROR "isolume_lab(NAME ${A_NAME}): resources/manual/index.md does not link to its page, ${A_MANUAL}.")
    endif()
  endif()
  if(A_MANUAL STREQUAL "" OR NOT EXISTS ${page})
    message(FATAL_ERROR "isolume_lab(NAME ${A_NAME} MANUAL ${A_MANUAL}): there is no page ${page}.")
  endif()
  set(list ISOLUME_LAB_DECLARATIONS)
  if(A_ONLY_IN_TESTS)
    string(APPEND list _OF_TESTS)
  endif()
  set_property(GLOBAL APPEND PROPERTY ${list} "${A_ORDER}:${A_NAME}")
  isolume_library(NAME ${A_NAME}_description SOURCES ${A_DESCRIPTION_SOURCES}
    PUBLIC isolume_declared_commands PRIVATE ${A_DESCRIPTION_LIBRARIES})
  isolume_library(NAME ${A_NAME}_batch SOURCES ${A_BATCH_SOURCES} PUBLIC isolume_batch isolume_${A_NAME}_description ${A_BATCH_LIBRARIES})
  # Neither has anything of Qt, which would be looked for.
  set_target_properties(isolume_${A_NAME}_description isolume_${A_NAME}_batch PROPERTIES AUTOMOC OFF)
  if(ISOLUME_GUI AND A_WINDOW_SOURCES)
    isolume_library(NAME lab_${A_NAME} SOURCES ${A_WINDOW_SOURCES}
      PUBLIC isolume_workbench_api isolume_${A_NAME}_description ${A_WINDOW_LIBRARIES})
  endif()
endfunction()

# isolume_link_labs(program WINDOW|BATCH [WITH_THOSE_OF_TESTS | FIRST_ALONE]): links every lab declared so far (or the one
# that comes first), and a source that lists them in their order: app/isolume/labs.h of a WINDOW, app/batch/batch_lab.h of a
# BATCH program.
function(isolume_link_labs program part)
  get_property(declarations GLOBAL PROPERTY ISOLUME_LAB_DECLARATIONS)
  if("WITH_THOSE_OF_TESTS" IN_LIST ARGN)
    get_property(of_tests GLOBAL PROPERTY ISOLUME_LAB_DECLARATIONS_OF_TESTS)
    list(APPEND declarations ${of_tests})
  endif()
  list(SORT declarations COMPARE NATURAL)
  set(complete true)
  if("FIRST_ALONE" IN_LIST ARGN)
    list(SUBLIST declarations 0 1 declarations)
    set(complete false)
  endif()
  if(part STREQUAL "WINDOW")
    set(library_form "isolume_lab_@")
    set(header app/isolume/labs.h)
    set(result isolume::workbench::LabEntry)
    set(maker lab_entry)
    set(place workbench)
  else()
    set(library_form "isolume_@_batch")
    set(header app/batch/batch_lab.h)
    set(result isolume::batch::BatchLab)
    set(maker batch_lab)
    set(place batch)
  endif()
  set(declared "")
  set(calls "")
  foreach(declaration IN LISTS declarations)
    string(REGEX REPLACE "^[0-9]+:" "" lab ${declaration})
    string(REPLACE "@" ${lab} library ${library_form})
    if(NOT TARGET ${library})
      continue()  # it has no window
    endif()
    string(APPEND declared "namespace isolume::labs::${lab} {\n${result} ${maker}();\n}\n")
    string(APPEND calls "  all.push_back(isolume::labs::${lab}::${maker}());\n")
    get_property(manual GLOBAL PROPERTY ISOLUME_MANUAL_OF_${lab})
    if(manual AND part STREQUAL "WINDOW")
      string(APPEND calls "  all.back().manual = \"${manual}\";\n")
    endif()
    target_link_libraries(${program} PRIVATE ${library})
  endforeach()
  set(completeness "")
  if(part STREQUAL "WINDOW")
    set(completeness "\nbool isolume::workbench::has_all_labs() {\n  return ${complete};\n}\n")
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${program}_labs.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Written by isolume_link_labs of packaging/cmake/IsolumeLab.cmake.
#include \"${header}\"

${declared}
std::vector<${result}> isolume::${place}::labs() {
  std::vector<${result}> all;
${calls}  return all;
}
${completeness}")
  target_sources(${program} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_AUTOGEN ON)
endfunction()
