# What `cmake --install` leaves behind, and how other projects find it: find_package(tactus), then link
# tactus::tactus.
include(CMakePackageConfigHelpers)

# Installed are the faces and what they include, nothing else. A change of any of these may change the list.
include(Faces)
set(source ${PROJECT_SOURCE_DIR}/src)
set(faces ${tactus_faces})
if(TARGET tactus_sweep)
  list(APPEND faces ${tactus_sweep_faces})
endif()
tactus_headers_behind(public_headers ${source} ${faces})
target_sources(tactus PUBLIC FILE_SET HEADERS BASE_DIRS ${source} FILES ${public_headers})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_headers})
if(TARGET tactus_cuda)
  tactus_headers_behind(cuda_headers ${source} ${tactus_cuda_faces})
  list(REMOVE_ITEM cuda_headers ${public_headers})
  target_sources(tactus_cuda PUBLIC FILE_SET HEADERS BASE_DIRS ${source} FILES ${cuda_headers})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cuda_headers})
endif()

# All headers compile on their own. A source includes its own header first (the layering check sees to that), so the
# build shows it for such headers. The others are compiled for that alone; those for kernels only nvcc can read.
function(tactus_verify_headers library)
  foreach(header IN LISTS ARGN)
    string(REGEX REPLACE "hpp$" "cpp" beside ${header})
    if(NOT EXISTS ${beside})
      list(APPEND alone ${header})
    endif()
  endforeach()
  add_library(${library}_headers INTERFACE)
  target_link_libraries(${library}_headers INTERFACE ${library})
  target_sources(${library}_headers INTERFACE FILE_SET HEADERS BASE_DIRS ${source} FILES ${alone})
  set_target_properties(${library}_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${source}/tactus/*.hpp)
set(headers_for_cuda ${headers})
list(FILTER headers EXCLUDE REGEX "/src/tactus/(cli|cuda|device/cuda)/")
list(FILTER headers_for_cuda INCLUDE REGEX "/src/tactus/(cuda|device/cuda)/")
tactus_verify_headers(tactus ${headers})
if(TARGET tactus_cuda)
  tactus_verify_headers(tactus_cuda ${headers_for_cuda})
endif()

# Three parts, which are packages of their own: `command`, `sweep` (it needs MPI) and `development`.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS tactus EXPORT tactusTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET tactus_cuda)
  install(TARGETS tactus_cuda EXPORT tactusTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
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
# The pages show it.
install(DIRECTORY tests/package/consumer DESTINATION ${CMAKE_INSTALL_DOCDIR}/tests/package COMPONENT command)

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
