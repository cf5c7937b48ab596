// What applies objects from Git: Flux, and Argo CD with ServerSideApply=true, by the requests that both send; Argo CD without it, by kubectl.
import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import { inject } from 'vitest';
import type { RawResource } from '../../src/operator/api/definition.ts';
import { apiVersion } from '../../src/operator/api/shared-api.ts';
import type { Json } from '../operator/kinds/support/sample.ts';
import type { Answer } from '../support/kubernetes/api-server.ts';
import type { Stage } from './stage.ts';

export interface InGit {
  readonly kind: string;
  readonly name: string;
  readonly spec: Json;
}

const manifestOf = ({ kind, name, spec }: InGit): Json => ({ apiVersion, kind, metadata: { name }, spec });

/**
 * Applies it by force and as a field manager of its own, unless a dry run makes no difference. Returns whether it wrote; throws what the API
 * server refuses.
 */
export async function sync(stage: Stage, inGit: InGit): Promise<boolean> {
  const live = await stage.fetch(inGit.kind, inGit.name);
  const wanted = await apply(stage, inGit, '&dryRun=All');
  if (isDeepStrictEqual(comparedOf(live), comparedOf(wanted))) return false;
  await apply(stage, inGit);
  return true;
}

async function apply(stage: Stage, inGit: InGit, more = ''): Promise<RawResource> {
  const answer = await stage.api.send({
    method: 'PATCH',
    path: `${stage.path(inGit.kind, inGit.name)}?fieldManager=gitops&force=true${more}`,
    body: manifestOf(inGit),
    contentType: 'application/apply-patch+yaml',
  });
  return accepted(answer);
}

const comparedOf = ({ spec, metadata }: RawResource): object => [spec, metadata?.annotations];

function accepted({ status, body }: Answer): RawResource {
  if (status >= 300) throw new Error(String((body as { readonly message?: unknown }).message));
  return body as RawResource;
}

/** The same with the client-side apply of the real kubectl, which remembers in an annotation what it applied last. */
export async function syncByKubectl({ namespace }: Stage, inGit: InGit): Promise<void> {
  const command = ['--kubeconfig', inject('kubeconfig'), '--namespace', namespace, 'apply', '-f', '-'];
  const running = promisify(execFile)('kubectl', command);
  running.child.stdin?.end(JSON.stringify(manifestOf(inGit)));
  await running;
}

/** As the controller of HorizontalPodAutoscalers does: it writes the scale that it read, and tries again if somebody else was faster. */
export async function scale(
  stage: Stage,
  { kind, name }: Pick<InGit, 'kind' | 'name'>,
  replicas: number,
): Promise<void> {
  const path = `${stage.path(kind, name)}/scale`;
  for (;;) {
    const { spec, ...read } = accepted(await stage.api.send({ path }));
    const body = { ...read, spec: { ...(spec as object), replicas } };
    const answer = await stage.api.send({ method: 'PUT', path: `${path}?fieldManager=kube-controller-manager`, body });
    if (answer.status !== 409) return void accepted(answer);
  }
}
