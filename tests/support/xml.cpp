#include "support/xml.hpp"

#include <stdexcept>

namespace tactus::test {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_{text} {}

  std::vector<XmlElement> parse() {
    take(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    skip_space();
    parse_element({});
    skip_space();
    if (at_ != text_.size()) fail("something behind the root element");
    return std::move(elements_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error{why + " at byte " + std::to_string(at_) + ": " +
                             std::string{text_.substr(at_, 40)}};
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }

  void expect(std::string_view expected) {
    if (!take(expected)) fail("expected " + std::string{expected});
  }

  void skip_space() {
    while (peek() == ' ' || peek() == '\n') ++at_;
  }

  std::string parse_name() {
    const std::size_t start = at_;
    while ((peek() >= 'a' && peek() <= 'z') || (peek() >= 'A' && peek() <= 'Z') || peek() == '-') ++at_;
    if (at_ == start) fail("expected a name");
    return std::string{text_.substr(start, at_ - start)};
  }

  char parse_character() {
    if (take("&amp;")) return '&';
    if (take("&lt;")) return '<';
    if (take("&gt;")) return '>';
    if (take("&quot;")) return '"';
    const char c = peek();
    if (c == '&' || c == '<' || (static_cast<unsigned char>(c) < 0x20 && c != '\n'))
      fail("forbidden character");
    ++at_;
    return c;
  }

  void parse_element(const std::string& parent) {
    expect("<");
    const std::size_t index = elements_.size();
    elements_.push_back({.name = parse_name(), .attributes = {}, .text = {}, .parent = parent});
    const std::string name = elements_[index].name;
    for (skip_space(); peek() != '>' && peek() != '/'; skip_space()) {
      const std::string attribute = parse_name();
      expect("=\"");
      std::string value;
      while (peek() != '"') value += parse_character();
      expect("\"");
      if (!elements_[index].attributes.emplace(attribute, value).second)
        fail("attribute given twice: " + attribute);
    }
    if (take("/>")) return;
    expect(">");
    while (text_.substr(at_, 2) != "</") {
      if (peek() == '<') {
        parse_element(name);
      } else {
        elements_[index].text += parse_character();
      }
    }
    expect("</" + name + ">");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<XmlElement> elements_;
};

}  // namespace

std::vector<XmlElement> parse_xml(std::string_view text) { return Parser{text}.parse(); }

}  // namespace tactus::test
