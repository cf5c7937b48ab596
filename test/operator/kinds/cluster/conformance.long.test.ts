// The cases of the battery that the kind Cluster has in the long tests alone.
import { conformance } from '../conformance.ts';
import { clusterSample } from '../support/samples.ts';

conformance(clusterSample, 'others');
