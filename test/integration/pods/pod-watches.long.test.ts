// A hundred runs and dozens of objects in pods, of which the service asks nothing.
import { asksNothing } from '../support/pod-watches.ts';

asksNothing(100, 20);
