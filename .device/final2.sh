O=$(cat h/overheads.txt); mkdir -p $OUT/r $OUT/samples
show() { python3 .device/show.py $1; }
B=build/h200/bin
for way in tactus-resident tactus-graph tactus-doorbell; do timeout 100 $B/tactus_cuda_response --overheads "$O" --samples $OUT/samples $way >> $OUT/r/response.jsonl 2>>$OUT/r/response.log; done; show $OUT/r/response.jsonl
for i in $(seq 32); do timeout 95 bash -c 'while :; do :; done' & done; sleep 1
for way in tactus-resident tactus-graph; do timeout 60 $B/tactus_cuda_response --overheads "$O" $way >> $OUT/r/busy.jsonl 2>>$OUT/r/busy.log; done; show $OUT/r/busy.jsonl
jobs -p | xargs -r kill 2>/dev/null; wait 2>/dev/null
timeout 120 $B/tactus_cuda_launch --overheads "$O" > $OUT/r/launch.jsonl 2>$OUT/r/launch.log; show $OUT/r/launch.jsonl
timeout 70 $B/tactus_cuda_network --overheads "$O" > $OUT/r/network.jsonl 2>$OUT/r/network.log; show $OUT/r/network.jsonl
S=/usr/local/cuda/bin/compute-sanitizer; F='CudaResident.*:CudaCapturedWork.*:CudaLauncher.*:-*ALaunchThatDoesNotFit*:*Refused*'
timeout 70 $S --tool memcheck build/h200/tests/tactus_device_cuda_tests --gtest_filter="$F" > $OUT/r/memcheck.log 2>&1; grep -E "ERROR SUMMARY|PASSED|FAILED" $OUT/r/memcheck.log | head
timeout 70 $S --tool racecheck build/h200/tests/tactus_device_cuda_tests --gtest_filter="$F" > $OUT/r/racecheck.log 2>&1; grep -E "RACECHECK SUMMARY|ERROR SUMMARY|PASSED|FAILED" $OUT/r/racecheck.log | head
rm -rf $OUT/samples; cp h/together.yaml $OUT/r/; ls $OUT/r
