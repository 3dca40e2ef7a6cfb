// Something that can be called, kept once.
//
// Copies share what they call: a function with a state has one state, however many hold it. So what can only
// be moved is fine, too. In all else it is like std::function.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace tactus {

template <class Signature>
class SharedFunction;

namespace detail {

template <class Function>
inline constexpr bool may_be_empty = std::is_pointer_v<Function> || std::is_member_pointer_v<Function>;
template <class Signature>
inline constexpr bool may_be_empty<std::function<Signature>> = true;
template <class Signature>
inline constexpr bool may_be_empty<SharedFunction<Signature>> = true;

}  // namespace detail

template <class Answer, class... Arguments>
class SharedFunction<Answer(Arguments...)> {
 private:
  template <class Function>
  static constexpr bool can_keep = !std::is_same_v<std::remove_cvref_t<Function>, SharedFunction> &&
                                   std::is_invocable_r_v<Answer, std::decay_t<Function>&, Arguments...>;

 public:
  SharedFunction() = default;
  SharedFunction(std::nullptr_t) {}  // NOLINT(*-explicit-*): the same

  /// Empty when the function is a null pointer, or empty itself.
  template <class Function, class = std::enable_if_t<can_keep<Function>>>
  // NOLINTNEXTLINE(*-explicit-*, *-forwarding-reference-overload): a lambda is given where this is asked for
  SharedFunction(Function&& function) {
    using Kept = std::decay_t<Function>;
    if constexpr (detail::may_be_empty<std::remove_cvref_t<Function>>) {
      if (!static_cast<bool>(function)) return;
    }
    kept_ = std::make_shared<Kept>(std::forward<Function>(function));
    call_ = [](void* kept, Arguments... arguments) -> Answer {
      if constexpr (std::is_void_v<Answer>) {
        std::invoke(*static_cast<Kept*>(kept), std::forward<Arguments>(arguments)...);
      } else {
        return std::invoke(*static_cast<Kept*>(kept), std::forward<Arguments>(arguments)...);
      }
    };
  }

  /// std::bad_function_call when it is empty.
  Answer operator()(Arguments... arguments) const {
    if (call_ == nullptr) throw std::bad_function_call{};
    return call_(kept_.get(), std::forward<Arguments>(arguments)...);
  }
  explicit operator bool() const noexcept { return call_ != nullptr; }

 private:
  std::shared_ptr<void> kept_;
  Answer (*call_)(void*, Arguments...) = nullptr;
};

}  // namespace tactus
