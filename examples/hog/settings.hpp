// The options of the program.
#pragma once

#include <string>
#include <tactus/measure.hpp>
#include <vector>

#include "graph.hpp"

namespace hog {

struct Settings {
  int cameras = 6;
  int width = 1280;
  int height = 720;
  int levels = 13;
  int buffers = 16;  // frames of a camera that may be on their way
  int cpus = 0;      // 0: as many as the machine has, less one for the scheduler
  int period_ms = 33;
  int deadline_ms = 100;
  int seconds = 10;
  int samples = 100;
  Grain grain = Grain::fine;
  tactus::Order order = tactus::Order::edf;
  bool order_given = false;
  tactus::measure::MarginRule margin;
  std::vector<std::string> images;   // files
  std::string overheads;             // file
  std::string output;                // file
  std::string file;                  // to run
  std::vector<std::string> changes;  // to the file that is run: KEY=VALUE
  std::string json;                  // file
};

}  // namespace hog
