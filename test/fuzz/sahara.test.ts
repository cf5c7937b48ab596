// Requests at random to the service in the dialect of sahara.
import { fuzzes } from './suite.ts';

fuzzes('sahara');
