// The neutral literals of the tests in the words of another dialect, and its answers back. Typed from what real services say; PURE.

import { imageId } from '../literals.ts';
import type { Json } from '../peer.ts';
import type { Spoken, Target } from './target.ts';

type Pair = readonly [neutral: string, theirs: string];

/** Each word of a pair becomes the other one, so that what is foreign to one is foreign to the other. */
const vocabulary: Readonly<Record<Spoken, readonly Pair[]>> = {
  neutral: [],
  sahara: [
    ['bigdata_version', 'hadoop_version'],
    ['network_management_network', 'neutron_management_network'],
    ['_svc_', '_sahara_'],
  ],
  savanna: [
    ['bigdata_version', 'hadoop_version'],
    ['network_management_network', 'neutron_management_network'],
    ['_svc_', '_savanna_'],
    ['engine_job_id', 'oozie_job_id'],
    ['internal-db://', 'savanna-db://'],
  ],
};

/** Fields of upstream that the interface does not show: by collection, or of everything. */
const beyond = ['is_public', 'is_protected'];
const beyondClusters = [...beyond, 'tenant_id', 'created_at', 'updated_at', 'is_transient', 'status_description'];
const beyondByCollection: Readonly<Record<string, readonly string[]>> = {
  images: ['description', 'created', 'updated', 'OS-EXT-IMG-SIZE:size'],
  'node-group-templates': beyondClusters,
  'cluster-templates': beyondClusters,
  clusters: [...beyondClusters, 'storage_devices_number', 'network_management_network'],
};

function swap(text: string, pairs: readonly Pair[]): string {
  if (pairs.length === 0) return text;
  const other = new Map(pairs.flatMap(([one, two]) => [[one, two] as const, [two, one] as const]));
  const words = new RegExp([...other.keys()].toSorted((a, b) => b.length - a.length).join('|'), 'g');
  return text.replace(words, (word) => other.get(word) ?? word);
}

/** What the clouds call otherwise. */
const ofCloud = ({ image, keypair }: Target): readonly Pair[] => [
  ...(image === undefined ? [] : [[imageId, image] as const]),
  ...(keypair === undefined ? [] : [['my-key', keypair] as const]),
];

/** JSON or a name, in their words. Where a test speaks the dialect itself, only the cloud differs. */
export const toTheirs = (target: Target, text: string, literal: boolean): string =>
  swap(text, [...ofCloud(target), ...(literal ? [] : vocabulary[target.dialect])]);

/** What is not set is left out in neutral answers, and so is what the interface does not show. */
function pruned(value: Json, names: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item) => pruned(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, inner]) => inner !== null && !names.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, pruned(inner, names)]));
}

/** An answer about a collection as text, in neutral words. */
export function toNeutral(target: Target, text: string, literal: boolean): string {
  const owner = text.replaceAll(`"tenant_id":${JSON.stringify(target.tenant)}`, '"tenant_id":"t"');
  return swap(owner.replace(/\\nError ID: [0-9a-f-]{36}/g, literal ? '$&' : ''), [
    ...ofCloud(target),
    ...(literal ? [] : vocabulary[target.dialect]),
  ]);
}

/** Upstream gives groups identifiers, too. */
const withoutId = (group: Json): Json => {
  const { id: _, ...fields } = group;
  return fields;
};

function withPlainGroups(body: Json): Json {
  if (Array.isArray(body)) return body.map(withPlainGroups);
  if (typeof body !== 'object' || body === null) return body;
  const plain = ([key, value]: [string, Json]) => [
    key,
    key === 'node_groups' && Array.isArray(value) ? value.map(withoutId) : withPlainGroups(value),
  ];
  return Object.fromEntries(Object.entries<Json>(body).map(plain));
}

/** The body of an answer about a collection, as far as the interface shows it. */
export const toShown = (dialect: Spoken, collection: string, body: Json): Json =>
  dialect === 'neutral' ? body : withPlainGroups(pruned(body, new Set(beyondByCollection[collection] ?? beyond)));
