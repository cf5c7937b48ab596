// The figures of requests: what is counted, and that no identifier ever becomes a label.
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { measureApiRequests, measureServiceRequests } from '../../../src/operator/metrics/request-metrics.ts';
import { linesOf } from './figures.ts';

const lists = { templates: ['/clusters', '/clusters/{id}'], categories: ['unreachable', 'throttled'] };

describe('requests to a service', () => {
  test('are counted by method, route, class of the answer and error', async () => {
    const registry = new Registry();
    const requested = measureServiceRequests(registry, lists);
    const good = { method: 'GET', template: '/clusters', status: 200, category: undefined, ms: 20 };
    requested(good);
    requested({ ...good, ms: 40 });
    requested({ ...good, method: 'DELETE', template: '/clusters/{id}', status: 429, category: 'throttled' });
    requested({ ...good, status: undefined, category: 'unreachable' });
    expect(await linesOf(registry, 'service_requests_total')).toEqual([
      'service_requests_total{method="GET",route="/clusters",code="2xx",error="none"} 2',
      'service_requests_total{method="DELETE",route="/clusters/{id}",code="4xx",error="throttled"} 1',
      'service_requests_total{method="GET",route="/clusters",code="none",error="unreachable"} 1',
    ]);
    expect(await linesOf(registry, 'service_request_duration_seconds_count')).toEqual([
      'service_request_duration_seconds_count{method="GET",route="/clusters"} 3',
      'service_request_duration_seconds_count{method="DELETE",route="/clusters/{id}"} 1',
    ]);
  });

  test('have labels from closed lists, whatever comes', async () => {
    const registry = new Registry();
    const requested = measureServiceRequests(registry, lists);
    for (let n = 0; n < 100; n++) {
      requested({ method: `M${n}`, template: `/clusters/${n}`, status: 600 + 100 * n, category: `c${n}`, ms: n });
    }
    expect(await linesOf(registry, 'service_requests_total')).toEqual([
      'service_requests_total{method="other",route="other",code="other",error="other"} 100',
    ]);
  });
});

describe('requests to the API server', () => {
  test('are counted by verb, resource and code', async () => {
    const registry = new Registry();
    const requested = measureApiRequests(registry, ['clusters', 'clusters/status']);
    requested({ verb: 'patch', resource: 'clusters/status', status: 200, ms: 5 });
    requested({ verb: 'list', resource: 'clusters', status: 0, ms: 30_000 });
    requested({ verb: 'dream', resource: 'sheep', status: 418, ms: 5 });
    expect(await linesOf(registry, 'api_requests_total')).toEqual([
      'api_requests_total{verb="patch",resource="clusters/status",code="200"} 1',
      'api_requests_total{verb="list",resource="clusters",code="none"} 1',
      'api_requests_total{verb="other",resource="other",code="other"} 1',
    ]);
    expect(await linesOf(registry, 'api_request_duration_seconds_bucket{le="10",verb="list"')).toEqual([
      'api_request_duration_seconds_bucket{le="10",verb="list",resource="clusters"} 0',
    ]);
  });
});
