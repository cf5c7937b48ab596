// What becomes of the bytes of a JobBinary while the process lives and the service answers.
import { storedBytes } from './stored.ts';

storedBytes('some');
