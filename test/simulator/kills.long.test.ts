// As many throws of the dice as it takes to say what kills leave on average.
import { killedAtAnyMoment } from './kills.ts';

killedAtAnyMoment([1, 2, 3, 4, 5, 6], 2);
