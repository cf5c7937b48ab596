// Moments from before anything is written to after the program has started.
import { killedAfter } from './moments.ts';

killedAfter([0, 2, 5, 8, 12, 20, 40, 100]);
