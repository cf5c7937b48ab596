// Which events of what begins come at once, and which wait for a quick end.
import { expect, test } from 'vitest';
import { clusterKind } from '../../../src/operator/kinds/cluster/index.ts';
import { jobExecutionKind } from '../../../src/operator/kinds/job-execution/index.ts';
import { nodeGroupTemplateKind } from '../../../src/operator/kinds/node-group-template/index.ts';
import type { Kind } from '../../../src/operator/reconcile/kind/kind.ts';
import type { PassEvent } from '../../../src/operator/reconcile/outcome.ts';
import type { PassPorts } from '../../../src/operator/reconcile/pass-ports.ts';
import { report } from '../../../src/operator/reconcile/report.ts';
import { runOf } from './running.ts';
import { claimOf, clusterSpec, image, ledgerOf, resourceOf, templateSpec, usable } from './support.ts';

const specs = [
  [clusterKind, clusterSpec],
  [jobExecutionKind, { jobID: image, clusterID: image }],
  [nodeGroupTemplateKind, templateSpec],
] as const;

/** The events of a pass that asked the service for the deletion, a moment after it began. */
async function emitted(kind: Kind, spec: unknown): Promise<readonly string[]> {
  const told: string[] = [];
  const mine = resourceOf({ kind, spec, ledger: ledgerOf([claimOf({ id: 'id-1' })]), deleting: true });
  const silent = () => undefined;
  const changes = {
    store: { read: silent, list: () => [], writeStatus: async () => mine },
    events: { emit: ({ reason }: { readonly reason: string }) => void told.push(reason) },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  } as unknown as Partial<PassPorts>;
  const pass = runOf(usable(), mine, [mine], {}, changes);
  const event: PassEvent = { type: 'Normal', reason: 'Deleting', action: 'Delete', note: 'asked to delete it' };
  await report(pass, { result: 'progressed', reason: 'Deleting', message: event.note }, [event]);
  return told;
}

test.each([
  ['a cluster', specs[0], ['Deleting']],
  ['a run, which is stopped first', specs[1], ['Deleting']],
  ['a template, which the service deletes at once', specs[2], []],
] as const)('the deletion begins: %s', async (_what, [kind, spec], expected) => {
  expect(await emitted(kind, spec)).toEqual(expected);
});
