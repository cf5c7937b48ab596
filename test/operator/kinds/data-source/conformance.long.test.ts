// The cases of the battery that are proven with another kind, over the kind DataSource.
import { conformance } from '../conformance.ts';
import { dataSourceSample } from '../support/samples.ts';

conformance(dataSourceSample, 'others');
