#!/bin/sh
# If the disk of PostgreSQL is nearly full, gives the role of the leader to another node. PostgreSQL refuses statements on a full
# disk, but Patroni keeps the node as the leader. Every two seconds, malipo-disk-guard.timer runs this file as user postgres, at
# /usr/local/sbin/malipo-disk-guard. The passwords and the name of the node come from /etc/patroni_env.conf.
set -eu
CONFIG=${CONFIG:-/etc/patroni/config.yml}
DATA_DIR=${DATA_DIR:-/var/lib/postgresql/15/malipo}
# The free space in MB below which the node gives up the role. PostgreSQL needs some space for its orderly stop.
FREE_MIN_MB=${FREE_MIN_MB:-1024}
# The least time in minutes before the node gives up the role again. Otherwise nodes with full disks would change the leader forever.
PAUSE_MINUTES=${PAUSE_MINUTES:-60}
MARK=${MARK:-/run/malipo-disk-guard/handed-over}

free_mb=$(df --output=avail --block-size=1M "$DATA_DIR" | tail -n 1 | tr -d ' ')
[ "$free_mb" -lt "$FREE_MIN_MB" ] || exit 0
curl --fail --silent --max-time 2 --output /dev/null "http://$PATRONI_RESTAPI_CONNECT_ADDRESS/primary" || exit 0
if [ -n "$(find "$MARK" -mmin "-$PAUSE_MINUTES" 2>/dev/null)" ]; then exit 0; fi
echo "$PATRONI_NAME leads with $free_mb MB of free disk, and needs $FREE_MIN_MB MB: it hands over. Free space on this node." >&2
patronictl -c "$CONFIG" switchover --force
touch "$MARK"
