import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * Writes, recovers and reads files in the HDFS of its class path. Commands come from the standard input, one a line, and each file has a thread of its own.
 *
 * write PATH: writes a new file until `close PATH`. Prints `acked PATH LENGTH` after each hsync, and `closed PATH LENGTH`.
 * recover PATH: takes the file from its writer, within two minutes. Prints `recovered PATH`.
 * read PATH: prints `read PATH LENGTH`, or `wrong PATH` if it has other bytes than were written.
 * Prints `failed COMMAND PATH: REASON` otherwise.
 */
public final class HdfsFiles {
  private static final int RECORD = 100;
  private static final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();
  private static final Set<String> closing = ConcurrentHashMap.newKeySet();
  private static DistributedFileSystem files;

  public static void main(String[] args) throws Exception {
    files = (DistributedFileSystem) new Path("/").getFileSystem(new Configuration());
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ", 2);
      if (words[0].equals("close")) closing.add(words[1]);
      else threads.computeIfAbsent(words[1], path -> Executors.newSingleThreadExecutor()).execute(() -> run(words));
    }
    // Its files stay open.
    Runtime.getRuntime().halt(0);
  }

  private static void run(String[] words) {
    try {
      if (words[0].equals("write")) write(words[1]);
      else if (words[0].equals("recover")) recover(words[1]);
      else read(words[1]);
    } catch (Throwable failure) {
      say("failed " + words[0] + " " + words[1] + ": " + String.valueOf(failure.getMessage()).split("\n")[0]);
    }
  }

  private static void write(String path) throws IOException, InterruptedException {
    FSDataOutputStream out = files.create(new Path(path), false);
    long length = 0;
    while (!closing.contains(path)) {
      for (int index = 0; index < RECORD; index++) out.write(byteAt(path, length + index));
      out.hsync();
      length += RECORD;
      say("acked " + path + " " + length);
      Thread.sleep(100);
    }
    out.close();
    say("closed " + path + " " + length);
  }

  private static void recover(String path) throws IOException, InterruptedException {
    long end = System.nanoTime() + 120_000_000_000L;
    while (!files.recoverLease(new Path(path))) {
      if (System.nanoTime() > end) throw new IOException("its last block is nowhere, so that it cannot be closed");
      Thread.sleep(500);
    }
    say("recovered " + path);
  }

  private static void read(String path) throws IOException {
    int length = (int) files.getFileStatus(new Path(path)).getLen();
    byte[] bytes = new byte[length];
    try (FSDataInputStream in = files.open(new Path(path))) {
      in.readFully(0, bytes);
    } catch (EOFException short_) {
      throw new IOException("it ends before its length", short_);
    }
    for (int index = 0; index < length; index++)
      if (bytes[index] != byteAt(path, index)) {
        say("wrong " + path);
        return;
      }
    say("read " + path + " " + length);
  }

  private static byte byteAt(String path, long index) {
    return (byte) ('a' + Math.floorMod(path.hashCode() + index % 977, 26));
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
