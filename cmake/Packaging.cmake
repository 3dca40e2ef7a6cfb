# What `cmake --install` leaves behind, and how other projects find it: find_package(tactus), then link
# tactus::tactus.
include(CMakePackageConfigHelpers)

# Every header of the library is public: what a module offers, a user may call. The command's are not.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tactus/*.hpp)
list(FILTER headers EXCLUDE REGEX "/src/tactus/(cli|cuda|device/cuda)/")
# A source includes its own header first (the layering check sees to that), so the build shows that such headers
# compile on their own. The others are compiled for that alone.
set(headers_alone ${headers})
foreach(header IN LISTS headers)
  string(REGEX REPLACE "hpp$" "cpp" source ${header})
  if(EXISTS ${source})
    list(REMOVE_ITEM headers_alone ${header})
  endif()
endforeach()
list(REMOVE_ITEM headers ${headers_alone})
target_sources(tactus PUBLIC
  FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers}
  FILE_SET headers_alone TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${headers_alone})
set_target_properties(tactus PROPERTIES
  VERIFY_INTERFACE_HEADER_SETS ON
  INTERFACE_HEADER_SETS_TO_VERIFY headers_alone)

# Three parts, which are packages of their own: `command`, `sweep` (it needs MPI) and `development`.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS tactus EXPORT tactusTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILE_SET headers_alone DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET tactus_cuda)
  set_target_properties(tactus_cuda PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  install(TARGETS tactus_cuda EXPORT tactusTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILE_SET kernel_headers DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(TARGET tactus_sweep)
  install(TARGETS tactus_sweep EXPORT tactusSweepTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS tactus_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
if(TARGET tactus_sweep_command)
  install(TARGETS tactus_sweep_command RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tactus COMPONENT sweep)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tactus)
install(EXPORT tactusTargets NAMESPACE tactus:: DESTINATION ${package_folder})
if(TARGET tactus_sweep)
  install(EXPORT tactusSweepTargets NAMESPACE tactus:: DESTINATION ${package_folder})
endif()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/tactusConfig.cmake.in ${PROJECT_BINARY_DIR}/tactusConfig.cmake
  INSTALL_DESTINATION ${package_folder})
# Before 1.0 a new minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tactusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tactusConfig.cmake ${PROJECT_BINARY_DIR}/tactusConfigVersion.cmake
  DESTINATION ${package_folder})

install(FILES README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(DIRECTORY docs examples experiments DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
# Debian packages: `cpack -G DEB --config build/release/CPackConfig.cmake`. What programs need is read off them.
set(CPACK_PACKAGE_NAME tactus)
set(CPACK_PACKAGE_VENDOR "Tactus")
set(CPACK_PACKAGE_CONTACT "The Tactus maintainers <maintainers@tactus.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENTS_ALL command development)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tactus)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
  "Proves, simulates, plans and runs real-time work on GPUs\n The command, its manual and examples.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS tactus-sweep)
if(TARGET tactus_sweep_command)
  list(APPEND CPACK_COMPONENTS_ALL sweep)
  set(CPACK_DEBIAN_SWEEP_PACKAGE_NAME tactus-sweep)
  set(CPACK_COMPONENT_SWEEP_DESCRIPTION
    "Experiments over many random systems\n What `tactus sweep` runs, with MPI.")
  set(CPACK_DEBIAN_SWEEP_PACKAGE_DEPENDS "tactus (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_SWEEP_PACKAGE_RECOMMENDS gnuplot-nox)
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtactus-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Library of Tactus\n Headers, static library and package files for CMake.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev, libyaml-cpp-dev, nlohmann-json3-dev")
include(CPack)
