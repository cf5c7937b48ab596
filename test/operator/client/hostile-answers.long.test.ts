// Hostile answers, as many as it takes to meet each kind of nonsense in each place.
import { hostileAnswers } from './support/hostile-answers.ts';

hostileAnswers(40);
