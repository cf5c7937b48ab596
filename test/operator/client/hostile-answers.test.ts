// Hostile answers, a few for each parser.
import { hostileAnswers } from './support/hostile-answers.ts';

hostileAnswers(2);
