// Counts equal lines of a file on a Spark cluster, and writes each with its number to a folder.
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

public final class CountLines {
  public static void main(String[] args) {
    try (JavaSparkContext spark = new JavaSparkContext()) {
      spark.textFile(args[0], 2)
          .mapToPair(line -> new Tuple2<>(line, 1))
          .reduceByKey(Integer::sum)
          .sortByKey()
          .map(count -> count._1() + " " + count._2())
          .coalesce(1)
          .saveAsTextFile(args[1]);
    }
  }
}
