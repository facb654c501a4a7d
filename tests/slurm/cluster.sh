#!/usr/bin/env bash
# A Slurm cluster of one machine, without its daemons' usual rights, places and keys: for tests alone.
#
#   cluster.sh start FOLDER    starts it below an empty folder, and prints the path of its slurm.conf for SLURM_CONF
#   cluster.sh stop FOLDER     ends it
#
# Needs slurmctld and slurmd, which `tests/setup.sh slurm` installs. Both daemons run as this user.
set -euo pipefail

usage() {
    echo "usage: cluster.sh start|stop FOLDER" >&2
    exit 2
}

[[ $# == 2 ]] || usage
folder=$(realpath -m "$2")
export SLURM_CONF=$folder/slurm.conf

# Two ports that nobody listens at, for the time being.
free_ports() {
    python3 -c 'import socket
sockets = [socket.socket() for _ in range(2)]
for each in sockets: each.bind(("", 0))
print(*[each.getsockname()[1] for each in sockets])'
}

# More processors and memory than the machine has: tasks of tests mostly wait, and need little.
write_configuration() {
    local host ports
    host=$(hostname -s)
    read -r -a ports < <(free_ports)
    mkdir -p "$folder"/{state,spool}
    cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ReturnToService=2
KillWait=5
MinJobAge=30
# Steps of the scheduler follow each other at once, not every half minute.
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=65536 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
# That of the book's recipe.
PartitionName=long Nodes=ALL MaxTime=INFINITE State=UP
END
}

start() {
    write_configuration
    slurmctld -D >/dev/null 2>&1 &
    echo $! >"$folder/slurmctld.own"
    slurmd -D >/dev/null 2>&1 &
    echo $! >"$folder/slurmd.own"
    for _ in $(seq 300); do
        if [[ $(sinfo --noheader --partition=all --format=%t 2>/dev/null) == idle ]]; then
            echo "$SLURM_CONF"
            return
        fi
        sleep 0.1
    done
    echo "the cluster does not start; its logs:" >&2
    tail "$folder"/*.log >&2 || true
    stop
    exit 1
}

stop() {
    local daemon process
    scancel --me 2>/dev/null || true
    for daemon in slurmd slurmctld; do
        process=$(cat "$folder/$daemon.own" 2>/dev/null) || continue
        kill "$process" 2>/dev/null || true
        for _ in $(seq 100); do
            kill -0 "$process" 2>/dev/null || break
            sleep 0.1
        done
    done
}

case $1 in
    start | stop) "$1" ;;
    *) usage ;;
esac
