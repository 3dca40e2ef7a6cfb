# What checks of sources share: C++ text without its comments, and its string literals.
set(tactus_raw_string "R\"\\(([^)]|\\)+[^)\"])*\\)+\"|R\"[a-z]+\\(([^)]|\\)+[^)a-z]|\\)+[a-z]+[^a-z\"])*\\)+[a-z]+\"")
set(tactus_plain_string "\"([^\"\\\\\n]|\\\\.)*\"")
set(tactus_character "'([^'\\\\\n]|\\\\.)'")

# tactus_strip_comments(TEXT RESULT): without comments; what looks like one inside of a string literal stays.
function(tactus_strip_comments text result)
  # CMake wants the group that stays in every match: a literal, or the blank that every comment has before it.
  string(REGEX REPLACE "(${tactus_raw_string}|${tactus_plain_string}|${tactus_character}|[ \t\n])(//[^\n]*|)" "\\1"
    text "\n${text}")
  string(REGEX REPLACE "[ \t]+\n" "\n" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# tactus_string_literals(TEXT RESULT): all string literals, one after the other.
function(tactus_string_literals text result)
  tactus_strip_comments("${text}" text)
  string(REGEX MATCHALL "${tactus_raw_string}|${tactus_plain_string}|${tactus_character}" literals "${text}")
  set(${result} "${literals}" PARENT_SCOPE)
endfunction()
