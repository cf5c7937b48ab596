// A namespace that may not be read, or may not any more, beside others.
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import { othersGoOn, useReader } from './namespaces.ts';

describe.skipIf(inject('kubeconfig') === '')('a namespace that may not be read', () => {
  let plane: Plane;
  beforeAll(async () => {
    plane = await startPlane();
  });
  afterAll(() => plane?.stop());

  othersGoOn(useReader(() => plane));
});
