// Requests at random to the service in the dialect of savanna.
import { fuzzes } from './suite.ts';

fuzzes('savanna');
