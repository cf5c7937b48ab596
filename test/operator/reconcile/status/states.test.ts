// Every state that users see, as kubectl wait, kstatus and Argo CD judge it.
import { describe, expect, test } from 'vitest';
import { attempts, claimOf, ledgerOf, monotonic, resourceOf } from '../support.ts';
import { applied, busyStatus, type ConcludedOptions, concludedOf, find, outcomes, readyStatus } from './concluding.ts';
import { argoHealth, kstatus, kubectlWait } from './judges.ts';
import { deletions, rows, standings, terminating } from './states.ts';

describe('states', () => {
  test.each([...rows, ...deletions].map((row) => [row[0], row] as const))('%s', (_state, row) => {
    const [, outcome, wanted, standing, given] = row;
    const options: ConcludedOptions = given ?? { status: busyStatus };
    const resource = applied(concludedOf(outcomes[outcome], options));
    const ready = find(resource, 'Ready');
    const { reconciling, isStalled, judged } = standings[standing];
    expect(`${ready?.status}/${ready?.reason}`).toBe(wanted);
    expect(find(resource, 'Reconciling')?.reason).toBe(reconciling);
    expect(find(resource, 'Stalled')?.reason).toBe(isStalled ? ready?.reason : undefined);
    expect([kubectlWait(resource, 'Ready'), kstatus(resource), argoHealth(resource)]).toEqual(
      options.deleting === true ? terminating : judged,
    );
    expect(kubectlWait(resource, 'stalled')).toBe(isStalled);
  });

  test('just created, and nobody has looked: in progress for all of them', () => {
    const newborn = resourceOf();
    expect([kubectlWait(newborn, 'Ready'), kstatus(newborn), argoHealth(newborn)]).toEqual(
      standings.progressing.judged,
    );
  });

  test('without the default of status it would count as done: the trap that the default is for', () => {
    expect(kstatus(resourceOf({ status: {} }))).toBe('Current');
  });

  test('a new generation that nobody has seen is in progress, whatever the old one was', () => {
    const edited = resourceOf({ status: readyStatus, metadata: { generation: 2 } });
    expect([kubectlWait(edited, 'Ready'), kstatus(edited), argoHealth(edited)]).toEqual(standings.progressing.judged);
  });

  test('its first status moves generation and conditions in one write', () => {
    const edited = { status: readyStatus, metadata: { generation: 2 }, ledger: ledgerOf([claimOf(attempts(0))]) };
    const resource = applied(concludedOf(outcomes.busy, edited));
    expect(resource.status).toMatchObject({ observedGeneration: 2 });
    expect(find(resource, 'Ready')).toMatchObject({ status: 'False', observedGeneration: 2 });
    expect(find(resource, 'Reconciling')).toMatchObject({ status: 'True', observedGeneration: 2 });
  });

  test('polls that fail before a new spec was carried out do not hide behind the grace of the old one', () => {
    const edited = {
      status: readyStatus,
      metadata: { generation: 2 },
      memory: { missedPolls: { count: 1, since: monotonic } },
    };
    expect(find(applied(concludedOf(outcomes.unseen, edited)), 'Ready')).toMatchObject({ status: 'False' });
  });

  test.each(['unpermitted', 'conflict', 'released'] as const)('%s says nothing new', (which) => {
    const before = resourceOf({ status: readyStatus });
    expect(applied(concludedOf(outcomes[which], { status: readyStatus })).status).toEqual(before.status);
  });
});
