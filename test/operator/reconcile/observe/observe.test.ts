// How old an observation may be before a pass asks the service again.
import { expect, test } from 'vitest';
import type { Service } from '../../../../src/operator/client/service-client.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { needsRequest } from '../../../../src/operator/reconcile/observe/observe.ts';
import { runOf } from '../running.ts';
import { conditionsAs, resourceOf, templateSpec, usable, wall } from '../support.ts';

/** A pass of a template that is Ready, which is polled every two minutes. The last list is so many ms old. */
function passOf(age: number) {
  const service = usable({ service: { inventory: { age: () => age } } as unknown as Service });
  const status = { observedGeneration: 1, conditions: conditionsAs(1, wall, [['Ready', 'True', 'Available', 'm']]) };
  const resource = resourceOf({ kind: nodeGroupTemplateKind, spec: templateSpec, status });
  return runOf(service, resource, [resource]);
}

test('a settled object is observed at its steady interval, whatever woke it', () => {
  expect(needsRequest(passOf(119_000))).toBe(false);
  expect(needsRequest(passOf(121_000))).toBe(true);
});

test('one that the last list lacks is looked for after the delay that its status names', () => {
  const pass = passOf(2_000);
  pass.memory.missingSince = 0;
  expect(needsRequest(pass)).toBe(true);
});
