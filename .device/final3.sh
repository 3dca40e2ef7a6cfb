cmake -S . -B build/h200 -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DTACTUS_CUDA=ON -DTACTUS_BENCH=ON > $OUT/configure.log 2>&1
(time cmake --build build/h200 -j 16 --target tactus_device_cuda_tests tactus_cuda_response tactus_cuda_launch) > $OUT/build.log 2>&1 || { grep -n "error:\|\*\*\*" $OUT/build.log | head -20; exit 1; }
grep real $OUT/build.log
timeout 120 build/h200/tests/tactus_device_cuda_tests > $OUT/tests.log 2>&1; grep -E "^\[  (PASSED|FAILED|SKIPPED)|: Failure" $OUT/tests.log | head -20
O="release: 32us, launch: 43us, completion: 28us, copy: 40us, cpu: 37us, engine: {event: 2us, submit: 43us}, resident: {release: 1us, completion: 5us}, doorbell: {launch: 33us}"
timeout 60 build/h200/bin/tactus_cuda_response --overheads "$O" tactus-doorbell > $OUT/doorbell.jsonl 2>&1; python3 .device/show.py $OUT/doorbell.jsonl
timeout 40 build/h200/bin/tactus_cuda_launch --overheads "$O" dispatch > $OUT/dispatch.jsonl 2>&1; python3 .device/show.py $OUT/dispatch.jsonl
