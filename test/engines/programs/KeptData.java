// Leaves files of a shuffle and cached partitions on its executors, waits for a file, and uses both again. Then it waits for another file, so that a test can
// ask the page of its driver. The arguments: how many executors it waits for, and the first file.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

public class KeptData {
  private static final int PARTS = 8;

  private static void waitFor(String file) throws InterruptedException {
    while (!Files.exists(Path.of(file))) Thread.sleep(100);
  }

  /** Slow enough that each executor gets some of them. */
  private static int slowly(int number) throws InterruptedException {
    Thread.sleep(300);
    return number;
  }

  public static void main(String[] args) throws InterruptedException {
    try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
      List<Integer> numbers = new ArrayList<>();
      for (int number = 0; number < PARTS; number += 1) numbers.add(number);
      // The driver is one of them.
      while (context.sc().statusTracker().getExecutorInfos().length <= Integer.parseInt(args[0])) Thread.sleep(100);
      JavaRDD<Integer> cached = context.parallelize(numbers, PARTS).map(KeptData::slowly).setName("cached").persist(StorageLevel.MEMORY_ONLY());
      JavaPairRDD<Integer, Integer> sums =
          context.parallelize(numbers, PARTS).mapToPair(number -> new Tuple2<>(slowly(number) % 3, 1)).reduceByKey(Integer::sum, 3);
      System.out.println("first: " + cached.count() + " " + sums.count());
      System.out.println("page: " + context.sc().uiWebUrl().get());
      waitFor(args[1]);
      System.out.println("second: " + cached.count() + " " + sums.count());
      waitFor(args[1] + ".end");
    }
  }
}
