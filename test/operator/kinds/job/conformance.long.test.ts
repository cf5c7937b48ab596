// The cases of the battery that are proven with another kind, over the kind Job.
import { conformance } from '../conformance.ts';
import { jobSample } from '../support/samples.ts';

conformance(jobSample, 'others');
