#!/usr/bin/env bash
# The log of Spark comes into the middle of lines that a driver in Python prints.
#
# Versions   PySpark 4.1.2, with Java 17
# Input      a program that prints 4,000 short lines while jobs of Spark run, with the log and the output in one file
# Expected   each line is whole, as from a program in Java or Scala
# Seen       Spark starts Python unbuffered, where print() writes a text and its line end separately, and passes on each piece as it
#            comes. Some lines have a message of the log between the text and the line end: `line 11626/11/28 20:38:49 INFO ...`.
#            With sys.stdout.write of text and line end together, none of 4,000 has.
# Meaning    Whoever looks for the result of a program among its lines misses some of them, now and then. Write whole lines.
#
# SPARK_HOME can name an unpacked Spark. Otherwise PySpark is installed in a temporary folder.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${SPARK_HOME:-}" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check pyspark==4.1.2
  SPARK_HOME=$(echo "$work"/venv/lib/python3*/site-packages/pyspark)
fi
export SPARK_HOME
cd "$work"

cat > program.py <<'PYTHON'
import sys
import threading
import time

from pyspark import SparkContext

ways = {"print": print, "write": lambda line: sys.stdout.write(line + "\n")}
ended = threading.Event()


def run_jobs(spark):
    while not ended.is_set():
        spark.parallelize(range(2), 2).count()


with SparkContext() as spark:
    jobs = threading.Thread(target=run_jobs, args=(spark,))
    jobs.start()
    spark.parallelize(range(2), 2).count()
    for number in range(4000):
        ways[sys.argv[1]](f"line {number}")
        time.sleep(0.002)
    ended.set()
    jobs.join()
PYTHON

whole() {
  "$SPARK_HOME/bin/spark-submit" --master 'local[1]' --conf spark.ui.enabled=false --conf spark.ui.showConsoleProgress=false \
    --conf spark.log.level=INFO program.py "$1" > "out-$1" 2>&1
  grep -cE '^line [0-9]+$' "out-$1" || true
}
printed=$(whole print)
written=$(whole write)
echo "print: $printed of 4000 lines are whole"
echo "write: $written of 4000 lines are whole"
grep -m 2 -E '^line [0-9]+/[0-9]+/[0-9]+ [0-9:]+ INFO' out-print || true
[ "$printed" -lt 4000 ] && [ "$written" -eq 4000 ] || { echo 'the behavior has changed: update this finding' >&2; exit 1; }
