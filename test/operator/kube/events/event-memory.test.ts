// What is kept of events that were recorded lately.
import { expect, test } from 'vitest';
import { EventMemory } from '../../../../src/operator/kube/events/event-memory.ts';
import { ManualClock } from '../../../support/clock.ts';
import { widget } from '../support/objects.ts';

test('of the object of an event it keeps who it is, not what is in it', () => {
  const regarding = widget({ version: 7 });
  const { apiVersion, kind, metadata } = regarding;
  const { namespace, name, uid, resourceVersion } = metadata;
  const entry = new EventMemory(new ManualClock()).note({
    regarding,
    type: 'Normal',
    reason: 'Created',
    action: 'Create',
    note: 'made',
  });
  expect(entry.event.regarding).toEqual({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } });
});
