// The neutral literals of the tests in the words of another dialect, and its answers back. Typed from what real services say. PURE.

import { imageId } from '../literals.ts';
import type { Spoken, Target } from './description.ts';

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

function swap(text: string, pairs: readonly Pair[]): string {
  if (pairs.length === 0) return text;
  const other = new Map(pairs.flatMap(([one, two]) => [[one, two] as const, [two, one] as const]));
  const longestFirst = [...other.keys()].toSorted((a, b) => b.length - a.length);
  const words = new RegExp(longestFirst.map((word) => word.replaceAll(/[^\w]/g, '\\$&')).join('|'), 'g');
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

/** An answer about a collection as text, in neutral words. */
export function toNeutral(target: Target, text: string, literal: boolean): string {
  const owner = text.replaceAll(`"tenant_id":${JSON.stringify(target.tenant)}`, '"tenant_id":"t"');
  return swap(owner.replace(/\\nError ID: [0-9a-f-]{36}/g, literal ? '$&' : ''), [
    ...ofCloud(target),
    ...(literal ? [] : vocabulary[target.dialect]),
  ]);
}
