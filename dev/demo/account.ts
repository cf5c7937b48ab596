// Creates a kubeconfig for a ServiceAccount, which has exactly the permissions that RBAC grants it.
import { writeFile } from 'node:fs/promises';
import type { ApiServer } from './api-server.ts';

/** Longer than anybody leaves a demo running. */
const TOKEN_SECONDS = 7 * 24 * 3600;

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** The account of deploy/. */
export const operatorAccount: Account = { namespace: 'dataprocessing-system', name: 'dataprocessing-operator' };

/** Asks the API server for a token of the account and writes it to `path`, readable by the current user only. */
export async function writeAccountKubeconfig(server: ApiServer, account: Account, path: string): Promise<void> {
  const { status } = await server.ask<{ readonly status: { readonly token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: TOKEN_SECONDS },
    },
  });
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'demo', cluster: { server: server.url, 'certificate-authority-data': server.authority } }],
    users: [{ name: account.name, user: { token: status.token } }],
    // As in the service account files of a pod.
    contexts: [{ name: 'demo', context: { cluster: 'demo', user: account.name, namespace: account.namespace } }],
    'current-context': 'demo',
  };
  // JSON is YAML.
  await writeFile(path, JSON.stringify(config, undefined, 2), { mode: 0o600 });
}
