# Shows that write_source_hash.cmake sees code and no comments.
#
#   cmake -D WRITE=cmake/write_source_hash.cmake -D SCRATCH=folder -P hash_test.cmake
function(hash_of content result)
  file(REMOVE_RECURSE ${SCRATCH})
  file(WRITE ${SCRATCH}/base/a.cpp "${content}")
  execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${SCRATCH} -D MODULES=base -D OUTPUT=${SCRATCH}/hash.cpp -P ${WRITE}
    COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${SCRATCH}/hash.cpp text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

hash_of("int a = 1;\n\nint b[2] = {1, 2};\n" plain)
hash_of("// What it is.\nint a = 1;  // one\n\n/// And more;\n/// [much] more.\nint b[2] = {1, 2};\n" commented)
hash_of("int a = 2;\n\nint b[2] = {1, 2};\n" other)
if(NOT plain STREQUAL commented)
  message(SEND_ERROR "a comment changes the hash")
endif()
if(plain STREQUAL other)
  message(SEND_ERROR "code does not change the hash")
endif()
