// A JobBinary with bytes of its own: the battery, because its object is created after another one and deleted before it, and each point at which the process can die or an answer be lost.
import { conformance } from '../conformance.ts';
import { storedBinarySample } from '../support/samples.ts';
import { storedBytes } from './stored.ts';

conformance(storedBinarySample, 'others');
storedBytes('all');
