set -x
cmake -S . -B build/h200 -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DTACTUS_CUDA=ON -DTACTUS_BENCH=ON > $OUT/configure.log 2>&1
(time cmake --build build/h200 -j 16 --target tactus_command tactus_device_cuda_tests tactus_cuda_response tactus_cuda_launch) > $OUT/build.log 2>&1 || { grep -n "error" $OUT/build.log | head -20; exit 1; }
tail -4 $OUT/build.log
timeout 150 build/h200/tests/tactus_device_cuda_tests --gtest_filter='CudaResident.*:CudaLoop*' > $OUT/resident.log 2>&1; grep -E "^\[|Failure|error|Error" $OUT/resident.log | grep -v "RUN" | head -60
