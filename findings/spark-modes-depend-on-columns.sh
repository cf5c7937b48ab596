#!/usr/bin/env bash
# Which lines of a CSV or JSON file Spark finds malformed depends on the columns that the query reads.
#
# Versions   PySpark 4.1.2, with Java 17
# Input      three lines for the columns a INT and b STRING. In the second one, a is no number.
# Expected   DROPMALFORMED leaves out the line in every query, so that count() is the number of rows of collect(). FAILFAST
#            fails in every query.
# Seen       Only a query that reads a notices. count() counts the line that collect() leaves out, and FAILFAST passes for
#            count() and for b alone. Without the pruning of columns by the CSV parser it is the same.
# Meaning    A check that compares count() with the rows that were written finds a difference that is none, and a job with
#            FAILFAST that reads few columns accepts a broken file. After cache(), all columns are read.
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

printf '1,x\nmany,y\n3,z\n' > "$work/rows.csv"
printf '{"a":1,"b":"x"}\n{"a":"many","b":"y"}\n{"a":3,"b":"z"}\n' > "$work/rows.json"
cat > "$work/modes.py" <<'PY'
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
queries = {
    "count()": lambda rows: rows.count(),
    "rows of a and b": lambda rows: len(rows.collect()),
    "rows of b": lambda rows: len(rows.select("b").collect()),
    "cache().count()": lambda rows: rows.cache().count(),
}


def result_of(kind, mode, pruning, query):
    spark.conf.set("spark.sql.csv.parser.columnPruning.enabled", pruning)
    rows = spark.read.schema("a INT, b STRING").option("mode", mode).format(kind).load(f"{sys.argv[1]}/rows.{kind}")
    try:
        return query(rows)
    except Exception:
        return "fails"
    finally:
        spark.catalog.clearCache()


with open(sys.argv[1] + "/seen", "w") as seen:
    for kind, mode, pruning in [
        ("csv", "DROPMALFORMED", "true"),
        ("csv", "FAILFAST", "true"),
        ("csv", "DROPMALFORMED", "false"),
        ("json", "DROPMALFORMED", "true"),
    ]:
        results = [f"{name}: {result_of(kind, mode, pruning, query)}" for name, query in queries.items()]
        print(f"{kind} {mode}, pruning {pruning}: {', '.join(results)}", file=seen)
PY
"$SPARK_HOME/bin/spark-submit" --master 'local[1]' --conf spark.ui.enabled=false --conf spark.log.level=OFF \
  "$work/modes.py" "$work" > "$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 2; }

cat > "$work/known" <<'TEXT'
csv DROPMALFORMED, pruning true: count(): 3, rows of a and b: 2, rows of b: 3, cache().count(): 2
csv FAILFAST, pruning true: count(): 3, rows of a and b: fails, rows of b: 3, cache().count(): fails
csv DROPMALFORMED, pruning false: count(): 3, rows of a and b: 2, rows of b: 3, cache().count(): 2
json DROPMALFORMED, pruning true: count(): 3, rows of a and b: 2, rows of b: 3, cache().count(): 2
TEXT
cat "$work/seen"
diff "$work/known" "$work/seen" || { echo 'the behavior has changed: update this finding' >&2; exit 1; }
