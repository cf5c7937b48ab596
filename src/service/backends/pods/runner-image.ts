// Which image gets the files of jobs into their pods: that of this service, unless another one is named.
import { type KubeApi, type KubeObject, pods } from './api/api.ts';

interface Inside {
  readonly api: Pick<KubeApi, 'get'>;
  /** Of the pod of this service, whose name is its host name. */
  readonly namespace: string;
  readonly pod: string | undefined;
}

type Pod = KubeObject & { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };

const remedy = 'name the image of this service with --runner-image';

/** `inside` undefined: the service is in no pod. Throws an Error with the remedy. */
export async function runnerImageOf(named: string | undefined, inside: Inside | undefined): Promise<string> {
  if (named !== undefined) return named;
  if (inside?.pod === undefined) throw new Error(`cannot run jobs in pods: ${remedy}`);
  const { api, namespace, pod } = inside;
  const found = await api.get<Pod>(pods, namespace, pod);
  const image = found?.spec?.containers?.[0]?.image;
  if (image === undefined) throw new Error(`cannot find pod ${namespace}/${pod} of this service: ${remedy}`);
  return image;
}
