#include "tactus/base/shared_function.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

namespace tactus {
namespace {

int twice(int number) { return 2 * number; }

struct Counter {
  int calls = 0;
  int operator()() { return ++calls; }
};

struct Named {
  int number = 3;
  [[nodiscard]] int plus(int more) const { return number + more; }
};

TEST(SharedFunction, CallsWhatItWasGiven) {
  const SharedFunction<int(int)> pointer = twice;
  EXPECT_EQ(pointer(4), 8);
  const SharedFunction<int(int)> lambda = [offset = 5](int number) { return number + offset; };
  EXPECT_EQ(lambda(1), 6);
  const SharedFunction<int(const Named&, int)> member = &Named::plus;
  EXPECT_EQ(member(Named{}, 1), 4);
}

TEST(SharedFunction, CopiesShareOneState) {
  const SharedFunction<int()> first = Counter{};
  const SharedFunction<int()> second = first;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(first(), 1);
  EXPECT_EQ(second(), 2);
  EXPECT_EQ(first(), 3);
}

TEST(SharedFunction, TakesWhatCanOnlyBeMoved) {
  const SharedFunction<int()> function = [number = std::make_unique<int>(7)] { return (*number)++; };
  EXPECT_EQ(function(), 7);
  EXPECT_EQ(function(), 8);
}

TEST(SharedFunction, IgnoresAnAnswerThatNobodyWants) {
  int calls = 0;
  const SharedFunction<void()> function = [&calls] { return ++calls; };
  function();
  EXPECT_EQ(calls, 1);
}

TEST(SharedFunction, HandsArgumentsOnWithoutACopy) {
  const SharedFunction<int(std::unique_ptr<int>)> taking = [](std::unique_ptr<int> number) {
    return *number;
  };
  EXPECT_EQ(taking(std::make_unique<int>(9)), 9);
  const SharedFunction<void(std::string&)> changing = [](std::string& text) { text += "!"; };
  std::string text = "now";
  changing(text);
  EXPECT_EQ(text, "now!");
}

TEST(SharedFunction, KnowsWhenThereIsNothingToCall) {
  EXPECT_FALSE(SharedFunction<int(int)>{});
  EXPECT_FALSE(SharedFunction<int(int)>{nullptr});
  EXPECT_FALSE((SharedFunction<int(int)>{static_cast<int (*)(int)>(nullptr)}));
  EXPECT_FALSE((SharedFunction<int(int)>{std::function<int(int)>{}}));
  EXPECT_FALSE((SharedFunction<void(int)>{SharedFunction<int(int)>{}}));
  EXPECT_TRUE((SharedFunction<int(int)>{twice}));
  EXPECT_THROW(SharedFunction<int(int)>{}(1), std::bad_function_call);
}

TEST(SharedFunction, TakesOnlyWhatCanBeCalledThatWay) {
  static_assert(!std::is_constructible_v<SharedFunction<int(int)>, std::string>);
  static_assert(!std::is_constructible_v<SharedFunction<int(int)>, Counter>);
  static_assert(std::is_constructible_v<SharedFunction<void()>, Counter>);
}

}  // namespace
}  // namespace tactus
