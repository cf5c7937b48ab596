// The battery over the kind NodeGroupTemplate.
import { conformance } from '../conformance.ts';
import { nodeGroupTemplateSample } from '../support/samples.ts';

conformance(nodeGroupTemplateSample);
