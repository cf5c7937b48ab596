// A service that is killed in the middle of writes, five times.
import { killedWhileWriting } from './durability.ts';

killedWhileWriting(5);
