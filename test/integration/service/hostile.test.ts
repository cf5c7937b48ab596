// A service with hostile answers to LIST: the memory of the operator stays bounded, and other Connections are not affected.
import { someAttacks, withstands } from '../support/hostile.ts';

withstands(someAttacks);
