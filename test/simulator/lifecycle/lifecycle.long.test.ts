// More last moments than those of every run.
import { comeAt } from './last-moment.ts';

comeAt([-2_000, -500, -100, -20, -5, 0, 5, 10, 20, 50, 100, 500, 2_000]);
