// What becomes of the bytes of a JobBinary, with some of the points at which the process can die.
import { storedBytes } from './stored.ts';

storedBytes('some');
