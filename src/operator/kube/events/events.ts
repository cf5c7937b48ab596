// Sends Kubernetes events in the background: repeated ones as a series, within a rate limit.
import { ApiError } from '../../../kube/api-error.ts';
import type { ApiTransport } from '../../../kube/http/transport.ts';
import type { CommonPorts } from '../../../lib/ports.ts';
import { TokenBucket } from '../../../lib/timing/token-bucket.ts';
import type { EventNote, EventSink } from '../../reconcile/pass-ports.ts';
import { eventBody, namespaceOfEvents, type Reporter, seriesBody } from './event-body.ts';
import { type EventEntry, EventMemory } from './event-memory.ts';

interface EventSinkOptions extends CommonPorts {
  readonly transport: ApiTransport;
  /** `reportingController` of the events. */
  readonly component: string;
  /** `reportingInstance` of the events: the name of the pod. */
  readonly instance: string;
  /** Over all objects, including repetitions. */
  readonly ratePerSecond: number;
  readonly burst: number;
}

interface EventStatistics {
  readonly sent: number;
  /** Not sent, because the queue was full. */
  readonly dropped: number;
  /** Rejected by the API server, or not delivered. */
  readonly failed: number;
}

const mostWaiting = 1000;
const mostInFlight = 2;

export class EventSender implements EventSink {
  readonly #options: EventSinkOptions;
  readonly #reporter: Reporter;
  readonly #bucket: TokenBucket;
  readonly #memory: EventMemory;
  readonly #waiting: EventEntry[] = [];
  readonly #idle = new Set<() => void>();
  #sending = 0;
  #timer: (() => void) | undefined;
  #sent = 0;
  #dropped = 0;
  #failed = 0;

  constructor(options: EventSinkOptions) {
    this.#options = options;
    this.#reporter = { component: options.component, instance: options.instance };
    this.#memory = new EventMemory(options.clock);
    this.#bucket = new TokenBucket(options.clock, { perSecond: options.ratePerSecond, burst: options.burst });
  }

  emit(event: EventNote): void {
    this.#enqueue(this.#memory.note(event));
  }

  counts(): EventStatistics {
    return { sent: this.#sent, dropped: this.#dropped, failed: this.#failed };
  }

  /** Resolves when everything is sent, or after `timeoutMs`. Never rejects. */
  flush(timeoutMs: number): Promise<void> {
    if (this.#done()) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel();
        this.#idle.delete(finish);
        resolve();
      };
      const cancel = this.#options.clock.after(timeoutMs, finish);
      this.#idle.add(finish);
    });
  }

  /** A waiting entry already includes its repetitions. One that is being sent is queued again afterwards. */
  #enqueue(entry: EventEntry): void {
    if (entry.state !== 'idle') return;
    if (this.#waiting.length >= mostWaiting) {
      this.#dropped += 1;
      return;
    }
    entry.state = 'waiting';
    this.#waiting.push(entry);
    this.#pump();
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#sending < mostInFlight && this.#timer === undefined) {
      const waitMs = this.#bucket.waitMs();
      if (waitMs > 0) this.#pause(waitMs);
      else this.#next();
    }
    if (this.#done()) for (const finish of this.#idle) finish();
  }

  #pause(waitMs: number): void {
    this.#timer = this.#options.clock.after(waitMs, () => {
      this.#timer = undefined;
      this.#pump();
    });
  }

  #next(): void {
    const entry = this.#waiting.shift();
    if (entry === undefined) return;
    this.#bucket.take();
    this.#sending += 1;
    entry.state = 'sending';
    const { count } = entry;
    const finish = (): void => {
      this.#sending -= 1;
      entry.state = 'idle';
      if (entry.count > count) this.#enqueue(entry);
      this.#pump();
    };
    this.#send(entry).then(finish, finish);
  }

  async #send(entry: EventEntry): Promise<void> {
    try {
      await (entry.path === undefined ? this.#create(entry) : this.#extend(entry, entry.path));
      this.#sent += 1;
    } catch (err) {
      this.#failed += 1;
      const { kind, metadata } = entry.event.regarding;
      const fields = { kind, namespace: metadata.namespace, name: metadata.name, err };
      // At debug level, because a terminating namespace rejects every event.
      this.#options.log.debug(fields, `cannot record event ${entry.event.reason}`);
    }
  }

  async #create(entry: EventEntry): Promise<void> {
    const namespace = encodeURIComponent(namespaceOfEvents(entry.event));
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const body = eventBody(entry.event, entry, this.#reporter);
    const answer = await this.#options.transport.request({ method: 'POST', path, body });
    const name = (answer as { metadata?: { name?: string } } | undefined)?.metadata?.name;
    if (name !== undefined) entry.path = `${path}/${encodeURIComponent(name)}`;
  }

  async #extend(entry: EventEntry, path: string): Promise<void> {
    const contentType = 'application/merge-patch+json';
    try {
      await this.#options.transport.request({ method: 'PATCH', path, contentType, body: seriesBody(entry) });
    } catch (error) {
      if (!(error instanceof ApiError && error.category === 'gone')) throw error;
      // The event expired or was deleted. A new one continues the count.
      await this.#create(entry);
    }
  }

  #done(): boolean {
    return this.#waiting.length === 0 && this.#sending === 0;
  }
}
