// The simulated API server answers like the real one, as far as some series of random commands show.
import { sameAnswers } from './same-answers.ts';

sameAnswers({ answers: 20, watches: 10 });
