# What `cmake --install` puts where, and the packages that cpack makes of it.
install(TARGETS isolume-batch isolume-batch-full isolume-reader RUNTIME)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/ DESTINATION ${CMAKE_INSTALL_DATADIR}/isolume
  PATTERN translations EXCLUDE)  # they are in the program
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders DESTINATION ${CMAKE_INSTALL_DATADIR}/isolume)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/isolume)
set(completion ${PROJECT_SOURCE_DIR}/packaging/completion)
foreach(program isolume isolume-batch)
  install(FILES ${completion}/isolume.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program})
endforeach()
install(FILES ${completion}/isolume.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _isolume)
if(TARGET isolume)
  install(TARGETS isolume RUNTIME)
  set(desktop ${PROJECT_SOURCE_DIR}/packaging/desktop)
  install(FILES ${desktop}/isolume.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${desktop}/isolume.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
  install(FILES ${PROJECT_SOURCE_DIR}/resources/icons/isolume.svg
          DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
endif()

if(TARGET isolume-stage)
  install(TARGETS isolume-stage RUNTIME)
  install(FILES ${completion}/isolume-stage.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME isolume-stage)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/desktop/isolume-stage.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME isolume)
set(CPACK_PACKAGE_VENDOR Isolume)
set(CPACK_PACKAGE_CONTACT "The Isolume developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)  # of dpkg-dev; it finds the libraries a package needs
if(DPKG_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  if(TARGET isolume)
    # Loaded at run time, so that dpkg-shlibdeps cannot see them: Qt's X11 plugin, OpenGL drivers, fonts.
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "qt6-qpa-plugins, libgl1-mesa-dri, libegl1, fonts-dejavu-core")
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-wayland, shared-mime-info")
  endif()
endif()
include(CPack)
