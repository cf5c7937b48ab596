// Refusals that break no rule of the interface: plugins have rules of their own, and clouds have things of their own.
import { scene } from '../literals.ts';
import type { Json, Reply } from '../peer.ts';
import type { Target } from './description.ts';

/** What plugins say of the groups and counts of a cluster. */
const ofPlugins = new Set([
  'CLUSTER_CANNOT_BE_SCALED',
  'IMAGE_SPECIFICATION_ERROR',
  'IMAGE_VALIDATION_FAILED',
  'INVALID_COMPONENT_COUNT',
  'INVALID_CONFIGURATION',
  'INVALID_TOPOLOGY',
  'MISSING_SERVICE',
  'NODE_GROUP_CANNOT_BE_SCALED',
]);

/** Late releases start no cluster without a network, and refuse one that is not there. */
export const anyNetwork = '00000000-0000-4000-8000-0000000000ff';

const ofCloud = ({ network }: Target): readonly (readonly [word: string, need: string])[] => [
  [scene.keypair, 'it needs a key pair of the cloud: --keypair'],
  ...(network === undefined ? [[anyNetwork, 'it needs a network of the cloud: --network'] as const] : []),
];

const counts = (sent: Json): number =>
  [...(sent?.node_groups ?? []), ...(sent?.resize_node_groups ?? [])].reduce(
    (sum: number, { count = 0 }: Json) => sum + (Number.isInteger(count) ? count : 0),
    0,
  );

/** A router answers without the name of an error where the service has no such route. */
const isWithoutRoute = ({ status, body }: Reply): boolean =>
  [405, 501].includes(status) || (status === 404 && body?.error_name === undefined);

/** Why the answer to a write says nothing about the interface. Undefined: it does. */
export function excuseOf(target: Target, collection: string, sent: Json, reply: Reply): string | undefined {
  const { status, body, text } = reply;
  if (collection === 'images' && sent !== undefined && isWithoutRoute(reply)) return 'the service registers no images';
  if (status !== 400 || collection !== 'clusters') return undefined;
  const name = String(body?.error_name);
  if (ofPlugins.has(name)) return `plugin ${scene.plugin} refuses such clusters: ${name}`;
  if (name === 'QUOTA_ERROR' && counts(sent) < 100) return 'it needs more of the quota of the tenant';
  const sentWords = JSON.stringify(sent ?? '');
  const found = ofCloud(target).find(([word]) => text.includes(word) && sentWords.includes(`"${word}"`));
  return name === 'NOT_FOUND' ? found?.[1] : undefined;
}
