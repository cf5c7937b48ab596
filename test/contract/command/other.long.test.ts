// The other signal that ends a run against a service that is not ours.
import { interruptedBy } from './interruption.ts';

interruptedBy('SIGTERM', 143);
