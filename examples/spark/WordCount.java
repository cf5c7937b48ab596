import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Prints the most frequent words of a text. Arguments: the URL of the text, and how many words to print.
 *
 * To compile it:
 *
 *   javac -cp "$SPARK_HOME/jars/*" WordCount.java
 *   jar --create --file word-count.jar WordCount.class
 */
public final class WordCount {
  public static void main(String[] args) {
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
      JavaPairRDD<String, Integer> counts =
          spark
              .textFile(args[0], 4)
              .flatMap(line -> Arrays.asList(line.toLowerCase(Locale.ROOT).split("[^a-z]+")).iterator())
              .filter(word -> word.length() > 3)
              .mapToPair(word -> new Tuple2<>(word, 1))
              .reduceByKey(Integer::sum);
      List<Tuple2<Integer, String>> frequent =
          counts.mapToPair(Tuple2::swap).sortByKey(false).take(Integer.parseInt(args[1]));
      for (Tuple2<Integer, String> each : frequent) System.out.printf("%6d %s%n", each._1(), each._2());
    }
  }
}
