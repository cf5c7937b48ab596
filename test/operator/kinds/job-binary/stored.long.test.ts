// The battery over a JobBinary with bytes of its own: its object is created after another one, and deleted before it.
import { conformance } from '../conformance.ts';
import { storedBinarySample } from '../support/samples.ts';

conformance(storedBinarySample, 'others');
