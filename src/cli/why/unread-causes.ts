// What it means that an object could not be read. PURE.
import { didYouMean } from '../../lib/similar.ts';
import { sharedConnectionKind } from '../../operator/api/shared-api.ts';
import { inPlace, type Row } from './cause-row.ts';
import { type Step, untilGone } from './chain.ts';

export const ofReading: readonly Row[] = [
  {
    cause: 'KindNotServed',
    holds: ({ leaf }) => leaf.seen.state === 'kindAbsent',
    text: ({ leaf }) => `the API server does not serve the kind ${leaf.kind}`,
    todo: () => ['install the CRDs of this version: kubectl apply --server-side -k crds'],
    needsUser: true,
  },
  {
    // Users of a SharedConnection seldom may read it.
    cause: 'NotReadable',
    holds: ({ leaf }) =>
      leaf.seen.state === 'forbidden' && leaf.kind === sharedConnectionKind && leaf.because !== undefined,
    text: ({ leaf }) => `${leaf.because?.message ?? ''} (you may not read ${leaf.kind} ${leaf.name})`,
    todo: () => ['ask the administrator of the cluster, who shares this connection'],
    needsUser: true,
  },
  {
    cause: 'NotReadable',
    holds: ({ leaf }) => leaf.seen.state === 'forbidden',
    text: ({ leaf }) =>
      `you may not read ${leaf.kind} ${leaf.name}${inPlace(leaf)}${leaf.because ? `. Its user reports: ${leaf.because.message}` : ''}`,
    todo: ({ leaf }) => [
      `ask for the verb "get" on ${leaf.kind.toLowerCase()}.dataprocessing.dev${leaf.namespace === '' ? ' in a ClusterRole' : `${inPlace(leaf)}, as the role dataprocessing-operator-view has it`}`,
    ],
    needsUser: true,
  },
  {
    cause: 'ReadFailed',
    holds: ({ leaf }) => leaf.seen.state === 'failed',
    text: ({ leaf }) => (leaf.seen.state === 'failed' ? leaf.seen.why : ''),
    todo: () => ['check that the API server can be reached, and try again'],
    needsUser: true,
  },
  {
    cause: 'BlockerGone',
    holds: ({ leaf }) => leaf.seen.state === 'missing' && untilGone.includes(leaf.because?.reason ?? ''),
    text: ({ leaf }) => `${leaf.kind} ${leaf.name}, which was in the way, is gone by now`,
    todo: () => ['wait a moment: the operator continues by itself'],
    needsUser: false,
  },
  {
    cause: 'NotFound',
    holds: ({ leaf }) => leaf.seen.state === 'missing',
    text: ({ leaf, neighbours }) =>
      `${leaf.kind} ${leaf.name} does not exist${inPlace(leaf)}${didYouMean(leaf.name, neighbours)}`,
    todo: ({ leaf }) =>
      leaf.because === undefined
        ? [
            `look for it: kubectl get ${leaf.kind.toLowerCase()}.dataprocessing.dev${leaf.namespace === '' ? '' : ' -A'}`,
          ]
        : [`${createText(leaf)}. Its user reports: ${leaf.because.message}`],
    needsUser: true,
  },
];

function createText(leaf: Step): string {
  const what = `create ${leaf.kind} ${leaf.name}${inPlace(leaf)}`;
  return leaf.namespace === '' ? `ask the administrator of the cluster to ${what}` : what;
}
