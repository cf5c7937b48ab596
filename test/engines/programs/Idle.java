// Counts with a shuffle, waits until its executors are gone, and counts again.
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

public class Idle {
  private static int executors(JavaSparkContext context) {
    // The driver is one of them.
    return context.sc().statusTracker().getExecutorInfos().length - 1;
  }

  private static long count(JavaSparkContext context) {
    List<Integer> numbers = new ArrayList<>();
    for (int number = 0; number < 100; number += 1) numbers.add(number);
    return context.parallelize(numbers, 4).groupBy(number -> number % 7).count();
  }

  public static void main(String[] args) throws InterruptedException {
    try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
      System.out.println("first: " + count(context) + ", has executors: " + (executors(context) > 0));
      while (executors(context) > 0) Thread.sleep(100);
      System.out.println("has no executors");
      System.out.println("second: " + count(context));
    }
  }
}
