# Compiles several sources of a target as one, so that what they include and instantiate is compiled once.
#
#   tactus_unity_groups(TARGET ALL)          if TACTUS_UNITY is ALL
#   tactus_unity_groups(TARGET TESTS ALL)    if it is TESTS or ALL
#
# Call it when the target has its sources and is linked with tactus_settings.
#
# Sources of one folder share a unit as long as their local names (those in unnamed namespaces) differ, so nobody has
# to think of other files when naming something. The names are found by the form of the sources: what a namespace
# declares starts a line.
set(TACTUS_UNITY_SIZE 12 CACHE STRING "The most sources that share a unit because of TACTUS_UNITY")

# Warnings about what a source sees of the others in its unit. Builds of single sources keep them.
add_library(tactus_unity_settings INTERFACE)
target_compile_options(tactus_unity_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)

# Sets `result` to the lines of a file that begin a declaration: all of them, or (LOCAL) only those in unnamed
# namespaces.
function(tactus_declarations file which result)
  file(READ ${file} text)
  string(REGEX REPLACE "[][;\\]" " " text "${text}")  # what CMake's lists would trip over
  string(REPLACE "\n" ";" lines "${text}")
  list(FILTER lines INCLUDE REGEX "^([a-z_A-Z].*|}  // namespace *)$")
  set(counts TRUE)
  if(which STREQUAL LOCAL)
    set(counts FALSE)
  endif()
  set(found "")
  foreach(line IN LISTS lines)
    if(which STREQUAL LOCAL AND line STREQUAL "namespace {")
      set(counts TRUE)
    elseif(which STREQUAL LOCAL AND line MATCHES "^}")
      set(counts FALSE)
    elseif(counts)
      list(APPEND found "${line}")
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Types that some header declares. A local type of the same name would be ambiguous to the other sources of its unit.
function(tactus_public_types result)
  file(GLOB_RECURSE headers ${PROJECT_SOURCE_DIR}/src/tactus/*.hpp ${PROJECT_SOURCE_DIR}/tests/*.hpp)
  set(types "")
  foreach(header IN LISTS headers)
    tactus_declarations(${header} ALL lines)
    foreach(line IN LISTS lines)
      if(line MATCHES "^(struct|class|enum class|enum|using) ([A-Za-z_0-9]+) *($|[:{=])")
        list(APPEND types ${CMAKE_MATCH_2})
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES types)
  set(${result} "${types}" PARENT_SCOPE)
endfunction()

# Sets `names` to the local names of a source, and `meanings` to what each stands for: two sources may use one name
# for one meaning (a using-declaration), but not for two.
function(tactus_local_names source)
  tactus_declarations(${source} LOCAL lines)
  set(names "")
  set(meanings "")
  set(is_ambiguous FALSE)
  foreach(line IN LISTS lines)
    set(meaning ${source})
    if(line MATCHES "^using namespace " OR line MATCHES "^(TEST|TEST_F|TEST_P|RC_GTEST_[A-Z_]+|INSTANTIATE_[A-Z_]+)\\(")
      continue()
    elseif(line MATCHES "^using ([A-Za-z_:]+::)([A-Za-z_0-9]+) *$")
      set(name ${CMAKE_MATCH_2})
      string(REGEX REPLACE "^using (::)?" "" meaning "${line}")
      string(STRIP "${meaning}" meaning)
    elseif(line MATCHES "^namespace ([a-z_]+) = (.*)$")
      set(name ${CMAKE_MATCH_1})
      string(STRIP "${CMAKE_MATCH_2}" meaning)
    elseif(line MATCHES "^(struct|class|enum class|enum|using|concept) ([A-Za-z_0-9]+)")
      set(name ${CMAKE_MATCH_2})
    elseif(line MATCHES "(^|[ *&])([A-Za-z_0-9]+)(\\(|{| = | =$|  *$)")
      set(name ${CMAKE_MATCH_2})
    else()
      continue()
    endif()
    if(name IN_LIST public_types AND meaning STREQUAL source)
      set(is_ambiguous TRUE)
    endif()
    list(APPEND names ${name})
    list(APPEND meanings "${meaning}")
  endforeach()
  set(names "${names}" PARENT_SCOPE)
  set(meanings "${meanings}" PARENT_SCOPE)
  set(is_ambiguous ${is_ambiguous} PARENT_SCOPE)
endfunction()

# Gives every source of a target that has no unit yet one of its folder, the first that it fits into.
function(tactus_unity_groups target)
  if(NOT TACTUS_UNITY IN_LIST ARGN)
    return()
  endif()
  tactus_public_types(public_types)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(unit ${source} UNITY_GROUP)
    get_source_file_property(is_alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(unit OR is_alone)
      continue()
    endif()
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(folder ${path} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    tactus_local_names(${path})
    if(is_ambiguous)
      continue()  # it stays alone
    endif()

    set(number 0)
    set(fits FALSE)
    while(NOT fits)
      math(EXPR number "${number} + 1")
      set(unit ${folder}_${number})
      set(fits TRUE)
      list(LENGTH ${unit}_sources size)
      if(size EQUAL 0)
        break()
      elseif(size GREATER_EQUAL TACTUS_UNITY_SIZE)
        set(fits FALSE)
        continue()
      endif()
      foreach(name meaning IN ZIP_LISTS names meanings)
        if(DEFINED ${unit}_name_${name} AND NOT ${unit}_name_${name} STREQUAL meaning)
          set(fits FALSE)
          break()
        endif()
      endforeach()
    endwhile()

    list(APPEND ${unit}_sources ${source})
    foreach(name meaning IN ZIP_LISTS names meanings)
      set(${unit}_name_${name} "${meaning}")
    endforeach()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tactus_unity_settings>)
  # clang-tidy reads the units, too: to include a source is what they are for.
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON
    UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  # A new name may ask for another unit.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
endfunction()
