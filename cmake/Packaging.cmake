# What `cmake --install` leaves behind, and how other projects find it: find_package(tactus), then link
# tactus::tactus.
include(GNUInstallDirs)
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
if(TARGET tactus_command)
  install(TARGETS tactus_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
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

file(GLOB documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
install(FILES ${documents} ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(folder docs examples)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_DOCDIR})
  endif()
endforeach()
