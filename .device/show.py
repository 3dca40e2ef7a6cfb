import json,sys
for l in open(sys.argv[1]):
    try: d=json.loads(l)
    except Exception: continue
    if 'response_us' in d: r=d['response_us']; print(d['way'],'|',d.get('load'),'|',r['count'],r['min'],r['median'],r['p99'],r['p99.9'],r['max'],'| bound',d.get('bound_us'),'above',d.get('above_bound'),'dist',d.get('disturbances',{}).get('disturbed'))
    elif 'control_us' in d: r=d['control_us']; print(d['way'],d['kernels'],r['median'],r['p99'],r['p99.9'],r['max'],'misses',d['misses'],'bound',d['bound_us'],'above',d['above_bound'],d['above_bound_undisturbed'],'|',d['network_us']['p99'],d['network_misses'],d['network_calls_us'],'|',d['first_broken'])
    elif 'until_known_us' in d: print(d['what'], d['until_known_us'])
    else: print(json.dumps(d)[:300])
