// What simulated users do in order with one object, and what they do not wait with.
import { describe, expect, it } from 'vitest';
import { takeOverAnnotation } from '../../../src/operator/api/shared-api.ts';
import { type Deed, elsewhere, type Step } from '../plan/plan.ts';
import { small } from '../plan/worlds.ts';
import { run } from '../run.ts';

const template = { kind: 'NodeGroupTemplate', name: 'worker' } as const;
const edit = (at: number, spec: object): Step => ({ at, deed: { does: 'edit', ...template, spec } });
const does = (at: number, deed: Deed): Step => ({ at, deed });

/** Suspended before it is made in the service, and resumed at 20 s. */
const suspendedFirst = (...meanwhile: readonly Step[]): readonly Step[] => [
  ...small.steps,
  edit(0, { suspend: true }),
  ...meanwhile,
  edit(20_000, { suspend: false }),
];

type Applied = Extract<Deed, { readonly does: 'apply' }>;
const isTemplate = (deed: Deed): deed is Applied =>
  deed.does === 'apply' && deed.kind === template.kind && deed.name === template.name;

/** The name of what the template has in the service tells its content. */
const claimsIn = (end: readonly object[]): unknown =>
  (end as readonly { readonly name: string; readonly claims?: unknown }[]).find(({ name }) => name === template.name)
    ?.claims;

describe('a user who waits for the ledger of what is suspended', () => {
  it.each<readonly [string, readonly Step[], string]>([
    ['to restore it', [does(10_000, { does: 'restore', ...template, from: 'here' })], 'restore from here'],
    [
      'to restore it elsewhere, and to let it be taken over',
      [
        does(10_000, { does: 'restore', ...template, from: 'elsewhere' }),
        does(12_000, { does: 'annotate', ...template, annotation: takeOverAnnotation, value: elsewhere }),
      ],
      'restore from elsewhere',
    ],
    ['to take it away', [does(10_000, { does: 'lose ledger', ...template })], 'lose ledger'],
    ['to copy it', [does(10_000, { does: 'copy', ...template, to: 'other' })], 'copy'],
  ])('%s resumes it meanwhile', async (_, meanwhile, hit) => {
    const { violations, hits } = await run({ ...small, steps: suspendedFirst(...meanwhile) });
    expect(violations).toEqual([]);
    expect(hits.get(hit)).toBe(1);
  });

  it('makes the edits up to then in their order', async () => {
    const steps = suspendedFirst(
      does(5_000, { does: 'restore', ...template, from: 'here' }),
      edit(10_000, { suspend: true, flavorID: '4' }),
      edit(15_000, { flavorID: '3' }),
    );
    const wanted = await run({ ...small, steps: [...small.steps, edit(5_000, { flavorID: '3' })] });
    const { violations, end } = await run({ ...small, steps });
    expect(violations).toEqual([]);
    expect(claimsIn(end)).toEqual(claimsIn(wanted.end));
  });

  it('restores it as it was, so that it ends as where nobody had to wait', async () => {
    const trouble = { what: 'service loses', part: 'refused', method: 'POST', share: 1, lateMs: 0 } as const;
    const steps: readonly Step[] = [
      ...small.steps,
      edit(3_000, { suspend: true, flavorID: '4' }),
      does(5_000, { does: 'restore', ...template, from: 'here' }),
      edit(20_000, { suspend: false }),
    ];
    const { violations, hits } = await run({ ...small, steps, faults: [{ at: 0, ms: 10_000, trouble }] });
    expect(violations).toEqual([]);
    expect(hits.get('suspended before a write')).toBeGreaterThan(0);
  });

  it('leaves what goes as it is: the edits are for what is made anew', async () => {
    const { spec } = small.steps.map(({ deed }) => deed).find(isTemplate) ?? {};
    const steps: readonly Step[] = [
      ...small.steps,
      edit(10_000, { suspend: true }),
      // It stays as long as what uses it.
      does(11_000, { does: 'delete', ...template }),
      does(12_000, { does: 'apply', ...template, spec: spec ?? {} }),
      edit(13_000, { flavorID: '3', suspend: false }),
      does(20_000, { does: 'delete', kind: 'Cluster', name: 'etl' }),
      does(20_000, { does: 'delete', kind: 'ClusterTemplate', name: 'small' }),
    ];
    const wanted = await run({ ...small, steps: [...small.steps, edit(5_000, { flavorID: '3' })] });
    const { violations, end } = await run({ ...small, steps });
    expect(violations).toEqual([]);
    expect(claimsIn(end)).toEqual(claimsIn(wanted.end));
  });
});
