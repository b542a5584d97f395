# The window in other languages. resources/translations/isolume_LANGUAGE.ts, one file each, are translated with Qt
# Linguist or any editor, built into the program, and taken where the desktop's language is theirs. English has plural
# forms alone. To add a language, make the file isolume_LANGUAGE.ts with the line <TS version="2.1" language="LANGUAGE"/>
# in it, and build the target `translations`, which brings all texts of the program into these files.
find_program(QT_LRELEASE lrelease HINTS ${QT6_INSTALL_PREFIX}/${QT6_INSTALL_BINS} NO_DEFAULT_PATH REQUIRED)
find_program(QT_LUPDATE lupdate HINTS ${QT6_INSTALL_PREFIX}/${QT6_INSTALL_BINS} NO_DEFAULT_PATH REQUIRED)
file(GLOB ISOLUME_TRANSLATIONS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/resources/translations/isolume_*.ts)

# isolume_ship_translations(target): builds the translations into the target, as :/translations/isolume_LANGUAGE.qm.
function(isolume_ship_translations target)
  set(compiled "")
  foreach(source IN LISTS ISOLUME_TRANSLATIONS)
    cmake_path(GET source STEM name)
    set(made ${CMAKE_CURRENT_BINARY_DIR}/translations/${name}.qm)
    add_custom_command(OUTPUT ${made} COMMAND ${QT_LRELEASE} -silent ${source} -qm ${made} DEPENDS ${source} VERBATIM)
    list(APPEND compiled ${made})
  endforeach()
  qt_add_resources(${target} translations PREFIX /translations BASE ${CMAKE_CURRENT_BINARY_DIR}/translations
    FILES ${compiled})
endfunction()

# isolume_update_translations(program): the target `translations`, and all_texts.ts in the build folder, which tests
# compare the window with. `program` prints what is declared without Qt.
function(isolume_update_translations program)
  set(folder ${PROJECT_BINARY_DIR}/translations)
  set(declared ${folder}/declared_texts.cpp)
  add_custom_command(OUTPUT ${declared} COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${program} > ${declared} DEPENDS ${program} VERBATIM)
  set(texts -silent -tr-function-alias translate+=localised -locations none -no-obsolete -I ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/app
    ${PROJECT_SOURCE_DIR}/core/structures ${declared})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/app/*.cpp ${PROJECT_SOURCE_DIR}/app/*.h
    ${PROJECT_SOURCE_DIR}/core/structures/*.cpp)
  add_custom_command(OUTPUT ${folder}/all_texts.ts
    COMMAND ${CMAKE_COMMAND} -E rm -f ${folder}/all_texts.ts
    COMMAND ${QT_LUPDATE} ${texts} -source-language en -target-language en -ts ${folder}/all_texts.ts
    DEPENDS ${declared} ${sources} VERBATIM)
  add_custom_target(isolume_all_texts DEPENDS ${folder}/all_texts.ts)
  add_custom_target(translations DEPENDS ${declared})
  foreach(file IN LISTS ISOLUME_TRANSLATIONS)
    set(only "")
    if(file MATCHES "_en\\.ts$")
      set(only -pluralonly)
    endif()
    add_custom_command(TARGET translations POST_BUILD COMMAND ${QT_LUPDATE} ${texts} ${only} -ts ${file} VERBATIM)
  endforeach()
endfunction()
