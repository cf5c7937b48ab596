// The cases of the battery that are proven with the kind ImageRegistration.
import { conformance } from '../conformance.ts';
import { imageRegistrationSample } from '../support/samples.ts';

conformance(imageRegistrationSample, 'first');
