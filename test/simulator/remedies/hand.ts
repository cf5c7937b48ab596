// A world that a test drives by hand: what users and others do, and what the status of an object reports then, in virtual time.
import type { Personality } from '../../../dev/personality/personality.ts';
import { objectPath } from '../../../src/kube/resource.ts';
import { apiVersion } from '../../../src/operator/api/shared-api.ts';
import { definitions } from '../../../src/operator/kinds/definitions.ts';
import type { Store } from '../../../src/service/model/store/store.ts';
import { type Actor, actors } from '../../gitops/actors.ts';
import { statusAnswer } from '../api/api-server.ts';
import { conditionsOf, type Stored } from '../api/fields.ts';
import { type Deed, endpoint, type Plan, placeOf, tenant } from '../plan/plan.ts';
import { small } from '../plan/worlds.ts';
import { World } from '../world/world.ts';

const lookMs = 500;
/** Longer than any deadline and grace of the operator. */
const patienceMs = 90 * 60_000;

const connection: Deed = {
  does: 'apply',
  kind: 'Connection',
  name: 'default',
  spec: { endpoint, tenantID: tenant },
};

/** `Reason of Kind`. */
export const cellOf = (reason: string, kind: string): string => `${reason} of ${kind}`;

const kinds: ReadonlySet<string> = new Set(definitions.map(({ kind }) => kind));

/** Fills with every reason of Ready that is reported in the world from now on, with the kind. */
export function reportedIn({ server }: World): ReadonlySet<string> {
  const reported = new Set<string>();
  server.onChange(({ object }) => {
    const ready = conditionsOf(object).find(({ type }) => type === 'Ready');
    if (ready && kinds.has(object.kind)) reported.add(cellOf(ready.reason, object.kind));
  });
  return reported;
}

export class Hand {
  readonly world: World;
  /** Every reason of Ready that the operator reported, with the kind. */
  readonly reported: ReadonlySet<string>;

  constructor(plan: Partial<Plan> = {}) {
    this.world = new World({ ...small, steps: [], faults: [], ...plan });
    this.reported = reportedIn(this.world);
    this.world.start(0);
  }

  /** Ends the operator, and answers what broke an invariant of the simulation. */
  end(): readonly string[] {
    for (const replica of this.world.replicas) replica?.kill();
    return this.world.violations.map(({ invariant, what }) => `${invariant}: ${what}`);
  }

  apply(kind: string, name: string, spec: object): void {
    this.world.act({ does: 'apply', kind, name, spec });
  }

  edit(kind: string, name: string, spec: object): void {
    this.world.act({ does: 'edit', kind, name, spec });
  }

  annotate(kind: string, name: string, annotation: string, value: string | null): void {
    this.world.act({ does: 'annotate', kind, name, annotation, value });
  }

  delete(kind: string, name: string): void {
    this.world.act({ does: 'delete', kind, name });
  }

  /** A user removes the finalizers by hand. */
  releases(kind: string, name: string): void {
    const { plural, namespace } = placeOf(kind);
    const path = objectPath({ kind, apiVersion, plural }, { namespace, name });
    const body = { metadata: { finalizers: null } };
    this.world.user({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
  }

  connect(): void {
    this.world.act(connection);
  }

  /** Somebody else sends a request to the service. */
  others(method: string, path: string, body: object): void {
    const { service, facts } = this.world;
    const request = { method, path: `/v1.0/${tenant}/${path}`, body: JSON.stringify(body) };
    const { status, body: text } = facts.ownership.byOthers(() => service.act(request));
    if (status >= 300) throw new Error(`cannot ${method} ${path}: ${text}`);
  }

  /** Somebody else sends this request every second, until the answered function is called. */
  insists(method: string, path: string, body: object): () => void {
    let goesOn = true;
    const again = (): void => {
      if (!goesOn) return;
      this.others(method, path, body);
      this.world.scheduler.after(1_000, again);
    };
    again();
    return () => {
      goesOn = false;
    };
  }

  /** The API server refuses requests whose path ends like this, until the answered function is called. `containing`: only those with this text. */
  rejects(path: string, method: string, message: string, { status = 403, containing = '' } = {}): () => void {
    const { server } = this.world;
    const handle = server.handle.bind(server);
    server.handle = (request) =>
      request.method === method && request.path.endsWith(path) && JSON.stringify([request.body]).includes(containing)
        ? statusAnswer(status, status === 403 ? 'Forbidden' : 'Invalid', message)
        : handle(request);
    return () => {
      server.handle = handle;
    };
  }

  /** The service has lost its records of this kind, until the answered function is called. */
  takesAway(kind: Parameters<Store['list']>[0]): () => void {
    const { store } = this.world.service;
    const records = [...store.list(kind, tenant)];
    for (const { id } of records) store.remove(kind, tenant, id);
    return () => {
      for (const record of records) store.put(kind, tenant, record);
    };
  }

  /** The object of the service gets another name there. */
  renames(kind: Parameters<Store['list']>[0], id: string, nameOf: (name: string) => string): void {
    const { store } = this.world.service;
    const record = [...store.list(kind, tenant)].find((one) => one.id === id);
    if (!record || !('name' in record)) throw new Error(`the service has no ${kind} ${id} with a name`);
    store.put(kind, tenant, { ...record, name: nameOf(record.name) } as never);
  }

  /** From now on the service behaves like this. */
  service(personality: Personality): void {
    this.world.service.injector.replace(personality);
  }

  /** The Connection, and what the object needs. */
  async ground({ kind, needs }: Actor): Promise<void> {
    if (isConnection(kind)) return;
    this.connect();
    await this.reports('Connection', 'default', 'Available');
    for (const need of needs) this.apply(need.kind, need.name, need.spec);
    for (const need of needs) await this.reports(need.kind, need.name, 'Available');
  }

  create(actor: Actor, change: object = {}): void {
    this.apply(actor.kind, subject, { ...actor.spec(undefined as never), ...change });
  }

  object(kind: string, name: string): Stored | undefined {
    const { plural, namespace } = placeOf(kind);
    return this.world.server.get(plural, namespace, name);
  }

  #ready(kind: string, name: string) {
    const object = this.object(kind, name);
    return object && conditionsOf(object).find(({ type }) => type === 'Ready');
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    const { scheduler } = this.world;
    for (const end = scheduler.now + patienceMs; !holds(); await this.world.advance(scheduler.now + lookMs))
      if (scheduler.now > end) throw new Error(`in vain for ${patienceMs / 60_000} minutes: ${what}`);
  }

  /** Waits until Ready has the reason, and answers its message. */
  async reports(kind: string, name: string, ...reasons: readonly string[]): Promise<string> {
    const now = () => this.#ready(kind, name);
    const wanted = () => {
      const { reason, observedGeneration } = now() ?? {};
      return reasons.includes(reason ?? '') && observedGeneration === this.object(kind, name)?.metadata.generation;
    };
    try {
      await this.until(`${kind} ${name} reports ${reasons.join(' or ')}`, wanted);
    } catch (cause) {
      throw new Error(`${kind} ${name} reports ${now()?.reason}: ${now()?.message}`, { cause });
    }
    return now()?.message ?? '';
  }

  /** Waits until it reports the reason, or another plan than this one; answers the message. */
  async isOver(kind: string, name: string, hash: string, reason: string): Promise<string> {
    const message = () => this.#ready(kind, name)?.message ?? '';
    const isNext = () => this.#ready(kind, name)?.reason === 'PlanPending' && !message().endsWith(`=${hash}`);
    await this.until(`${kind} ${name} reports ${reason}`, () => this.#ready(kind, name)?.reason === reason || isNext());
    return message();
  }

  async gone(kind: string, name: string): Promise<void> {
    await this.until(`${kind} ${name} is gone`, () => this.object(kind, name) === undefined);
  }
}

/** Of the object that a scene is about. */
export const subject = 'one';

/** What a working object reports in the end. */
export const success = (kind: string): string => (kind === 'JobExecution' ? 'Succeeded' : 'Available');

/** Both kinds are Ready when the service answers. */
export const isConnection = (kind: string): boolean => kind === 'Connection' || kind === 'SharedConnection';

export function actorOf(kind: string): Actor {
  const found = actors.find((one) => one.kind === (isConnection(kind) ? 'Connection' : kind));
  if (!found) throw new Error(`no actor for ${kind}`);
  return isConnection(kind) ? { ...found, kind, spec: () => ({ endpoint, tenantID: tenant }) } : found;
}

export function specOf(kind: string): object {
  return actorOf(kind).spec(undefined as never);
}
