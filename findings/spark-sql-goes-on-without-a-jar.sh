#!/usr/bin/env bash
# A script of Spark SQL goes on, and succeeds, if ADD JAR finds no jar.
#
# Versions   PySpark 4.1.2, with Java 17
# Input      scripts of two statements. The first one adds a jar, a file or an archive that does not exist.
# Expected   spark-sql -f ends at the first statement with an error, and exits with 1
# Seen       It does so for ADD FILE and ADD ARCHIVE. ADD JAR only writes to the log, also if the jar is at an HDFS that does not
#            answer: the next statement runs, and the exit code is 0.
# Meaning    What the jar was for fails later, where nothing names the jar, or it is not missed at all, for example if an older
#            version of it is on the class path. Look for the jar before the script runs.
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

# Nothing listens on the port 1 of this computer.
for statement in "ADD JAR $work/none.jar" 'ADD JAR hdfs://127.0.0.1:1/none.jar' "ADD FILE $work/none.txt" "ADD ARCHIVE $work/none.zip"; do
  printf "%s;\nSELECT 'went on';\n" "$statement" > script.sql
  status=0
  "$SPARK_HOME/bin/spark-sql" --master 'local[1]' --conf spark.ui.enabled=false --conf spark.log.level=OFF -f script.sql \
    > out 2> log || status=$?
  went=$(grep -c '^went on$' out || true)
  echo "${statement/$work\//}: exit $status, $went further statements" >> seen
done

cat > known <<'TEXT'
ADD JAR none.jar: exit 0, 1 further statements
ADD JAR hdfs://127.0.0.1:1/none.jar: exit 0, 1 further statements
ADD FILE none.txt: exit 1, 0 further statements
ADD ARCHIVE none.zip: exit 1, 0 further statements
TEXT
cat seen
diff known seen || { echo 'the behavior has changed: update this finding' >&2; exit 1; }
