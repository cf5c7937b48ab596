// What a test asks of its own service and a foreign one cannot be made to have.
import { TestRunner } from 'vitest';
import type { Catalog } from '../../../src/service/model/catalog/catalog.ts';
import type { ServerOptions } from '../../../src/service/program/options.ts';
import type { Peer } from '../peer.ts';
import { sectionOf } from './command/rules.ts';
import { cannotTry, type Target } from './target.ts';
import { toTheirs } from './visit/translation.ts';

/** By option of the service. */
const reasons: Readonly<Record<string, string>> = {
  clock: 'it moves the clock of the service',
  stageMs: 'it sets how long each status lasts',
  keystone: 'it needs a Keystone of its own',
  identity: 'it needs log-ins of its own',
  onRequest: 'it looks on from inside the service',
};

/** The token that stands for the one of the run. */
export const tokenOfTests = 'secret';

function judgeGrants(grants: NonNullable<ServerOptions['grants']>, { token }: Target): void {
  const [first, ...more] = grants;
  if (first === undefined && token !== undefined) cannotTry('it needs a service that asks for no token');
  if (first === undefined) return;
  if (token === undefined) cannotTry('it needs a service that asks for a token: --token');
  if (more.length > 0 || first.tenant !== undefined) cannotTry('it needs tokens of other tenants');
}

/** Images that nobody has registered can be had anywhere; they only have to be there. */
async function judgeCatalog(asOwner: Peer, target: Target, { images, ...others }: Partial<Catalog>): Promise<void> {
  if (images === undefined || Object.keys(others).length > 0 || images.some(({ registered }) => registered))
    cannotTry('it needs a catalog of its own: images, flavors, plugins or a quota');
  const { dialect, tenant } = target;
  const home = `/${dialect === 'sahara' ? 'v1.1' : 'v1.0'}/${encodeURIComponent(tenant)}`;
  for (const { id } of images)
    if ((await asOwner.get(`${home}/images/${toTheirs(target, id, true)}`)).status === 404)
      cannotTry('it needs images that tests may register and tag: two times --spare-image');
}

/** What real services do where the interface leaves it open. */
const open: Readonly<Record<string, string>> = {
  '8': 'bounds of fields',
  upstream: 'what the releases of a dialect do besides it',
};

function judgeSection({ ours, asked }: Target, isLiteral: boolean): void {
  const own = sectionOf(TestRunner.getCurrentTest()?.file.filepath ?? '');
  const section = isLiteral ? 'upstream' : own;
  const what = open[section];
  if (ours || what === undefined || asked.includes(section)) return;
  const flags = [...new Set([own, section])].map((each) => `--section ${each}`).join(' ');
  cannotTry(`the interface does not promise ${what}: ${flags} judges it all the same`);
}

/** Ends the test where the target is not what it asks for. */
export async function judge(asOwner: Peer, target: Target, options: Partial<ServerOptions>): Promise<void> {
  const { dialect, grants, catalog, ...others } = options;
  judgeSection(target, dialect !== undefined && dialect === target.dialect);
  if (dialect !== undefined && dialect !== target.dialect) cannotTry(`it is about the dialect ${dialect}`);
  const [option] = Object.keys(others);
  if (option !== undefined) cannotTry(reasons[option] ?? `it needs a service of its own, with ${option}`);
  if (grants !== undefined) judgeGrants(grants, target);
  if (catalog !== undefined) await judgeCatalog(asOwner, target, catalog);
}
