// The battery over the kind ImageRegistration.
import { conformance } from '../conformance.ts';
import { imageRegistrationSample } from '../support/samples.ts';

conformance(imageRegistrationSample);
