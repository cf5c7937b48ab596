// Counts the words of a file on a Spark cluster and prints each with its number, the most frequent ones first. With a second argument it
// then sleeps for that many seconds on the executors, so that a test finds it at work.
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

public final class WordCount {
  public static void main(String[] args) throws Exception {
    try (JavaSparkContext spark = new JavaSparkContext()) {
      List<Tuple2<String, Integer>> counts = spark.textFile(args[0], 4)
          .flatMap(line -> Arrays.asList(line.toLowerCase().split("[^a-z]+")).iterator())
          .filter(word -> !word.isEmpty())
          .mapToPair(word -> new Tuple2<>(word, 1))
          .reduceByKey(Integer::sum)
          .collect();
      counts.stream()
          .sorted((one, other) -> other._2() - one._2())
          .limit(10)
          .forEach(count -> System.out.println(count._1() + " " + count._2()));
      if (args.length > 1) {
        List<Integer> parts = IntStream.range(0, 100).boxed().collect(Collectors.toList());
        long pauseMs = Long.parseLong(args[1]) * 10;
        spark.parallelize(parts, 100).foreach(part -> Thread.sleep(pauseMs));
      }
    }
  }
}
