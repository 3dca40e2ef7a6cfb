# Manual pages and completion for shells: the command writes them itself when it is built, so they never tell of
# another one. They go where man, bash, zsh and fish look for them.
if(NOT TARGET tactus_command OR TACTUS_SANITIZE)
  return()
endif()

set(manuals ${PROJECT_BINARY_DIR}/manuals)
add_custom_command(OUTPUT ${manuals}/written
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manuals}
  COMMAND tactus_command manual ${manuals}
  COMMAND ${CMAKE_COMMAND} -E touch ${manuals}/written
  DEPENDS tactus_command
  COMMENT "Writing manual pages" VERBATIM)
add_custom_target(tactus_manuals ALL DEPENDS ${manuals}/written)

install(DIRECTORY ${manuals}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command)
install(FILES ${manuals}/tactus.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tactus COMPONENT command)
install(FILES ${manuals}/tactus.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _tactus COMPONENT command)
install(FILES ${manuals}/tactus.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
