// Brings our CRDs to the API server of the tests. They are shared by all test files: what is there already is not applied again, which takes the API
// server half a second.
import { setTimeout as pause } from 'node:timers/promises';
import { crdName, toCustomResourceDefinition } from '../../../dev/generate/crd.ts';
import type { AnyDefinition } from '../../../src/operator/api/definition.ts';
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/index.ts';
import { type ApiServer, connect } from './api-server.ts';

const path = (definition: AnyDefinition): string =>
  `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crdName(definition)}`;

/** Applies every CRD and returns when objects of every kind can be listed and created. Throws when one is refused. */
export async function applyCrds(kubeconfig: string): Promise<void> {
  await using server = await connect(kubeconfig);
  await Promise.all(definitions.map(async (definition) => applyCrd(server, definition)));
}

async function applyCrd(server: ApiServer, definition: AnyDefinition): Promise<void> {
  const wanted = toCustomResourceDefinition(definition);
  await until(`${definition.kind} is established`, async () => {
    const { body } = await server.send({ path: path(definition) });
    if (covers(body, wanted)) return established(body);
    const answer = await server.apply(path(definition), wanted);
    // Another test file applies the same at this moment.
    if (answer.status < 300 || answer.status === 409) return false;
    throw new Error(`the API server refuses ${crdName(definition)}: ${JSON.stringify(answer.body)}`);
  });
  await until(`${definition.kind} can be listed`, async () => {
    const { status } = await server.send({ path: `/apis/${apiVersion}/${definition.plural}?limit=1` });
    return status === 200;
  });
}

interface Crd {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The API server adds its defaults, and leaves out the fields that are undefined here. */
function covers(present: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === undefined || present === wanted;
  if (typeof present !== 'object' || present === null) return false;
  if (Array.isArray(wanted) && wanted.length !== (present as readonly unknown[]).length) return false;
  return Object.entries(wanted).every(([name, value]) =>
    covers((present as Readonly<Record<string, unknown>>)[name], value),
  );
}

const established = (crd: unknown): boolean =>
  ((crd as Crd).status?.conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True');

async function until(what: string, done: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await done()) return;
    await pause(100);
  }
  throw new Error(`cannot go on: ${what} did not come true within 30 s`);
}
