// The cases of the battery that are proven with the kind NodeGroupTemplate.
import { conformance } from '../conformance.ts';
import { nodeGroupTemplateSample } from '../support/samples.ts';

conformance(nodeGroupTemplateSample, 'first');
