// The battery over the kind ClusterTemplate.
import { conformance } from '../conformance.ts';
import { clusterTemplateSample } from '../support/samples.ts';

conformance(clusterTemplateSample);
