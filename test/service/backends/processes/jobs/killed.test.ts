// The service is killed before the program of a run has started, and after that.
import { killedAfter } from './killed/moments.ts';

killedAfter([0, 100]);
