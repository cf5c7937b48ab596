// The simulated API server answers like the real one: more series of random commands, the first of which every run tries.
import { sameAnswers } from './same-answers.ts';

sameAnswers({ answers: 60, watches: 30 });
