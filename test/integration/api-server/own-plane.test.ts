// What one API server of its own is enough for: the limits of the sizes of objects, what an operator makes of its restarts and of changes of the definitions, and
// namespaces that may not be read.
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { type Plane, startPlane } from '../../../dev/plane/plane.ts';
import { operatorIsUnready, useReader } from './namespaces.ts';
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

  // The first leaves no Cluster, for which the second would wait.
  sizesAreBounded(own);
  changesAreFollowed(own);
  describe('a namespace that may not be read', () => {
    operatorIsUnready(useReader(own));
  });
});
