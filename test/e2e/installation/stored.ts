// Puts objects into a plane as an API server has stored them before: with their uid, which no client can choose.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Found } from '../../../dev/demo/manifests.ts';
import type { Plane } from '../../../dev/plane/plane.ts';

/** Address and prefix, from the command line of the API server. */
async function etcdOf({ pids }: Plane): Promise<{ readonly url: string; readonly prefix: string }> {
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pids.apiServer)]);
  const [, url] = /--etcd-servers=(\S+)/.exec(stdout) ?? [];
  const [, prefix] = /--etcd-prefix=(\S+)/.exec(stdout) ?? [];
  if (url === undefined || prefix === undefined) throw new Error(`cannot find etcd in the command line: ${stdout}`);
  return { url, prefix };
}

const encode = (text: string): string => Buffer.from(text).toString('base64');

/** The namespace and the kind must exist. */
export async function store(plane: Plane, objects: readonly Found[]): Promise<void> {
  const { url, prefix } = await etcdOf(plane);
  for (const { apiVersion, kind, metadata, ...rest } of objects) {
    // The version is the revision of etcd, and no part of what is stored.
    const { resourceVersion: _, ...kept } = metadata as Found['metadata'] & { readonly resourceVersion?: string };
    const [group] = apiVersion.split('/');
    const key = `${prefix}/${group}/${kind.toLowerCase()}s/${metadata.namespace}/${metadata.name}`;
    const value = JSON.stringify({ apiVersion, kind, metadata: kept, ...rest });
    const body = JSON.stringify({ key: encode(key), value: encode(value) });
    const response = await fetch(`${url}/v3/kv/put`, { method: 'POST', body });
    if (!response.ok) throw new Error(`cannot put ${key}: ${response.status} ${await response.text()}`);
  }
}
