// How much a random test tries. Where a sanitizer watches, all is several times slower, and what it looks for
// shows up in fewer tries: all of them are made without it.
#pragma once

namespace tactus::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_watched = true;
#else
inline constexpr bool is_watched = false;
#endif

/// So many tries, or a tenth.
template <class Number>
constexpr Number tries(Number all) {
  return is_watched ? all / 10 : all;
}

}  // namespace tactus::test
