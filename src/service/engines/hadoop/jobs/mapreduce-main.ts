// A program for jobs of MapReduce that consist of settings only. Java compiles it when it starts it.

export const runnerFile = 'Run.java';

/** The settings are in mapred-site.xml. The arguments are input and output. */
export const runnerSource = `\
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

public class Run {
  public static void main(String[] args) throws Exception {
    Job job = Job.getInstance(new JobConf());
    FileInputFormat.setInputPaths(job, args[0]);
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    System.exit(job.waitForCompletion(true) ? 0 : 1);
  }
}
`;
