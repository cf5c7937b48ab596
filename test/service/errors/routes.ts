// What brings about the errors that a route has for itself.
import type { CauseKey } from '../../../src/service/model/causes.ts';
import type { Ask } from './ask.ts';
import type { Scene } from './scene.ts';

/** By method and path of the route, and by cause. */
export type Provocations = Readonly<
  Record<string, { readonly [Key in CauseKey]?: ((scene: Scene) => Ask) | undefined }>
>;
