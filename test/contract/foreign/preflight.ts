// Whether there is a service to try, before hundreds of tests say that there is none.
import { connect } from '../peer.ts';
import type { Target } from './description.ts';

const hints: Readonly<Record<number, string>> = {
  401: ': check --token and --tenant',
  404: ': check --endpoint and --dialect',
};

/** Throws `cannot begin: ...` where the plugins cannot be listed. */
export async function knock({ endpoint, dialect, tenant, token }: Target): Promise<void> {
  const path = `/${dialect === 'sahara' ? 'v1.1' : 'v1.0'}/${encodeURIComponent(tenant)}/plugins`;
  const headers = token === undefined ? {} : { 'x-auth-token': token };
  const { status, body } = await connect(endpoint)
    .send('GET', path, undefined, headers)
    .catch((cause: unknown) => {
      throw new Error(`cannot begin: nobody answers at ${endpoint}`, { cause });
    });
  if (status !== 200) throw new Error(`cannot begin: GET ${path} answers ${status}${hints[status] ?? ''}`);
  if (!Array.isArray(body?.plugins)) throw new Error(`cannot begin: GET ${path} answers no list of plugins`);
}
