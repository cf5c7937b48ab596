// Requests at random to the service as the interface is written.
import { fuzzes } from './suite.ts';

fuzzes('neutral');
