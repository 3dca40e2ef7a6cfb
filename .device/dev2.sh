set -x
cmake -S . -B build/h200 -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DTACTUS_CUDA=ON -DTACTUS_BENCH=ON > $OUT/configure.log 2>&1
(time cmake --build build/h200 -j 16 --target tactus_command tactus_device_cuda_tests tactus_cuda_response tactus_cuda_launch tactus_cuda_network) > $OUT/build.log 2>&1 || { grep -n "error" $OUT/build.log | head -20; exit 1; }
tail -4 $OUT/build.log
timeout 100 build/h200/tests/tactus_device_cuda_tests --gtest_filter='CudaResident.*:CudaLoop*:CudaCaptured*' > $OUT/resident.log 2>&1; grep -E "^\[|Failure|error|Error" $OUT/resident.log | grep -v "RUN\|OK" | head -40
show() { python3 -c "
import json,sys
for l in open(sys.argv[1]):
    try: d=json.loads(l)
    except Exception: continue
    if 'response_us' in d: print(d['way'], d.get('load'), d['response_us'], d.get('until_start_us',{}).get('median'), d.get('bound_us'), d.get('above_bound'))
    elif 'control_us' in d: print(d['way'], d['kernels'], d['control_us'], 'misses', d['misses'], 'bound', d['bound_us'], d['above_bound_undisturbed'], d['first_broken'])
    else: print(json.dumps(d)[:400])
" $1; }
O="release: 100us, launch: 40us, completion: 100us, resident: {release: 2us, completion: 3us}, doorbell: {launch: 60us}"
for way in tactus-resident tactus-graph tactus-doorbell; do timeout 60 build/h200/bin/tactus_cuda_response --quick --overheads "$O" $way > $OUT/quick-$way.jsonl 2>$OUT/quick-$way.log; show $OUT/quick-$way.jsonl; done
timeout 60 build/h200/bin/tactus_cuda_network --quick --overheads "$O" > $OUT/network.jsonl 2>$OUT/network.log; show $OUT/network.jsonl; tail -3 $OUT/network.log
timeout 60 build/h200/bin/tactus_cuda_launch --quick captured dispatch > $OUT/launch.jsonl 2>$OUT/launch.log; show $OUT/launch.jsonl
timeout 90 build/h200/bin/tactus measure overheads --device cuda --samples 2000 2>&1 | tail -30
