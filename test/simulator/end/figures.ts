// What is counted of a world while it runs: what it met, what was written, and how often.

import type { ApiCall } from '../../../src/kube/http/call.ts';
import type { LogFields } from '../../../src/lib/ports.ts';
import { targetOf } from '../judge/happening.ts';
import type { Sent } from '../service/service-way.ts';
import type { Replica } from '../world/replica.ts';
import { keyOf } from '../world/users.ts';
import { Retries } from './retries.ts';

/** What a pass says that waits for somebody else, for its backoff, or for the user, or finds that all is well. */
const idle: readonly string[] = ['waiting', 'settled', 'refused'];

export class Figures {
  readonly hits = new Map<string, number>();
  /** Writes to either side since the last `forget`. */
  writes: string[] = [];
  /** Passes since the last `forget`, by resource; those that only waited or looked are none. */
  passes = new Map<string, number>();
  /** Writes that were sent to the service, by what they were to do and to what. */
  readonly effects = new Map<string, number>();
  /** Of these, how many the service refused. */
  readonly refused = new Map<string, number>();
  /** Requests to the service in each minute, but for LISTs. */
  readonly rates = new Map<number, number>();
  /** LISTs in a minute, by minute and collection. */
  readonly lists = new Map<string, number>();
  readonly retries = new Retries();

  hit(what: string): void {
    increase(this.hits, what);
  }

  forget(): void {
    this.writes = [];
    this.passes = new Map();
  }

  sentToService(sent: Sent, now: number): void {
    const minute = Math.floor(now / 60_000);
    if (isList(sent)) increase(this.lists, `${minute} ${sent.request.path.split('?')[0]}`);
    else increase(this.rates, minute);
    if (sent.request.method !== 'GET') increase(this.effects, effectOf(sent));
  }

  servedByService(sent: Sent, status: number | undefined): void {
    const { method, path } = sent.request;
    if (method === 'GET') return;
    this.writes.push(`service ${method} ${path}`);
    if (status !== undefined && status >= 400) increase(this.refused, effectOf(sent));
  }

  sentToKubernetes({ method, path }: ApiCall): void {
    if (method !== 'GET' && !path.includes('/leases')) this.writes.push(`kubernetes ${method} ${path}`);
  }

  said(replica: Replica, fields: LogFields): void {
    const { kind, name, outcome } = fields;
    this.retries.passed(replica.name, fields, replica.clock.monotonic());
    if (kind === undefined || name === undefined || outcome === undefined || idle.includes(outcome)) return;
    increase(this.passes, keyOf(kind, name));
  }
}

function isList(sent: Sent): boolean {
  const { method, collection, id } = targetOf(sent);
  return method === 'GET' && collection !== '' && id === undefined;
}

function effectOf(sent: Sent): string {
  const { method, collection, id = '', name = '', operation = '' } = targetOf(sent);
  return `${method} ${collection} ${name}${id} ${operation}`;
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
