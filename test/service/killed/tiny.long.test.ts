// The service is killed with SIGKILL at each point of a launch, a job, a scale and a deletion.
import { roundsOf } from './points.ts';
import { killedIn } from './rounds.ts';

killedIn(roundsOf());
