// What starting any program of Flink takes.
import { join } from 'node:path';
import { type Command, type EngineNode, nodesWith } from '../engine.ts';
import { manager } from './options.ts';
import { jarFolder } from './source.ts';

/** The installation, and the Java that runs it. */
export interface FlinkHome {
  readonly folder: string;
  readonly java: string;
  /** It is in an image: then a machine has all addresses of its pod to itself. */
  readonly isImage?: boolean;
}

export const ports = { rest: 8081, manager: 6123, blobs: 6124, worker: 6122, data: 6121 } as const;

/** What Flink needs of Java 17, as its own configuration opens it. */
const opened = [
  'java.lang',
  'java.lang.reflect',
  'java.io',
  'java.net',
  'java.nio',
  'java.text',
  'java.time',
  'java.util',
  'java.util.concurrent',
  'java.util.concurrent.atomic',
  'java.util.concurrent.locks',
  'sun.nio.ch',
].map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);
const exported = ['java.base/sun.net.util', 'java.rmi/sun.rmi.registry', 'java.security.jgss/sun.security.krb5'].map(
  (name) => `--add-exports=${name}=ALL-UNNAMED`,
);

/** A text of YAML for each setting: JSON is YAML. */
export const configOf = (settings: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(String(value))}\n`)
    .join('');

const logFile = 'log4j2.properties';

/** A client warns of parts that nobody needs here, in the output of jobs. */
type LogLevel = 'info' | 'error';

/** Everything goes to the standard output, which the service keeps. */
const logging = (level: LogLevel): string => `rootLogger.level = ${level}
rootLogger.appenderRef.console.ref = console
appender.console.name = console
appender.console.type = Console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %p %c{1}: %m%n
`;

/** The files of a program, with the folder that its temporary files are in. */
export const filesIn = (folder: string, settings: Parameters<typeof configOf>[0], level: LogLevel) => ({
  [join(folder, 'config.yaml')]: configOf(settings),
  [join(folder, logFile)]: logging(level),
  [join(folder, 'tmp', '.keep')]: '',
});

interface FlinkProgram {
  /** The folder with these files. */
  readonly conf: string;
  /** Flags of the virtual machine that limit its memory. */
  readonly memory: readonly string[];
  readonly main: string;
  readonly args: readonly string[];
}

export const commandOf = (home: FlinkHome, { conf, memory, main, args }: FlinkProgram): Command => ({
  file: home.java,
  args: [
    ...memory,
    '-XX:+UseSerialGC',
    '-XX:-UsePerfData',
    `-Djava.io.tmpdir=${join(conf, 'tmp')}`,
    `-Dlog4j.configurationFile=${join(conf, logFile)}`,
    ...opened,
    ...exported,
    '-cp',
    [conf, join(home.folder, jarFolder, '*')].join(':'),
    main,
    ...args,
  ],
  env: { FLINK_HOME: home.folder, FLINK_CONF_DIR: conf },
});

/** Where the REST API and the pages are. Undefined if the cluster has no job manager. */
export const restOf = (nodes: readonly EngineNode[]): string | undefined =>
  nodesWith(nodes, manager).map(({ address }) => `http://${address}:${ports.rest}`)[0];
