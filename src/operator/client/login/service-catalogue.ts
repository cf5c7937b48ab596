// Where the service is, by the catalogue that came with a token.
import { parseEndpoint } from '../http/address.ts';
import type { Cloud } from './cloud.ts';

export interface CatalogueEndpoint {
  readonly type: string;
  readonly interface: string;
  readonly region: string;
  readonly url: string;
}

/** The second one is how some catalogues spell it. */
const types: readonly unknown[] = ['data-processing', 'data_processing'];

export const isDataProcessing = (type: unknown): type is string => types.includes(type);

/** Clients of this service find it under an address with version and project, which ours adds by itself. */
const baseOf = (url: string): string => url.replace(/\/+$/, '').replace(/\/v\d+(\.\d+)?(\/[^/]+)?$/, '');

/** What it is that the catalogue should have. */
const wanted = ({ region, interface: face }: Cloud): string =>
  `endpoint of type data-processing and interface ${face}${region === undefined ? '' : ` in region ${region}`}`;

export type CataloguePlace =
  | { readonly found: true; readonly endpoint: string }
  | { readonly found: false; readonly why: string };

/** The base address of the service, or why it cannot be told. */
export function findEndpoint(catalogue: readonly CatalogueEndpoint[], cloud: Cloud): CataloguePlace {
  const { region, interface: face } = cloud;
  const found = catalogue.find(
    (one) => isDataProcessing(one.type) && one.interface === face && (region === undefined || one.region === region),
  );
  const remedy = 'set spec.endpoint, or correct region_name and interface in clouds.yaml';
  if (found === undefined) return { found: false, why: `the catalogue has no ${wanted(cloud)}: ${remedy}` };
  const endpoint = baseOf(found.url);
  try {
    parseEndpoint(endpoint);
    return { found: true, endpoint };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return {
      found: false,
      why: `what the catalogue has as ${wanted(cloud)} is unfit, ${error.message}: set spec.endpoint`,
    };
  }
}
