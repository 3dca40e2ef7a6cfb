# Checks that every link of the pages below a folder leads to a file that is there, too.
#
#   cmake -D ROOT=folder -P cmake/check_links.cmake

cmake_minimum_required(VERSION 3.25)

set(problems 0)
file(GLOB_RECURSE pages ${ROOT}/*.md)
foreach(page IN LISTS pages)
  cmake_path(GET page PARENT_PATH folder)
  file(READ ${page} text)
  # Brackets and semicolons would divide the list of links.
  string(REPLACE "](" "<link>" text "${text}")
  string(REGEX REPLACE "[][;]" "" text "${text}")
  string(REGEX MATCHALL "<link>[^)# \n]+[)#]" links "${text}")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^<link>(.*)[)#]$" "\\1" target "${link}")
    if(NOT target MATCHES "^[a-z]+:" AND NOT EXISTS ${folder}/${target})
      message("${page}: ${target} is not there")
      math(EXPR problems "${problems} + 1")
    endif()
  endforeach()
endforeach()
if(NOT pages OR problems GREATER 0)
  message(FATAL_ERROR "${problems} links lead nowhere")
endif()
