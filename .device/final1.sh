cmake -S . -B build/h200 -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DTACTUS_CUDA=ON -DTACTUS_BENCH=ON > $OUT/configure.log 2>&1
(time cmake --build build/h200 -j 16 --target tactus_command tactus_device_cuda_tests tactus_cuda_response tactus_cuda_launch tactus_cuda_network) > $OUT/build.log 2>&1 || { grep -n "error:\|\*\*\*" $OUT/build.log | head -20; exit 1; }
grep real $OUT/build.log; grep -n "warning" $OUT/build.log | head -5
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
mkdir -p h
timeout 200 build/h200/tests/tactus_device_cuda_tests > h/tests.log 2>&1; grep -E "^\[  (PASSED|FAILED|SKIPPED)|Failure" h/tests.log | head -40
timeout 150 build/h200/bin/tactus measure overheads --device cuda --margin 'p99.9*2' --json > h/measure.json 2>h/measure.log; cut -c1-200 h/measure.json; tail -3 h/measure.log
python3 - <<'P'
import json
d=json.load(open('h/measure.json'))
o=d['overheads']; print(json.dumps(o))
def us(n): return f"{n}ns"
t=f"release: {us(o['release_ns'])}, launch: {us(o['launch_ns'])}, completion: {us(o['completion_ns'])}, copy: {us(o['copy_ns'])}, cpu: {us(o['cpu_ns'])}"
if 'engine' in o: t+=f", engine: {{event: {us(o['engine']['event_ns'])}, submit: {us(o['engine']['submit_ns'])}}}"
t+=f", resident: {{release: {us(o['resident']['release_ns'])}, completion: {us(o['resident']['completion_ns'])}}}, doorbell: {{launch: {us(o['doorbell']['launch_ns'])}}}"
open('h/overheads.txt','w').write(t)
s="tactus: 1\nname: together\nplatform: {base: h200, overheads: {"+t+"}}\npolicy: {strategy: federated, virtual_sms: {"+", ".join(f"t{i}: 8" for i in range(24))+"}}\ntasks:\n"
for i in range(24): s+=f"  - {{name: t{i}, period: 5ms, exclusive: 100us}}\n"
open('h/together.yaml','w').write(s)
P
build/h200/bin/tactus check h/together.yaml 2>&1 | head -40 | cut -c1-160
timeout 60 build/h200/bin/tactus run h/together.yaml --device cuda --for 10s --json > h/together.json 2>h/together.log; python3 - <<'P'
import json
d=json.load(open('h/together.json'))
print({k:d[k] for k in d if not isinstance(d[k],(list,dict))})
for t in d['tasks']: print(t['name'], t.get('jobs'), t.get('misses'), t['response_ns'], t['bound_ns'])
print(json.dumps(d.get('assumptions'))[:600] if d.get('assumptions') else '', d.get('engine_away'))
P
cp -r h $OUT/h1 2>/dev/null; rm -f $OUT/h1/tests.log; cp h/tests.log $OUT/
