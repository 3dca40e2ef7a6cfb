// Pedestrian detection on six cameras and a GPU: see --help.
#include "cuda_accelerator.hpp"
#include "program.hpp"

int main(int argc, char** argv) { return hog::run_program(argc, argv, hog::make_cuda_accelerator); }
