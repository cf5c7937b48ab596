// The operator is killed once in each phase of its work.
import { kills } from './support/kills.ts';

kills('three times', { create: 1, counts: [6], delete: 1 });
