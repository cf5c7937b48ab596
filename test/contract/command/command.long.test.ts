// The command, in the dialect in which `command.test.ts` does not try it.
import { verdicts } from './verdicts.ts';

verdicts('sahara');
