// The battery over the kind Cluster.
import { conformance } from '../conformance.ts';
import { clusterSample } from '../support/samples.ts';

conformance(clusterSample);
