import java.util.Arrays;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Counts its arguments but the first one, which is how many milliseconds each of them takes. */
public class CountWords {
  public static void main(String[] args) throws Exception {
    long pause = Long.parseLong(args[0]);
    String[] words = Arrays.copyOfRange(args, 1, args.length);
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
    var counts =
        environment
            .fromData(words)
            .map(
                word -> {
                  Thread.sleep(pause);
                  return Tuple2.of(word, 1);
                })
            .returns(Types.TUPLE(Types.STRING, Types.INT))
            .keyBy(pair -> pair.f0)
            .sum(1);
    try (var found = counts.executeAndCollect()) {
      found.forEachRemaining(pair -> System.out.println(pair.f0 + " " + pair.f1));
    }
  }
}
