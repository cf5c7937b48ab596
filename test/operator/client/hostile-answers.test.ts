// Hostile answers: for each parser those that are always tried, and one by chance.
import { hostileAnswers } from './support/hostile-answers.ts';

hostileAnswers(1);
