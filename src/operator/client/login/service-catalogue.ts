// Finds the endpoint of the service in the catalog of a token.
import { parseEndpoint } from '../http/address.ts';
import type { Cloud } from './clouds.ts';

export interface CatalogueEndpoint {
  readonly type: string;
  readonly interface: string;
  readonly region: string;
  readonly url: string;
}

/** Some catalogues use the second spelling. */
const types: readonly unknown[] = ['data-processing', 'data_processing'];

export function isDataProcessing(type: unknown): type is string {
  return types.includes(type);
}

/** Removes version and project, which the client adds itself. */
function baseOf(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v\d+(\.\d+)?(\/[^/]+)?$/, '');
}

function wanted({ region, interface: face }: Cloud): string {
  return `endpoint of type data-processing and interface ${face}${region === undefined ? '' : ` in region ${region}`}`;
}

type FoundEndpoint =
  | { readonly found: true; readonly endpoint: string }
  | { readonly found: false; readonly why: string };

/** The base URL of the service, or why there is none. */
export function findEndpoint(catalogue: readonly CatalogueEndpoint[], cloud: Cloud): FoundEndpoint {
  const { region, interface: face } = cloud;
  const found = catalogue.find(
    (one) => isDataProcessing(one.type) && one.interface === face && (region === undefined || one.region === region),
  );
  const remedy = 'set spec.endpoint, or correct region_name and interface in clouds.yaml';
  if (found === undefined) return { found: false, why: `the catalog has no ${wanted(cloud)}: ${remedy}` };
  const endpoint = baseOf(found.url);
  try {
    parseEndpoint(endpoint);
    return { found: true, endpoint };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return {
      found: false,
      why: `the ${wanted(cloud)} in the catalog is invalid, ${error.message}: set spec.endpoint`,
    };
  }
}
