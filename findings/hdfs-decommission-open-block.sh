#!/bin/bash
# HDFS decommissions a data node although it alone has the last block of an open file.
#
# Seen with Apache Hadoop 3.5.0 and OpenJDK 17, without the product:
# - A program writes a file with one replica, and `hsync` returns. The program holds the file open.
# - The only data node with the block is excluded. The name node calls it `Decommissioned` a few seconds later, and does not copy the block. It does not
#   count blocks that are under construction: `BlockManager.isNeededReconstruction` is false for a block that is not complete.
# - The program and the data node end. The lease of the file can never be recovered, and the bytes that `hsync` acknowledged cannot be read.
#   Output of `hdfs fsck /file -files -blocks -openforwrite -replicaDetails` then:
#     /file 13 bytes, replicated: replication=1, 1 block(s), OPENFORWRITE:  OK
#     Under Construction Block:
#     0. BP-...:blk_1073741825_1001 len=13 Expected_repl=1  [DatanodeInfoWithStorage[127.0.0.1:9903,DS-...,DISK](DECOMMISSIONED)]
# - While the data node is still there, `close` fails in the program after about 12 s: "Unable to close file because the last block ... does not have enough
#   number of replicas". `hdfs debug recoverLease` closes the file, and the name node then copies its block off the decommissioned node.
#
# The product therefore looks at all blocks with fsck before it removes a data node; see src/service/engines/hadoop/unsaved.ts.
#
# Usage: findings/hdfs-decommission-open-block.sh
# It needs Linux, a JDK 17 or newer, curl and 1 GB of disk. HADOOP_FOLDER names an unpacked Hadoop, or a folder with its jars in `jars`. Otherwise Hadoop is
# downloaded to a temporary folder. It ends with 0 if HDFS behaves like this, and with 1 if that has changed.
set -euo pipefail

version=3.5.0
archive=https://archive.apache.org/dist/hadoop/common/hadoop-$version/hadoop-$version.tar.gz
folder=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2> /dev/null || true; done
  sleep 1
  rm -rf "$folder"
}
trap finish EXIT

hadoop=${HADOOP_FOLDER:-}
if [ -z "$hadoop" ]; then
  echo "downloading $archive"
  curl -fsSL "$archive" | tar -xz -C "$folder"
  hadoop=$folder/hadoop-$version
fi
if [ -d "$hadoop/jars" ]; then
  jars=$hadoop/jars/*
else
  share=$hadoop/share/hadoop
  jars=$share/hdfs:$share/common/*:$share/common/lib/*:$share/hdfs/*:$share/hdfs/lib/*
fi

name=127.93.7.1
page=http://$name:9870

# The configuration of a machine with an address and a port.
configure() {
  local at=$folder/$1 address=$2 port=$3
  mkdir -p "$at"/conf/webapps/{hdfs,datanode,static}
  printf 'log4j.rootLogger=ERROR,console\nlog4j.appender.console=org.apache.log4j.ConsoleAppender\nlog4j.appender.console.layout=org.apache.log4j.SimpleLayout\n' > "$at/conf/log4j.properties"
  cat > "$at/conf/core-site.xml" << XML
<configuration>
<property><name>fs.defaultFS</name><value>hdfs://$name:8020</value></property>
<property><name>hadoop.tmp.dir</name><value>$at/tmp</value></property>
</configuration>
XML
  {
    echo '<configuration>'
    while read -r key value; do echo "<property><name>$key</name><value>$value</value></property>"; done << SETTINGS
dfs.replication 1
dfs.permissions.enabled false
dfs.namenode.name.dir file://$at/name
dfs.datanode.data.dir file://$at/data
dfs.namenode.rpc-address $name:8020
dfs.namenode.http-address $name:9870
dfs.hosts.exclude $folder/exclude
dfs.namenode.datanode.registration.ip-hostname-check false
dfs.namenode.decommission.interval 1
dfs.heartbeat.interval 1
dfs.namenode.heartbeat.recheck-interval 5000
dfs.datanode.hostname $address
dfs.datanode.address $address:$port
dfs.datanode.ipc.address $address:9867
dfs.datanode.http.address $address:9864
dfs.datanode.use.datanode.hostname true
dfs.client.use.datanode.hostname true
SETTINGS
    echo '</configuration>'
  } > "$at/conf/hdfs-site.xml"
}

# Becomes a program of Hadoop with the configuration of a machine, so it needs a process of its own: (run …), or run … &.
run() {
  local at=$1
  shift
  exec java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$folder/$at/conf:$jars" "$@"
}
start() {
  run "$@" > "$folder/$1.log" 2>&1 &
  pids+=($!)
  disown
}

# Waits until the command succeeds, for three minutes at most.
await() {
  local what=$1
  shift
  for _ in $(seq 180); do
    if "$@"; then return 0; fi
    sleep 1
  done
  echo "CHANGED, or broken: $what did not come true within 3 minutes"
  exit 1
}

nodes() { curl -fs "$page/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo" || true; }
has_nodes() { nodes | grep -o 'In Service' | wc -l | grep -qx 2; }
has_written() { grep -q acknowledged "$folder/writer.log"; }
is_decommissioned() { nodes | grep -q '"adminState\\":\\"Decommissioned'; }
report() { curl -fs "$page/fsck?ugi=$(id -un)&path=/file&files=1&blocks=1&openforwrite=1&replicadetails=1"; }

configure namenode $name 0
configure datanode2 127.93.7.2 9902
configure datanode3 127.93.7.3 9903
: > "$folder/exclude"
(run namenode org.apache.hadoop.hdfs.server.namenode.NameNode -format -force -nonInteractive) > "$folder/format.log" 2>&1
start namenode org.apache.hadoop.hdfs.server.namenode.NameNode
start datanode2 org.apache.hadoop.hdfs.server.datanode.DataNode
start datanode3 org.apache.hadoop.hdfs.server.datanode.DataNode
await 'two data nodes' has_nodes

cat > "$folder/Writer.java" << 'JAVA'
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;

public class Writer {
  public static void main(String[] args) throws Exception {
    Path path = new Path("/file");
    FSDataOutputStream out = path.getFileSystem(new Configuration()).create(path);
    out.writeBytes("acknowledged\n");
    out.hsync();
    System.out.println("acknowledged");
    Thread.sleep(3_600_000);
  }
}
JAVA
run namenode "$folder/Writer.java" > "$folder/writer.log" 2>&1 &
writer=$!
pids+=("$writer")
disown
await 'hsync' has_written

echo '--- the open file'
report | grep -A 3 '^/file'
port=$(report | grep -o '127.0.0.1:990[23]' | head -n 1 | cut -d : -f 2)
echo "127.0.0.1:$port" > "$folder/exclude"
(run namenode org.apache.hadoop.hdfs.tools.DFSAdmin -refreshNodes) > "$folder/refresh.log" 2>&1
await "the data node at $port is Decommissioned" is_decommissioned

echo '--- the name node calls its only data node decommissioned'
report | grep -A 3 '^/file'
report | grep -q "Expected_repl=1 .*:$port,.*DISK\](DECOMMISSIONED)\]" || {
  echo 'CHANGED: the block was copied, or waited for'
  exit 1
}

echo '--- the writer is killed, and the decommissioned data node goes'
kill -KILL "$writer"
case $port in 9902) kill -KILL "${pids[1]}" ;; *) kill -KILL "${pids[2]}" ;; esac
if (run namenode org.apache.hadoop.hdfs.tools.DebugAdmin recoverLease -path /file -retries 5) 2> /dev/null | grep SUCCEEDED; then
  echo 'CHANGED: the lease was recovered'
  exit 1
fi
if (run namenode org.apache.hadoop.fs.FsShell -cat /file) 2> /dev/null | grep acknowledged; then
  echo 'CHANGED: the file can be read'
  exit 1
fi
echo "Hadoop $version: the bytes that hsync acknowledged are lost with a data node that was Decommissioned"
