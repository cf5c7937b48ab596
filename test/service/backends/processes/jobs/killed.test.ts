// The service is killed before anything is written, in the middle of it, and after the program has started.
import { killedAfter } from './killed/moments.ts';

killedAfter([0, 12, 100]);
