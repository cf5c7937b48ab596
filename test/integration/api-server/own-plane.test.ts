// What one API server of its own is enough for: the limits of the sizes of objects, what an operator makes of its restarts and of changes of the definitions, and
// namespaces that may not be read.
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import { operatorIsUnready, othersGoOn, useReader } from './namespaces.ts';
import { everyKindIsTried, sizesAreBounded } from './size.ts';
import { changesAreFollowed } from './watches-plane.ts';

everyKindIsTried();

describe.skipIf(inject('kubeconfig') === '')('on an API server of its own', () => {
  let plane: Plane;
  beforeAll(async () => {
    plane = await startPlane();
  });
  afterAll(() => plane?.stop());
  const own = () => plane;

  // In this order: the first leaves no Cluster, and the last leaves definitions that differ.
  sizesAreBounded(own);
  changesAreFollowed(own);
  describe('a namespace that may not be read', () => {
    const reader = useReader(own);
    operatorIsUnready(reader);
    othersGoOn(reader);
  });
});
