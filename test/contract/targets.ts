// What tests of the suite run it against: the scene of the bundled service, wherever it is.
import { bundledScene, type Target } from './foreign/command/description.ts';

export const bundledTarget: Omit<Target, 'endpoint' | 'ours'> = {
  dialect: 'neutral',
  tenant: 'acme',
  token: undefined,
  scene: bundledScene,
  otherTenant: undefined,
  network: undefined,
  spareImages: [],
  asked: [],
  maxClusters: 1,
  pool: undefined,
  mark: 't000000',
};
