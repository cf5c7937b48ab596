// The cases of the battery that are proven with another kind, over the kind JobBinary.
import { conformance } from '../conformance.ts';
import { jobBinarySample } from '../support/samples.ts';

conformance(jobBinarySample, 'others');
