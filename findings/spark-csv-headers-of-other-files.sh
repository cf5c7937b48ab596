#!/usr/bin/env bash
# Spark reads the columns of a folder of CSV files by position, although each file has a header that names them.
#
# Versions   PySpark 4.1.2, with Java 17
# Input      a folder with two files. Both have a header with the columns price and amount, in different orders.
# Expected   each value under the name that the header of its own file gives it, as with JSON and Parquet, or an error
# Seen       The header of one of the files holds for all of them, without an error. Which one depends on the order in which
#            the file system lists them. With enforceSchema=false, Spark compares the headers and fails.
# Meaning    If the program that writes the files changes the order of its columns, sums are wrong from then on. Set
#            enforceSchema to false wherever a folder is read with header=true.
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

mkdir "$work/csv" "$work/json"
printf 'price,amount\n100,1\n' > "$work/csv/1.csv"
printf 'amount,price\n2,100\n' > "$work/csv/2.csv"
printf '{"price":100,"amount":1}\n' > "$work/json/1.json"
printf '{"amount":2,"price":100}\n' > "$work/json/2.json"
cat > "$work/headers.py" <<'PY'
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()


def sums(rows):
    try:
        price, amount = rows.selectExpr("int(sum(price))", "int(sum(amount))").first()
        return "right sums" if (price, amount) == (200, 3) else "wrong sums"
    except Exception as error:
        return "fails" if "CSV header does not conform to the schema" in str(error) else f"fails: {error}"


csv = spark.read.option("header", True)
with open(sys.argv[1] + "/seen", "w") as seen:
    folder = sys.argv[1]
    print("csv:", sums(csv.csv(folder + "/csv")), file=seen)
    print("csv, inferSchema:", sums(csv.csv(folder + "/csv", inferSchema=True)), file=seen)
    print("csv, enforceSchema=false:", sums(csv.csv(folder + "/csv", enforceSchema=False)), file=seen)
    print("json:", sums(spark.read.json(folder + "/json")), file=seen)
PY
"$SPARK_HOME/bin/spark-submit" --master 'local[1]' --conf spark.ui.enabled=false --conf spark.log.level=OFF \
  "$work/headers.py" "$work" > "$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 2; }

cat > "$work/known" <<'TEXT'
csv: wrong sums
csv, inferSchema: wrong sums
csv, enforceSchema=false: fails
json: right sums
TEXT
cat "$work/seen"
diff "$work/known" "$work/seen" || { echo 'the behavior has changed: update this finding' >&2; exit 1; }
