// The figures of requests: to the service, by route template, and to the API server, by resource.
import { Counter, Histogram, type Registry } from 'prom-client';
import { closedLabel, prefix } from './labels.ts';

const SERVICE_BUCKETS_SECONDS = [0.01, 0.05, 0.25, 1, 5, 30];
const API_BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 2, 10];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
/** What the API server answers when it works as it should, and when it does not. */
const API_CODES = [200, 201, 202, 400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504];

export interface ServiceRequest {
  readonly method: string;
  /** The path with a placeholder for each identifier. */
  readonly template: string;
  readonly status: number | undefined;
  /** Undefined: it went well. */
  readonly category: string | undefined;
  readonly ms: number;
}

export interface ServiceLists {
  readonly templates: readonly string[];
  readonly categories: readonly string[];
}

/** The function hears of every request to a service. */
export function measureServiceRequests(registry: Registry, lists: ServiceLists): (request: ServiceRequest) => void {
  const registers = [registry];
  const methodOf = closedLabel(METHODS);
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
    buckets: SERVICE_BUCKETS_SECONDS,
    registers,
  });
  return (request) => {
    const method = methodOf(request.method);
    const route = routeOf(request.template);
    const error = request.category === undefined ? 'none' : errorOf(request.category);
    requests.inc({ method, route, code: classOf(request.status), error });
    durations.observe({ method, route }, request.ms / 1_000);
  };
}

const CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'];

function classOf(status: number | undefined): string {
  return CLASSES[Math.floor((status ?? 0) / 100)] ?? 'other';
}

export interface ApiRequest {
  readonly verb: string;
  /** Plural and, where there is one, the subresource. */
  readonly resource: string;
  /** 0: no answer. */
  readonly status: number;
  readonly ms: number;
}

/** The function hears of every request to the API server; a watch counts as done when it has begun. */
export function measureApiRequests(registry: Registry, resources: readonly string[]): (request: ApiRequest) => void {
  const registers = [registry];
  const verbOf = closedLabel(VERBS);
  const resourceOf = closedLabel(resources);
  const codes = new Map([[0, 'none'], ...API_CODES.map((code) => [code, `${code}`] as const)]);
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
    buckets: API_BUCKETS_SECONDS,
    registers,
  });
  return (request) => {
    const verb = verbOf(request.verb);
    const resource = resourceOf(request.resource);
    requests.inc({ verb, resource, code: codes.get(request.status) ?? 'other' });
    durations.observe({ verb, resource }, request.ms / 1_000);
  };
}
