// A source on a scripted transport and a clock that the test moves.
import { ApiError } from '../../../../src/kube/api-error.ts';
import { Cache, type Delta } from '../../../../src/kube/watch/watch-cache.ts';
import { type SourceOptions, WatchSource } from '../../../../src/kube/watch/watch-source.ts';
import { ManualClock, settle } from '../../../support/clock.ts';
import { FakeTransport, type OpenStream } from './fake-transport.ts';
import { bookmark, event, type Sketch, widgets } from './objects.ts';
import { fixedRandom, type RecordingLog, recordingLog } from './ports.ts';

export interface Told {
  readonly changes: readonly Delta[];
  readonly initial: boolean;
}

export class SourceBench {
  readonly clock = new ManualClock();
  readonly transport = new FakeTransport();
  readonly cache = new Cache();
  readonly log: RecordingLog = recordingLog();
  readonly told: Told[] = [];
  readonly source: WatchSource;
  readonly #stop = new AbortController();
  #run: Promise<void> | undefined;

  /** Random is always one half: a backoff takes 400, 800, 1600 ... ms, and a list lasts exactly `relistMs`. */
  constructor(options: Partial<SourceOptions> = {}) {
    this.source = new WatchSource({
      transport: this.transport,
      kind: widgets,
      namespace: undefined,
      cache: this.cache,
      clock: this.clock,
      random: fixedRandom(0.5),
      log: this.log,
      relistMs: 1_800_000,
      publish: (changes) => void this.told.push({ changes, initial: false }),
      publishList: async (changes, initial) => {
        this.told.push({ changes, initial });
        return true;
      },
      ...options,
    });
  }

  async start(): Promise<void> {
    this.#run = this.source.run(this.#stop.signal);
    await settle();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('stopped'));
    await this.#run;
  }

  /** Starts, and lets the first list arrive by stream. */
  async synced(version: number, ...sketches: readonly Sketch[]): Promise<OpenStream> {
    await this.start();
    await this.sendList(version, ...sketches);
    return this.stream;
  }

  async sendList(version: number, ...sketches: readonly Sketch[]): Promise<void> {
    await this.stream.send(...sketches.map((sketch) => event('ADDED', sketch)), bookmark(version, true));
  }

  /** Moves time on until the next watch is opened. */
  async untilOpened(): Promise<OpenStream> {
    const before = this.transport.streams.length;
    while (this.transport.streams.length === before) await this.clock.advance(50);
    return this.stream;
  }

  /** The newest stream. */
  get stream(): OpenStream {
    return this.transport.newest;
  }

  /** What is in the cache, as `name@version`. */
  get held(): readonly string[] {
    return [...this.cache.values()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).toSorted();
  }

  /** What was told, as `+name`, `~name`, `-name`. */
  get changes(): readonly string[] {
    return this.told.flatMap(({ changes }) => changes.map(deltaText));
  }

  /** The starting points of all watches so far: a version, or `list`. */
  get starts(): readonly string[] {
    return this.transport.streams.map(({ call }) => String(call.query?.['resourceVersion'] ?? 'list'));
  }
}

function deltaText({ previous, current }: Delta): string {
  const sign = previous === undefined ? '+' : current === undefined ? '-' : '~';
  return `${sign}${(current ?? previous)?.metadata.name}`;
}

export const none = { expired: 0, fruitless: 0, absent: 0, schedule: 0 };

export function refused(status: number, retryAfterMs?: number): ApiError {
  const category = status === 429 ? 'throttled' : status === 422 || status === 400 ? 'invalid' : 'unreachable';
  return new ApiError(category, `cannot watch widgets: ${status}`, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

export const broken = new ApiError('unreachable', 'cannot watch widgets: other side closed');
