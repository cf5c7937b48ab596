// Brings our CRDs to the API server of the tests. They are shared by all test files, so applying them again must not hurt.
import { setTimeout as pause } from 'node:timers/promises';
import { crdName, toCustomResourceDefinition } from '../../src/operator/api/crd.ts';
import type { AnyDefinition } from '../../src/operator/api/definition.ts';
import { apiVersion } from '../../src/operator/api/shared-api.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { type ApiServer, connect } from './api-server.ts';

const path = (definition: AnyDefinition): string =>
  `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crdName(definition)}`;

/** Applies every CRD and returns when objects of every kind can be listed and created. Throws when one is refused. */
export async function applyCrds(kubeconfig: string): Promise<void> {
  await using server = await connect(kubeconfig);
  await Promise.all(definitions.map(async (definition) => applyCrd(server, definition)));
}

async function applyCrd(server: ApiServer, definition: AnyDefinition): Promise<void> {
  await until(`${definition.kind} is applied`, async () => {
    const { status, body } = await server.apply(path(definition), toCustomResourceDefinition(definition));
    // Another test file applies the same at this moment.
    if (status === 409) return false;
    if (status >= 300) throw new Error(`the API server refuses ${crdName(definition)}: ${JSON.stringify(body)}`);
    return true;
  });
  await until(`${definition.kind} is established`, async () =>
    established((await server.send({ path: path(definition) })).body),
  );
  await until(`${definition.kind} can be listed`, async () => {
    const { status } = await server.send({ path: `/apis/${apiVersion}/${definition.plural}?limit=1` });
    return status === 200;
  });
}

interface Crd {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
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
