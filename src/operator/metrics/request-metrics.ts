// The metrics of requests: to services by route template, and to the API server by resource.
import { Counter, Histogram, type Registry } from 'prom-client';
import { closedLabel, prefix } from './registry.ts';

const serviceBucketsSeconds = [0.01, 0.05, 0.25, 1, 5, 30];
const apiBucketsSeconds = [0.005, 0.025, 0.1, 0.5, 2, 10];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
/** The status codes that get a series of their own. */
const apiCodes = [200, 201, 202, 400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504];

interface ServiceRequest {
  readonly method: string;
  /** The path with a placeholder for each identifier. */
  readonly template: string;
  readonly status: number | undefined;
  /** Undefined if the request succeeded. */
  readonly category: string | undefined;
  readonly ms: number;
}

interface ServiceLists {
  readonly templates: readonly string[];
  readonly categories: readonly string[];
}

/** Returns a listener for finished requests to services. */
export function measureServiceRequests(registry: Registry, lists: ServiceLists): (request: ServiceRequest) => void {
  const registers = [registry];
  const methodOf = closedLabel(methods);
  const routeOf = closedLabel(lists.templates);
  const errorOf = closedLabel(lists.categories);
  const requests = new Counter({
    name: `${prefix}service_requests_total`,
    help: 'Requests to services. code is the class of the status, or none without an answer. error is the category of the failure, or none.',
    labelNames: ['method', 'route', 'code', 'error'],
    registers,
  });
  const durations = new Histogram({
    name: `${prefix}service_request_duration_seconds`,
    help: 'Duration of requests to services, from obtaining the token to the last byte of the answer.',
    labelNames: ['method', 'route'],
    buckets: serviceBucketsSeconds,
    registers,
  });
  return (request) => {
    const method = methodOf(request.method);
    const route = routeOf(request.template);
    const error = request.category === undefined ? 'none' : errorOf(request.category);
    requests.inc({ method, route, code: statusClasses[Math.floor((request.status ?? 0) / 100)] ?? 'other', error });
    durations.observe({ method, route }, request.ms / 1_000);
  };
}

const statusClasses = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'];

interface ApiRequest {
  readonly verb: string;
  /** The plural, with the subresource if there is one: `clusters/status`. */
  readonly resource: string;
  /** 0 without an answer. */
  readonly status: number;
  readonly ms: number;
}

/** Returns a listener for finished requests to the API server. A watch counts as finished once it has started. */
export function measureApiRequests(registry: Registry, resources: readonly string[]): (request: ApiRequest) => void {
  const registers = [registry];
  const verbOf = closedLabel(verbs);
  const resourceOf = closedLabel(resources);
  const codes = new Map([[0, 'none'], ...apiCodes.map((code) => [code, `${code}`] as const)]);
  const requests = new Counter({
    name: `${prefix}api_requests_total`,
    help: 'Requests to the API server. code is none without an answer.',
    labelNames: ['verb', 'resource', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: `${prefix}api_request_duration_seconds`,
    help: 'Duration of requests to the API server, until the last byte of the answer; of a watch, until the first byte.',
    labelNames: ['verb', 'resource'],
    buckets: apiBucketsSeconds,
    registers,
  });
  return (request) => {
    const verb = verbOf(request.verb);
    const resource = resourceOf(request.resource);
    requests.inc({ verb, resource, code: codes.get(request.status) ?? 'other' });
    durations.observe({ verb, resource }, request.ms / 1_000);
  };
}
