// Hostile answers, a few for each parser.
import { hostileAnswers } from './hostile-answers.ts';

hostileAnswers(2);
