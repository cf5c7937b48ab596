// The fields with which a resource takes over an object that exists in the service, and changes nothing there yet. PURE.
import type { Fields } from '../fields.ts';

/** `id`: of the object in the service. The spec of an image names it anyway. */
export function adoption(kind: string, id: string): Fields {
  return { ...(kind === 'ImageRegistration' ? {} : { adopt: { id } }), policy: 'Observe' };
}
