// The cases of the battery that are proven with another kind, over the kind ClusterTemplate.
import { conformance } from '../conformance.ts';
import { clusterTemplateSample } from '../support/samples.ts';

conformance(clusterTemplateSample, 'others');
