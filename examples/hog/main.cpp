// Pedestrian detection on six cameras, with threads of this machine in place of a GPU: see --help.
#include "host_accelerator.hpp"
#include "program.hpp"

int main(int argc, char** argv) { return hog::run_program(argc, argv, hog::make_host_accelerator); }
