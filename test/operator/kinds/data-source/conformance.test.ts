// The cases of the battery that are proven with the kind DataSource: what a service without jobs means.
import { conformance } from '../conformance.ts';
import { dataSourceSample } from '../support/samples.ts';

conformance(dataSourceSample, 'first');
