// The routes that only late upstream releases have; section 4 of the interface does not know them.
import type { Endpoint } from './endpoint.ts';
import { showJobTypes } from './job-types.ts';

const only = { dialect: 'sahara' } as const;
const later = { ...only, version: 'v1.1' } as const;

export const lateEndpoints: readonly Endpoint[] = [
  { ...later, method: 'GET', path: 'job-types', handle: showJobTypes },
];
