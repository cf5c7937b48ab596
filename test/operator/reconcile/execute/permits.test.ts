// How long a write waits for its permit.
import { expect, test } from 'vitest';
import type { Service } from '../../../../src/operator/client/service-client.ts';
import type { PermitRequest } from '../../../../src/operator/client/throttle/budget.ts';
import { nodeGroupTemplateKind } from '../../../../src/operator/kinds/node-group-template/index.ts';
import { WritePermits } from '../../../../src/operator/reconcile/execute/permits.ts';
import { runOf } from '../running.ts';
import { resourceOf, templateSpec, usable } from '../support.ts';

test.each([
  [1, 3_000],
  [20, 150],
  [500, 100],
])('at %d requests a second, a write waits for three of them, and at least 100 ms', async (rate, ms) => {
  const asked: number[] = [];
  const take = async ({ withinMs }: PermitRequest) => void asked.push(withinMs);
  const budget = { limits: { requestsPerSecond: rate }, take };
  const resource = resourceOf({ kind: nodeGroupTemplateKind, spec: templateSpec });
  const service = usable({ service: { budget } as unknown as Service });
  const pass = runOf(service, resource, [resource], {}, { leadership: { leading: () => true } });
  expect(await new WritePermits(pass, { isStart: false }).acquire()).toEqual({ result: 'unpermitted' });
  expect(asked).toEqual([ms]);
});
