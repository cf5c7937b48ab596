// The command line of `npm run contract`: parsed, checked, explained. PURE.
import { parseArgs } from 'node:util';
import { type Access, dialects, type Target } from './description.ts';

export const help = `Usage: npm run contract -- --endpoint URL [flags]

Sends the requests of the contract suite to a service and compares its answers with the interface.
What it creates has names of its own and is deleted after each test; nothing else is changed.

  --endpoint URL       base address of the service, without version and tenant
  --dialect WORD       its vocabulary: neutral, sahara, savanna       (neutral)
  --token T            sent in X-Auth-Token
  --tenant X           the tenant to work in                          (contract)
  --other-tenant X     another one that the token is good for; tests of tenants need it

What the tests use. By default, the command asks the service:
  --plugin NAME        the plugin of templates and clusters           (the first enabled one)
  --version V          its version                                    (the last enabled one)
  --master-processes A,B    of the one machine that leads a cluster   (by their names)
  --worker-processes A,B    of the machines that do the work          (by their names)
  --flavor ID          a flavor; repeat it to add one that differs    (that of a template, or 2)
  --image ID           an image to start clusters from, registered, with the tags of the plugin
  --keypair NAME       a key pair of the cloud                        (that of a cluster, or my-key)
  --network ID         the network of clusters
  --pool ID            a pool of floating IP addresses
  --spare-image ID     an image that the tests may register and tag; two for all tests

How it is judged:
  --section N          only the tests of this section: 4.3; upstream: of what the releases of
                       the dialect do besides. May be repeated
  --ours yes|no        whether to judge wording, order and choices of the bundled service, too
                       (yes if the service describes itself as the bundled one)
  --max-clusters N     how many clusters the run may start; further tests are not applicable
  --timeout-s N        seconds that one test may take                 (120)
  --clean-up MARK      run no tests, but delete what a run that was killed has left. Its first
                       line shows the mark
  --help               this text

Ends with a line that sums up, and with 1 when a test failed or none passed.
`;

/** What was said about the service; what was not is to be found out. */
export interface Wishes {
  readonly plugin: string | undefined;
  readonly version: string | undefined;
  readonly masters: readonly string[] | undefined;
  readonly workers: readonly string[] | undefined;
  readonly flavors: readonly string[];
  readonly image: string | undefined;
  readonly keypair: string | undefined;
  readonly ours: boolean | undefined;
}

export interface Order {
  readonly access: Access;
  readonly wishes: Wishes;
  /** The rest of the target. */
  readonly terms: Omit<Target, keyof Access | 'ours' | 'scene'>;
  readonly timeoutMs: number;
  /** The mark of an earlier run, of which the rest is to be deleted. Undefined: the tests are to be run. */
  readonly cleanUp: string | undefined;
}

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true, default: [] as string[] } as const;
const options = {
  endpoint: text,
  dialect: { ...text, default: 'neutral' },
  token: text,
  tenant: { ...text, default: 'contract' },
  'other-tenant': text,
  plugin: text,
  version: text,
  'master-processes': text,
  'worker-processes': text,
  flavor: texts,
  image: text,
  keypair: text,
  network: text,
  pool: text,
  'spare-image': texts,
  section: texts,
  ours: text,
  'max-clusters': text,
  'timeout-s': { ...text, default: '120' },
  'clean-up': text,
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const bad = (problem: string): Error => new Error(`cannot read flags: ${problem}`);

function readEndpoint(endpoint = ''): string {
  if (endpoint === '') throw bad('--endpoint is missing: the base address of the service');
  const { protocol = '', search, hash } = URL.parse(endpoint) ?? {};
  if (!['http:', 'https:'].includes(protocol) || search || hash)
    throw bad('--endpoint must be an http or https address without query and fragment');
  return endpoint.replace(/\/+$/, '');
}

function readOurs(word: string | undefined): boolean | undefined {
  if (word !== undefined && word !== 'yes' && word !== 'no') throw bad('--ours must be yes or no');
  return word === undefined ? undefined : word === 'yes';
}

function readCount(flag: string, word: string | undefined): number {
  if (word === undefined) return Number.MAX_SAFE_INTEGER;
  if (!/^\d{1,9}$/.test(word)) throw bad(`--${flag} must be a whole number`);
  return Number(word);
}

function readList(flag: string, word: string | undefined): readonly string[] | undefined {
  const names = word?.split(',').map((name) => name.trim());
  if (names?.includes('') === true) throw bad(`--${flag} has an empty name`);
  return names;
}

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, strict: true }).values;
type Values = ReturnType<typeof parse>;

function readAccess({ endpoint, dialect: word, tenant, token }: Values): Access {
  const dialect = dialects.find((each) => each === word);
  if (dialect === undefined) throw bad(`--dialect must be one of ${dialects.join(', ')}`);
  return { endpoint: readEndpoint(endpoint), dialect, tenant, token };
}

const readWishes = ({ plugin, version, flavor, image, keypair, ours, ...more }: Values): Wishes => ({
  plugin,
  version,
  masters: readList('master-processes', more['master-processes']),
  workers: readList('worker-processes', more['worker-processes']),
  flavors: flavor,
  image,
  keypair,
  ours: readOurs(ours),
});

/** Of a run that begins now. */
const createMark = (): string => `t${Date.now().toString(36).slice(-6)}`;

function readMark(word: string | undefined): string | undefined {
  if (word !== undefined && !/^t[0-9a-z]{6}$/.test(word))
    throw bad('--clean-up must be the mark of a run, such as t0irccm');
  return word;
}

/** Undefined: only help is wanted. Throws `cannot read flags: ...`. */
export function readOrder(args: readonly string[]): Order | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const seconds = Number(values['timeout-s']);
  if (!(seconds > 0)) throw bad('--timeout-s must be a positive number');
  const cleanUp = readMark(values['clean-up']);
  const terms = {
    otherTenant: values['other-tenant'],
    network: values.network,
    pool: values.pool,
    spareImages: values['spare-image'],
    asked: values.section,
    maxClusters: readCount('max-clusters', values['max-clusters']),
    mark: cleanUp ?? createMark(),
  };
  return { access: readAccess(values), wishes: readWishes(values), terms, timeoutMs: seconds * 1000, cleanUp };
}
