// A service as a preview reads it: only with GET, within bounds, and without what it must not tell.
import { describe, expect, test } from 'vitest';
import { readOnlyService } from '../../../src/cli/preview/read-only-service.ts';
import type { ServiceSource } from '../../../src/cli/service/service-source.ts';
import { systemClock } from '../../../src/lib/system.ts';
import { routes } from '../../../src/wire/routes.ts';

const token = 'open-sesame';
const signal = new AbortController().signal;
const notBefore = systemClock.monotonic();

function serviceOf(answers: Readonly<Record<string, { readonly status?: number; readonly body: unknown } | Error>>) {
  const asked: string[] = [];
  const source: ServiceSource = {
    endpoint: 'http://service',
    tenant: 'demo',
    dialect: 'neutral',
    token,
    get: async (path) => {
      asked.push(path);
      const answer = answers[path.split('/').slice(3).join('/')] ?? { status: 404, body: {} };
      if (answer instanceof Error) throw answer;
      const bytes = (async function* () {
        yield Buffer.from(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
      })();
      return { status: answer.status ?? 200, bytes };
    },
  };
  return { asked, service: readOnlyService({ dialect: 'neutral', source, clock: systemClock, signal }) };
}

const binary = { id: 'id-1', name: 'run.sh', url: `internal-db://${token}` };

describe('a service that is only read', () => {
  test('lists once for all who ask, and repeats no token', async () => {
    const { service, asked } = serviceOf({ 'job-binaries': { body: { binaries: [binary] } } });
    for (let time = 0; time < 2; time += 1) {
      const view = await service.inventory.observe(routes.jobBinaries, { notBefore });
      expect(JSON.stringify([...view.all()])).toContain('id-1');
      expect(JSON.stringify([...view.all()])).not.toContain(token);
    }
    expect(asked).toEqual(['/v1.1/demo/job-binaries']);
  });

  test('tells what is gone from what cannot be read', async () => {
    const gone = { error_code: 404, error_name: 'NOT_FOUND', error_message: 'no such binary' };
    const { service } = serviceOf({
      'job-binaries/id-1': { status: 404, body: gone },
      'job-binaries/id-2': new Error(`no answer to ${token.length} letters`),
      'job-binaries/id-3': { body: `not JSON: ${token}` },
      'job-binaries/id-4': { status: 401, body: { ...gone, error_code: 401, error_message: `refused ${token}` } },
    });
    const read = (id: string) =>
      service.inventory.getById(routes.jobBinaries, id).catch((error: Error) => error.message);
    expect(await read('id-1')).toMatchObject({ row: undefined });
    expect(await read('id-2')).toContain('no answer to 11 letters');
    expect(await read('id-3')).toContain('does not follow the API');
    expect(await read('id-4')).toContain('does not accept the token');
    expect(await read('id-4')).not.toContain(token);
  });

  test('says why it cannot be asked, and writes nothing', async () => {
    const source = 'you may not read Secret "token"';
    const service = readOnlyService({ dialect: 'neutral', source, clock: systemClock, signal });
    await expect(service.inventory.observe(routes.clusters, { notBefore })).rejects.toThrow(source);
    await expect(service.remove(routes.clusters, 'id-1', undefined as never)).rejects.toThrow('writes nothing');
  });
});
