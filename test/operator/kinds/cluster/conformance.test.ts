// The cases of the battery that are proven with the kind Cluster.
import { conformance } from '../conformance.ts';
import { clusterSample } from '../support/samples.ts';

conformance(clusterSample, 'first');
