#!/usr/bin/env bash
# Runs a sweep as a Slurm array on this machine: starts munge, slurmctld and two slurmd of Debian's packages (slurm-wlm,
# munge) in a separate folder, kills a fifth of the tasks (at least two) at random moments, compares the metrics digest
# with that of a sweep by one process, and stops what it started. Needs root.
#   scripts/slurm_local.sh [AQBENCH] [CASES] [TASKS] [POINTS]     POINTS of each cloud: the work of a case
set -euo pipefail

aqbench=$(realpath "${1:-build/release/aqbench}")
cases=${2:-40} tasks=${3:-4} points=${4:-100000}
kills=$(((tasks + 4) / 5 > 2 ? (tasks + 4) / 5 : 2))
for tool in munged slurmctld slurmd sbatch squeue; do
  command -v "$tool" >/dev/null || { echo "slurm_local: needs $tool (apt-get install slurm-wlm munge)" >&2; exit 2; }
done
[ "$(id -u)" -eq 0 ] || { echo "slurm_local: needs root" >&2; exit 2; }

dir=$(mktemp -d "${TMPDIR:-/tmp}/aqbench-slurm-XXXXXX")
chmod 755 "$dir"
started=()
cleanup() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ "${KEEP:-0}" = 1 ] || rm -rf "$dir"
}
trap cleanup EXIT

mkdir -p "$dir"/{munge,state,spool0,spool1,out}
dd if=/dev/urandom of="$dir/munge/key" bs=1 count=1024 2>/dev/null
chmod 700 "$dir/munge" && chmod 400 "$dir/munge/key"
munged --foreground --force --socket="$dir/munge.socket" --key-file="$dir/munge/key" --num-threads=2 \
  --pid-file="$dir/munge/pid" --seed-file="$dir/munge/seed" --log-file="$dir/munge/log" >"$dir/munged.log" 2>&1 &
started+=($!)

host=$(hostname -s)
cpus=$(nproc)
cat >"$dir/slurm.conf" <<CONF
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
SlurmctldPort=16817
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/slurmctld.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmdLogFile=$dir/slurmd.%n.log
SlurmdSpoolDir=$dir/spool.%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=node0 NodeHostname=$host NodeAddr=127.0.0.1 Port=16818 CPUs=$cpus State=UNKNOWN
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=16819 CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=node0,node1 Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONF
export SLURM_CONF=$dir/slurm.conf
nodes=2
slurmd -V >/dev/null
slurmctld -D -f "$SLURM_CONF" >"$dir/slurmctld.out" 2>&1 &
started+=($!)
for node in node0 node1; do
  slurmd -D -N "$node" -f "$SLURM_CONF" >"$dir/$node.out" 2>&1 &
  started+=($!)
done
for _ in $(seq 60); do
  [ "$(sinfo -h -t idle -o '%D' 2>/dev/null | paste -sd+ | sed 's/^$/0/' | bc 2>/dev/null || echo 0)" -ge 1 ] && break
  sleep 0.5
done
sinfo
echo "$nodes nodes on this machine"

sweep=("$aqbench" sweep --scene flat_plane --method roma_like --set "roma_like.points=$points" --repeat "$cases"
  --threads 1)
begin=$(date +%s.%N)
"${sweep[@]}" --out "$dir/alone" >"$dir/sweep.log"
alone_s=$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
digest() { sed -n 's/^metrics digest *//p' "$1"; }
"$aqbench" verify "$dir"/alone/* >"$dir/alone.log"
echo "one process:     $(digest "$dir/alone.log")"

begin=$(date +%s.%N)
"${sweep[@]}" --out "$dir/out" --slurm --array-size "$tasks" --wait >"$dir/slurm.log" 2>"$dir/slurm.err" &
waiting=$!
killed=0
while [ $killed -lt $kills ] && kill -0 $waiting 2>/dev/null; do  # the tasks, not the processes of their cases
  sleep "$((RANDOM % 3)).$((RANDOM % 10))"
  victim=$(ps -C "$(basename "$aqbench")" -o pid=,ppid=,args= | awk -v run="run-case $dir/out" '
    index($0, run) { parent[$1] = $2 } END { for (p in parent) if (!(parent[p] in parent)) print p }' | shuf -n 1)
  [ -n "$victim" ] && kill -KILL "$victim" 2>/dev/null && killed=$((killed + 1)) && echo "killed task with process $victim"
done
[ $killed -eq $kills ] || { echo "slurm_local: the sweep ended before $kills tasks were killed; increase CASES" >&2; exit 1; }
wait "$waiting" || { echo "slurm_local: the sweep failed:" >&2; cat "$dir/slurm.log" "$dir/slurm.err" >&2
  grep -hB 2 '^-- [^o]' "$dir"/out/*Z.tasks/slurm-*.log >&2; exit 1; }
end=$(date +%s.%N)
bundle=$(echo "$dir"/out/*Z)
"$aqbench" verify "$bundle" >"$dir/verify.log" || { cat "$dir/verify.log" >&2; exit 1; }
printf 'array of %-7s %s\n' "$tasks:" "$(digest "$dir/verify.log")"
# Core time of the array against one process on one core, including repeated cases, contention and waiting.
awk -v s="$alone_s" -v a="$begin" -v b="$end" -v n="$cases" -v cores="$cpus" 'BEGIN {
  more = (b - a) * cores - s
  printf "%d cases: one process %.1f s, the array %.1f s on %d cores: %.1f %% or %.0f ms a case more core time\n",
    n, s, b - a, cores, 100 * more / s, 1000 * more / n }'
cat "$bundle/notes.txt"
[ "$(digest "$dir/alone.log")" = "$(digest "$dir/verify.log")" ] || { echo "the digests differ" >&2; exit 1; }
echo "same metrics digest"

# Timed cases: both nodes are this machine, on which one task at a time may measure; the other one's error says so.
"$aqbench" sweep --workload absorption --set absorption.size=64 --repeat 4 --threads 1 \
  --repetitions 3 --out "$dir/timed" --slurm --own-nodes --array-size 2 --wait >"$dir/timed.log" 2>&1 || {
  echo "slurm_local: the timed sweep failed:" >&2; cat "$dir/timed.log" >&2; exit 1; }
bundle=$(echo "$dir"/timed/*Z)
"$aqbench" verify "$bundle" >"$dir/verify.log" || { cat "$dir/verify.log" >&2; exit 1; }
grep -q '"mixed"' "$bundle/env.json" && { echo "slurm_local: one machine, but times are marked as mixed" >&2; exit 1; }
echo "timed cases:     $(cat "$bundle/notes.txt")"
