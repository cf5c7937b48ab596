// Operator and service as processes that are killed at their writes to the API server.
import { writeFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { proxyKubeconfig } from '../../../dev/plane/keys/kubeconfig.ts';
import type { Plane } from '../../../dev/plane/plane.ts';
import { pickPorts } from '../../../dev/plane/ports.ts';
import { comes, type Scene } from '../../engines/support.ts';
import { ApiProxy } from '../../support/kubernetes/api-proxy.ts';
import { openOperatorAccount } from './account.ts';
import { openPodScene } from './engine-pods.ts';
import { startOperator } from './operator.ts';

/** Whether a write has been carried out when its sender is killed. */
export type Moment = 'before' | 'after';

/** What is killed is the first write of its kind in a phase. The next life gets through it. */
class Mortal {
  readonly kills: string[] = [];
  restart = async (): Promise<void> => {
    throw new Error('it was not started');
  };
  #dying: Promise<void> | undefined;

  strike(write: string): (() => void) | undefined {
    if (this.#dying !== undefined || this.kills.includes(write)) return undefined;
    return () => {
      // Two writes can be under way at once. The first one to get here ends both.
      if (this.#dying !== undefined) return;
      this.kills.push(write);
      this.#dying = this.restart().finally(() => {
        this.#dying = undefined;
      });
    };
  }

  async alive(): Promise<void> {
    await this.#dying;
  }
}

export interface Mortals {
  readonly scene: Scene;
  /** Of the service. */
  readonly endpoint: string;
  readonly kills: { readonly operator: readonly string[]; readonly service: readonly string[] };
  /** How many Jobs the service has made so far. */
  readonly jobs: () => number;
  /** Asks for something, which is done by as many lives as it takes. */
  readonly during: (phase: string, ask: () => Promise<unknown>, done: () => Promise<unknown>) => Promise<void>;
}

/** Starts both, with the permissions of an installation. Without a moment, nobody is killed. */
export async function openMortals(plane: Plane, namespace: string, moment: Moment | undefined): Promise<Mortals> {
  const { kubeconfig, node } = plane;
  const [operator, service] = [new Mortal(), new Mortal()];
  let phase = '';
  const proxies: ApiProxy[] = [];
  /** A kubeconfig for a proxy, which speaks for the account. */
  const through = async (account: string, mortal: Mortal): Promise<string> => {
    const proxy = await ApiProxy.start({ kubeconfig: account });
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    proxies.push(proxy);
    const strike = ({ method, path }: { readonly method: string; readonly path: string }) =>
      phase === '' ? undefined : mortal.strike(`${phase}: ${method} ${path}`);
    if (moment !== undefined) proxy.rule({ behave: 'strike', when: moment, method: /^(?!GET)/, strike });
    const file = `${account}-of-proxy`;
    await writeFile(file, proxyKubeconfig(proxy.url));
    return file;
  };

  // The same address in each life.
  const [port] = await pickPorts(1);
  const place = { kubeconfig, host: node?.host ?? '', through: async (own: string) => through(own, service) };
  const scene = await openPodScene(namespace, ['--port', String(port)], place);
  service.restart = async () => scene.restart();
  const account = await through(await openOperatorAccount(kubeconfig), operator);
  let life = await startOperator(account, namespace);
  operator.restart = async () => {
    life.signal('SIGKILL');
    await life.ended;
    life = await startOperator(account, namespace);
  };
  const alive = async (): Promise<void> => void (await Promise.all([operator.alive(), service.alive()]));
  const isJob = { method: /^POST$/, path: /\/apis\/batch\/v1\/.*\/jobs$/ };
  return {
    scene,
    endpoint: `http://127.0.0.1:${port}`,
    kills: { operator: operator.kills, service: service.kills },
    jobs: () => proxies.flatMap((proxy) => proxy.seen(isJob)).filter(({ status }) => status === 201).length,
    during: async (next, ask, done) => {
      await ask();
      phase = next;
      await comes(async () => {
        await alive();
        await done();
      });
      phase = '';
      await alive();
    },
  };
}
