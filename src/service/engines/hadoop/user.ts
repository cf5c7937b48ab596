// The user by whose name HDFS and YARN know the programs of a cluster. Service and programs use the same one.
import { userInfo } from 'node:os';
import type { Engine, EngineNode, Hdfs } from '../engine.ts';
import { type HadoopHome, hdfsOf } from './launch.ts';

/** That of all programs in pods, whatever the user of their image is called: they get it in the variable that Hadoop reads. */
const podUser = 'hadoop';
/** What programs in pods get therefore. */
export const variablesOf = ({ image }: Pick<HadoopHome, 'image'>): Pick<Engine, 'variables'> =>
  image === undefined ? {} : { variables: { HADOOP_USER_NAME: podUser } };

/**
 * That of programs on this computer, which Java takes from the system. Throws an Error with the remedy if the user has no name: without one, every program
 * would fail later, for a reason that is hard to find.
 */
export function localUser(): string {
  try {
    return userInfo().username;
  } catch (cause) {
    const why = 'Spark and Hadoop need one: add the user to /etc/passwd, or run the service as another one';
    throw new Error(`user ${process.getuid?.() ?? ''} of the service has no name, but ${why}`, { cause });
  }
}

/** That of the clusters of this installation. */
export const userOf = ({ image }: Pick<HadoopHome, 'image'>): string => (image === undefined ? localUser() : podUser);

/** The HDFS of a cluster, from its machines. Undefined if it has none. */
export const hdfsFor =
  (home: Pick<HadoopHome, 'image'>) =>
  (nodes: readonly EngineNode[]): Hdfs | undefined => {
    const hdfs = hdfsOf(nodes);
    return hdfs && { ...hdfs, user: userOf(home) };
  };
