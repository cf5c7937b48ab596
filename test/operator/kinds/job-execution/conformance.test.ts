// The cases of the battery that are proven with the kind JobExecution.
import { conformance } from '../conformance.ts';
import { jobExecutionSample } from '../support/samples.ts';

conformance(jobExecutionSample, 'first');
