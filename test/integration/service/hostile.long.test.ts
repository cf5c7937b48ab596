// The hostile answers to LIST that are not for every run.
import { otherAttacks, withstands } from '../support/hostile.ts';

withstands(otherAttacks);
