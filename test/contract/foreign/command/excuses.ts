// Refusals that break no rule of the interface: plugins have rules of their own, and clouds have things of their own.
import { scene, unknownId } from '../../literals.ts';
import type { Json, Reply } from '../../peer.ts';
import { anyPool, type Target } from './description.ts';

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

/** Fields of what only a cloud has, and tests name as they like. */
const ofClouds: Readonly<Record<string, string>> = {
  availability_zone: 'availability zones',
  volumes_availability_zone: 'availability zones of volumes',
  volume_type: 'types of volumes',
  security_groups: 'security groups',
  shares: 'shares',
};

/** The first of these fields that has a value, at any depth. */
function cloudFieldOf(sent: Json): string | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const named = Object.entries<Json>(sent).find(([name, value]) => Object.hasOwn(ofClouds, name) && value?.length > 0);
  return (
    named?.[0] ??
    Object.values<Json>(sent)
      .map(cloudFieldOf)
      .find((found) => found !== undefined)
  );
}

/** Whether a group anywhere in it gets volumes. */
function asksForVolumes(sent: Json): boolean {
  if (typeof sent !== 'object' || sent === null) return false;
  return (sent.volumes_per_node > 0 && sent.volumes_size > 0) || Object.values<Json>(sent).some(asksForVolumes);
}

const ofCloud = ({ network, pool }: Target): readonly (readonly [word: string, need: string])[] => [
  [scene.keypair, 'it needs a key pair of the cloud: --keypair'],
  ...(pool === undefined ? [[anyPool, 'it needs a pool of floating IP addresses: --pool'] as const] : []),
  ...(network === undefined
    ? [anyNetwork, unknownId].map((word) => [word, 'it needs a network of the cloud: --network'] as const)
    : []),
];

const counts = (sent: Json): number =>
  [...(sent?.node_groups ?? []), ...(sent?.resize_node_groups ?? [])].reduce(
    (sum: number, { count = 0 }: Json) => sum + (Number.isInteger(count) ? count : 0),
    0,
  );

/** A router answers without the name of an error where the service has no such route. */
const isWithoutRoute = ({ status, body }: Reply): boolean =>
  [405, 501].includes(status) || (status === 404 && body?.error_name === undefined);

/** As the value of a field that names something of the cloud. */
const isNamed = (sent: string, word: string): boolean =>
  ['user_keypair_id', 'floating_ip_pool', 'network_management_network', 'neutron_management_network'].some((field) =>
    sent.includes(`"${field}":"${word}"`),
  );

/** Why the answer to a write says nothing about the interface. Undefined: it does. */
export function excuseOf(target: Target, collection: string, sent: Json, reply: Reply): string | undefined {
  const { status, body, text } = reply;
  if (collection === 'images' && sent !== undefined && isWithoutRoute(reply)) return 'the service registers no images';
  const name = String(body?.error_name);
  const field = cloudFieldOf(sent);
  // A service without a client for the part of the cloud cannot even look.
  if (field !== undefined && (status === 500 || ['NOT_FOUND', 'INVALID_REFERENCE'].includes(name)))
    return `it needs ${ofClouds[field]} of the cloud`;
  if (status !== 400) return undefined;
  if (name === 'INVALID_REFERENCE' && /cinder/i.test(text) && asksForVolumes(sent))
    return 'it needs volumes of the cloud';
  const sentWords = JSON.stringify(sent ?? '');
  const found = ofCloud(target).find(([word]) => text.includes(word) && isNamed(sentWords, word));
  if (name === 'NOT_FOUND' && found !== undefined) return found[1];
  if (collection !== 'clusters') return undefined;
  if (ofPlugins.has(name)) return `plugin ${scene.plugin} refuses such clusters: ${name}`;
  if (name === 'QUOTA_ERROR' && counts(sent) < 100) return 'it needs more of the quota of the tenant';
  return undefined;
}
