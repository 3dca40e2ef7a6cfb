// Packed models. The archives are written here, byte by byte, so that nothing needs a program to pack.
#include "tactus/import/unzip.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "import/models.hpp"
#include "tactus/base/error.hpp"

namespace tactus::import {
namespace {

void put(std::string& text, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xffU);
}

std::uint32_t checksum(const std::string& text) {
  std::uint32_t sum = 0xffffffffU;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~sum;
}

/// An archive with one file, stored as it is.
std::string packed(const std::string& name, const std::string& text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  const auto fields = [&](std::string& to) {
    put(to, 20, 2);
    put(to, 0, 2);
    put(to, 0, 2);
    put(to, 0, 4);
    put(to, checksum(text), 4);
    put(to, size, 4);
    put(to, size, 4);
    put(to, static_cast<std::uint32_t>(name.size()), 2);
    put(to, 0, 2);
  };
  std::string archive = "PK\x03\x04";
  fields(archive);
  archive += name + text;
  const auto directory = static_cast<std::uint32_t>(archive.size());
  std::string entry = "PK\x01\x02";
  put(entry, 20, 2);
  fields(entry);
  put(entry, 0, 2);
  put(entry, 0, 2);
  put(entry, 0, 2);
  put(entry, 0, 4);
  put(entry, 0, 4);
  entry += name;
  archive += entry + "PK\x05\x06";
  put(archive, 0, 4);
  put(archive, 1, 2);
  put(archive, 1, 2);
  put(archive, static_cast<std::uint32_t>(entry.size()), 4);
  put(archive, directory, 4);
  put(archive, 0, 2);
  return archive;
}

TEST(Unzip, APackedModelIsReadAsItIs) {
  const std::string text = model_text(R"(<swModel><tasks name="A"/></swModel>)");
  const Documents documents{sources_of("m.amxmi", packed("inside.amxmi", text))};
  ASSERT_EQ(documents.listed("swModel", "tasks").size(), 1U);
  EXPECT_EQ(documents.place(*documents.listed("swModel", "tasks")[0]).file, "m.amxmi/inside.amxmi");
}

TEST(Unzip, DamagedArchivesAreRefused) {
  const std::string whole = packed("inside.amxmi", model_text(""));
  for (std::size_t size = 4; size < whole.size(); size += 7) {
    EXPECT_THROW(sources_of("m.amxmi", whole.substr(0, size)), InputError) << size;
  }
}

}  // namespace
}  // namespace tactus::import
