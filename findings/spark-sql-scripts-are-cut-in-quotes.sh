#!/usr/bin/env bash
# spark-sql cuts a script at semicolons within quoted names, and joins statements after a raw text.
#
# Versions   PySpark 4.1.2, with Java 17
# Input      scripts of one or two statements that spark.sql() runs one by one
# Expected   spark-sql -f runs them, as it does if the semicolon is in a text or in a comment
# Seen       A semicolon in a name in backquotes ends the statement, which is a syntax error. After r'\', which is a whole text
#            in Spark SQL, the rest of the script belongs to the same statement, which is a syntax error, too.
# Meaning    What divides a script does not know all that the grammar knows. Run such statements with spark.sql().
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
options=(--master 'local[1]' --conf spark.ui.enabled=false --conf spark.log.level=OFF)

cat > text.sql <<'SQL'
SELECT 'a;b'; SELECT /* c;d */ 1
SQL
cat > name.sql <<'SQL'
SELECT 1 AS `a;b`
SQL
cat > raw.sql <<'SQL'
SELECT r'\'; SELECT 1
SQL
cat > statements.py <<'PY'
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
for name, statements in {
    "text": ["SELECT 'a;b'", "SELECT /* c;d */ 1"],
    "name": ["SELECT 1 AS `a;b`"],
    "raw": [r"SELECT r'\'", "SELECT 1"],
}.items():
    print("SEEN", name, "with spark.sql():", [spark.sql(one).first()[0] for one in statements])
PY
{
  "$SPARK_HOME/bin/spark-submit" "${options[@]}" statements.py 2> log | sed -n 's/^SEEN //p'
  for name in text name raw; do
    status=0
    "$SPARK_HOME/bin/spark-sql" "${options[@]}" -f "$name.sql" > out 2>> log || status=$?
    error=$(grep -m1 -oh 'PARSE_SYNTAX_ERROR' out log || true)
    echo "$name with spark-sql -f: exit $status${error:+, $error}"
    : > log
  done
} > seen

cat > known <<'TEXT'
text with spark.sql(): ['a;b', 1]
name with spark.sql(): [1]
raw with spark.sql(): ['\\', 1]
text with spark-sql -f: exit 0
name with spark-sql -f: exit 1, PARSE_SYNTAX_ERROR
raw with spark-sql -f: exit 1, PARSE_SYNTAX_ERROR
TEXT
cat seen
diff known seen || { echo 'the behavior has changed: update this finding' >&2; exit 1; }
