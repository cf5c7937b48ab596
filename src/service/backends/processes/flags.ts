// The flags of the provisioner that runs clusters as processes of this computer. PURE.
import { type FlagValues, flagsWith, numberFlag } from '../../../lib/flags.ts';
import type { EngineSource } from '../../engines/homes/engine-source.ts';
import { engineSources } from '../../engines/index.ts';
import type { realFlags } from '../flags.ts';

/** One for each name of sources. The type does not know them, so `givenHomes` reads them. */
const engineFlags: Readonly<Record<never, never>> = Object.fromEntries(
  engineSources.map(({ name, help }) => [name, { value: 'FOLDER', repeatable: true, help }]),
);

export const processFlags = {
  ...flagsWith(
    { flag: 'provisioner', values: ['processes'] },
    {
      machines: {
        value: 'FOLDER',
        help: 'where the machines are; default: the folder machines beside the file of --data, or $XDG_STATE_HOME/dataprocessing-service/machines',
      },
      ...engineFlags,
      java: {
        value: 'FILE',
        help: 'the Java that runs the engines, 17 or newer; default: that of JAVA_HOME, or of PATH',
      },
      'job-files': {
        value: 'FOLDER',
        help: 'the folder whose files jobs can name in URLs that begin with file:; default: none',
      },
      'history-credentials': {
        value: 'FILE',
        help: 'the keys of S3 for the event logs that outlive their clusters, in the form of ~/.aws/credentials, of its profile default; default: none, so that clusters with such logs are refused',
      },
      'stop-clusters': {
        help: 'end the processes of clusters and jobs when the service ends with SIGTERM or SIGINT. Without it they go on, and the next service finds them again',
      },
      'machine-memory': numberFlag(
        1,
        1e10 - 1,
        'how much memory all clusters and the programs of jobs can take, in MiB; default: what is available for clusters, and any for jobs',
      ),
    },
  ),
  'allow-affinity-violations': { help: 'accept anti_affinity, although all machines are here' },
  'i-trust-all-users': {
    help: 'allow a --host that others reach: they can then run programs as your user',
  },
} as const;

export type ProcessSettings = FlagValues<typeof processFlags & typeof realFlags>;

/** The folders that the flag of these sources names. */
export const givenHomes = (settings: ProcessSettings, name: EngineSource['name']): readonly string[] =>
  (settings as Readonly<Record<string, unknown>>)[name] as readonly string[];
