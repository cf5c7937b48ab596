// Many executions that are to start at the same time, of one process: how many of them are announced and not answered at any moment.
import { describe, expect, test } from 'vitest';
import type { RawResource } from '../../../src/operator/api/definition.ts';
import { finalizer, ledgerAnnotation } from '../../../src/operator/api/shared-api.ts';
import type { Service } from '../../../src/operator/client/service-client.ts';
import { Starts } from '../../../src/operator/client/throttle/starts.ts';
import { jobExecutionKind } from '../../../src/operator/kinds/job-execution/index.ts';
import type { RemoteObject } from '../../../src/operator/reconcile/kind/kind.ts';
import { type Ledger, openAttempts } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { createPass } from '../../../src/operator/reconcile/pass.ts';
import { keyOf, keyText, type PassPorts, StoreError } from '../../../src/operator/reconcile/pass-ports.ts';
import type { Requeue } from '../../../src/operator/reconcile/requeue.ts';
import { executionMarker, type JobExecute, type JobExecution } from '../../../src/wire/jobs.ts';
import { ManualClock } from '../../support/clock.ts';
import { reset, unavailable, unsent } from './protocol/failures.ts';
import { aloneWith } from './running.ts';
import { quarantineMs, resourceOf, usable, viewOf } from './support.ts';

const uuid = (number: number): string => `2b97ba2c-4e0f-4f5d-9c1a-00000000000${number}`;
const silent = () => undefined;

class Process {
  readonly clock = new ManualClock();
  readonly starts = new Starts(this.clock);
  readonly resources = new Map<string, RawResource>();
  readonly rows: RemoteObject[] = [];
  /** Starts that the service has received and not answered. */
  readonly received: PromiseWithResolvers<JobExecution>[] = [];
  /** The service answers as soon as it has received a start. */
  prompt = false;
  /** A gateway answers starts, and the service all else. */
  gateway = false;
  lists = 0;
  /** How long the API server may take to end a deletion that was under way when the finalizer was added. */
  deletionMs = 0;
  /** Numbers of the ledger writes that get no answer: those that take effect, and those that do not. */
  unheard: readonly number[] = [];
  undone: readonly number[] = [];
  #claims = 0;
  readonly #pass: ReturnType<typeof createPass>;

  readonly #name: string;

  constructor(count: number, name = 'one') {
    this.#name = name;
    this.#pass = createPass(this.#ports());
    const spec = { jobID: uuid(1), clusterID: uuid(2) };
    for (let number = 1; number <= count; number += 1) {
      const metadata = { name: `run-${number}`, uid: `uid${number}`, creationTimestamp: '2025-01-01T00:00:00Z' };
      const resource = resourceOf({ kind: jobExecutionKind, spec, metadata });
      this.resources.set(keyText(keyOf(resource)), resource);
    }
  }

  /** One pass over each, all at the same time. */
  run(): readonly Promise<Requeue>[] {
    const context = { signal: new AbortController().signal, pollMs: 60_000 };
    return [...this.resources.values()].map((one) => this.#pass(keyOf(one), context));
  }

  /** Those that a new process could not tell from ones that were started. */
  get announced(): number {
    return [...this.resources.values()].filter(({ metadata }) => {
      const text = metadata.annotations?.[ledgerAnnotation];
      const claims = text === undefined ? [] : (JSON.parse(text) as Ledger).claims;
      return claims.some((claim) => openAttempts(claim) > 0);
    }).length;
  }

  answer(index: number): void {
    const row = { id: uuid(index + 3), info: { status: 'RUNNING' } } as unknown as JobExecution;
    this.received[index]?.resolve(row);
  }

  #execute(_job: string, { job_configs }: JobExecute): Promise<JobExecution> {
    expect(String(job_configs?.configs?.[executionMarker])).toMatch(/^uid\d-1$/);
    const answer = Promise.withResolvers<JobExecution>();
    this.received.push(answer);
    if (this.gateway) answer.reject(unavailable('POST'));
    if (this.prompt) this.answer(this.received.length - 1);
    return answer.promise;
  }

  #ports(): PassPorts {
    const service = {
      budget: {
        limits: { requestsPerSecond: Number.POSITIVE_INFINITY },
        take: async () => ({ signal: undefined, release: silent }),
      },
      starts: this.starts,
      inventory: {
        observe: async () => {
          this.lists += 1;
          return viewOf(this.rows, { listSentAt: this.clock.monotonic() });
        },
        age: () => 0,
      },
      execute: this.#execute.bind(this),
    } as unknown as Service;
    const write = async (resource: RawResource): Promise<RawResource> => {
      this.resources.set(keyText(keyOf(resource)), resource);
      return resource;
    };
    return {
      store: {
        read: (key) => this.resources.get(keyText(key)),
        list: () => [],
        synced: () => true,
        claim: async (resource, ledger = '') => {
          const annotations = { [ledgerAnnotation]: ledger };
          const metadata = { ...resource.metadata, annotations, finalizers: [finalizer] };
          const lost = new StoreError('unreachable', 'the answer was lost');
          this.#claims += 1;
          if (this.undone.includes(this.#claims)) throw lost;
          const written = await write({ ...resource, metadata });
          if (!resource.metadata.finalizers?.includes(finalizer) && this.deletionMs > 0)
            await new Promise((resolve) => this.clock.after(this.deletionMs, () => resolve(undefined)));
          if (this.unheard.includes(this.#claims)) throw lost;
          return written;
        },
        writeStatus: (resource, status) => {
          const { metadata } = this.resources.get(keyText(keyOf(resource))) ?? resource;
          return write({ ...resource, metadata, status: status as Record<string, unknown> });
        },
        release: async () => undefined,
        create: async () => 'created',
        remove: async () => undefined,
        readFresh: async (key) => this.resources.get(keyText(key)),
      },
      services: { lookup: () => usable({ service }) },
      clock: this.clock,
      ...aloneWith([jobExecutionKind]),
      quarantineMs,
      process: this.#name,
    };
  }
}

describe('nine executions that are to start at once', () => {
  test('are announced and sent one after the other: whenever the process is killed, one of them is in doubt', async () => {
    const process = new Process(9);
    const passes = process.run();
    await process.clock.advance(50);
    expect([process.announced, process.received.length]).toEqual([1, 1]);
    process.answer(0);
    await process.clock.advance(1);
    expect([process.announced, process.received.length]).toEqual([1, 2]);
    // The others go away after a while, and come back when it is their turn.
    await process.clock.advance(100);
    process.answer(1);
    const next = (await Promise.all(passes)).map((one) => one.next);
    expect(next.filter((one) => one === 'budget')).toHaveLength(7);
    expect(process.announced).toBe(0);
  });

  test('wait together for deletions that may be under way, and not each in its turn', async () => {
    const process = new Process(9);
    process.deletionMs = 100;
    process.prompt = true;
    const passes = process.run();
    await process.clock.advance(50);
    expect([process.announced, process.received.length]).toEqual([0, 0]);
    await process.clock.advance(50);
    await Promise.all(passes);
    expect(process.received).toHaveLength(9);
  });

  test('wait when the service did not say what became of one, until it answers a list', async () => {
    const process = new Process(9);
    const passes = process.run();
    await process.clock.advance(50);
    process.received[0]?.reject(reset('POST'));
    await process.clock.advance(200);
    await Promise.all(passes);
    expect([process.announced, process.received.length]).toEqual([1, 1]);
    const early = process.run();
    await process.clock.advance(200);
    expect((await Promise.all(early)).filter((one) => one.next === 'at')).toHaveLength(9);
    expect(process.received).toHaveLength(1);
    const told = [...process.resources.values()].map(({ status }) => JSON.stringify(status));
    expect(told.filter((text) => text.includes('did not say whether it started another run'))).toHaveLength(8);
    await process.clock.advance(1_000);
    const lists = process.lists;
    process.prompt = true;
    await Promise.all(process.run());
    expect([process.announced, process.received.length]).toEqual([1, 9]);
    expect(process.lists).toBeGreaterThan(lists);
  });

  test('are not used up by a gateway that answers nothing but starts: two, then one each time after minutes', async () => {
    const process = new Process(9);
    process.gateway = true;
    const sent = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        const passes = process.run();
        await process.clock.advance(1_000);
        await Promise.all(passes);
      }
      return process.received.length;
    };
    expect(await sent(4)).toBe(2);
    const told = [...process.resources.values()].map(({ status }) => JSON.stringify(status));
    const paused = 'did not say whether it started the last 2 runs that it was asked for, although it may answer lists';
    expect(told.filter((text) => text.includes(paused) && text.includes('until a minute after the last'))).toHaveLength(
      7,
    );
    expect(await sent(50)).toBe(2);
    expect(await sent(20)).toBe(3);
    expect(await sent(100)).toBe(3);
    Object.assign(process, { gateway: false, prompt: true });
    expect(await sent(30)).toBe(9);
    expect(process.announced).toBe(3);
  });
});

describe('a process knows what it did not send', () => {
  test('where the API server did not confirm the intent', async () => {
    const process = new Process(1);
    process.unheard = [2];
    await Promise.all(process.run());
    expect([process.announced, process.received.length]).toEqual([1, 0]);
    await Promise.all(process.run());
    expect(process.announced).toBe(0);
    process.prompt = true;
    await Promise.all(process.run());
    expect([process.announced, process.received.length]).toEqual([0, 1]);
  });

  test('where the connection was refused, and the API server did not confirm that in the ledger', async () => {
    const process = new Process(1);
    process.undone = [3];
    const first = process.run();
    await process.clock.advance(50);
    process.received[0]?.reject(unsent('POST'));
    await Promise.all(first);
    expect([process.announced, process.received.length]).toEqual([1, 1]);
    await Promise.all(process.run());
    expect(process.announced).toBe(0);
    process.prompt = true;
    await Promise.all(process.run());
    expect([process.announced, process.received.length]).toEqual([0, 2]);
  });

  test('and does not take for unsent what it sent, or what another process announced', async () => {
    const process = new Process(1);
    const first = process.run();
    await process.clock.advance(50);
    process.received[0]?.reject(reset('POST'));
    await Promise.all(first);
    await process.clock.advance(2_000);
    await Promise.all(process.run());
    expect([process.announced, process.received.length]).toEqual([1, 1]);
    const other = new Process(1, 'other');
    for (const [key, resource] of process.resources) other.resources.set(key, resource);
    await Promise.all(other.run());
    expect([other.announced, other.received.length]).toEqual([1, 0]);
  });
});
