// The operator is killed ten times in the middle of its work.
import { kills } from './support/kills.ts';

kills('ten times over', { create: 4, counts: [5, 2, 6], delete: 3 });
