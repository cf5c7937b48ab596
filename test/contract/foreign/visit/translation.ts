// The neutral literals of the tests in the words of another dialect, and its answers back. Typed from what real services say. PURE.

import type { Spoken, Target } from '../command/description.ts';

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

/** The word itself in a regular expression. */
export const escaped = (word: string): string => word.replaceAll(/[^\w]/g, '\\$&');

function swap(text: string, pairs: readonly Pair[]): string {
  if (pairs.length === 0) return text;
  const other = new Map(pairs.flatMap(([one, two]) => [[one, two] as const, [two, one] as const]));
  const longestFirst = [...other.keys()].toSorted((a, b) => b.length - a.length);
  const words = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  return text.replace(words, (word) => other.get(word) ?? word);
}

/** The images that the tests register and tag. */
export const testImages = ['2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58', '91d3f7b4-5e20-4c8a-b6f9-0a7d2e4c8b13'] as const;

/** What stands for them in the cloud. */
const ofCloud = ({ spareImages }: Target): readonly Pair[] =>
  spareImages.slice(0, testImages.length).map((image, index) => [testImages[index] ?? '', image]);

/** JSON or a name, in their words. Where a test speaks the dialect itself, only the cloud differs. */
export const toTheirs = (target: Target, text: string, literal: boolean): string =>
  swap(text, [...ofCloud(target), ...(literal ? [] : vocabulary[target.dialect])]);

/** An answer about a collection as text, in neutral words. */
export function toNeutral(target: Target, text: string, literal: boolean): string {
  const owned = new RegExp(`("tenant_id":\\s*)${escaped(JSON.stringify(target.tenant))}`, 'g');
  return swap(text.replaceAll(owned, '$1"t"').replace(/\\nError ID: [0-9a-f-]{36}/g, literal ? '$&' : ''), [
    ...ofCloud(target),
    ...(literal ? [] : vocabulary[target.dialect]),
  ]);
}
