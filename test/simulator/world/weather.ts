// What goes wrong with each request now: the faults of a plan, asked for one request at a time.
import type { ApiCall } from '../../../src/kube/http/call.ts';
import { targetOf } from '../../../src/kube/target.ts';
import type { Fate } from '../api/api-way.ts';
import { chanceOf } from '../plan/chance.ts';
import { type Fault, longestLateMs, type Plan, promptMs, type Trouble } from '../plan/plan.ts';
import type { ServiceRequest } from '../service/service.ts';
import type { ServiceFate } from '../service/service-way.ts';
import type { Replica } from './replica.ts';

type Of<W extends Trouble['what']> = Extract<Trouble, { readonly what: W }>;

/** What keeps changes from a replica. */
const delaying: readonly Trouble['what'][] = [
  'api answers',
  'api loses',
  'api is slow',
  'watches end',
  'versions are forgotten',
  'watches lag',
  'pause',
  'cut off',
];
/** So many ms after these, a replica knows of all that was before. */
const caughtUpMs = 60_000;

export class Weather {
  readonly #plan: Plan;
  readonly #now: () => number;
  /** Hears of each fault that hits something. */
  readonly #hit: (what: string) => void;
  #asked = 0;
  #inForce: readonly Fault[] = [];

  constructor(plan: Plan, now: () => number, hit: (what: string) => void) {
    this.#plan = plan;
    this.#now = now;
    this.#hit = hit;
  }

  begin(fault: Fault): void {
    this.#inForce = [...this.#inForce, fault];
  }

  end(fault: Fault): void {
    this.#inForce = this.#inForce.filter((one) => one !== fault);
  }

  api(replica: Replica, { method, path }: Pick<ApiCall, 'method' | 'path'>): Fate {
    const { resource } = targetOf(path);
    const quick = this.#plan.latencyMs;
    const [toMs, backMs] = [quick * this.#chance('to'), quick * this.#chance('back')];
    const good: Fate = { toMs, backMs, applied: true, answered: true, instead: undefined };
    if (this.#cut(replica, 'api')) return { ...good, applied: false, answered: false };
    const slow = this.#drawn('api is slow');
    const slowed =
      slow === undefined
        ? good
        : { ...good, toMs: toMs + slow.ms * this.#chance('slow'), backMs: backMs + slow.ms * this.#chance('slower') };
    const lost = this.#drawn('api loses');
    if (lost !== undefined) {
      this.#hit(`api loses ${lost.applied ? 'answer' : 'request'} of ${method} ${resource}`);
      return { ...slowed, applied: lost.applied, answered: false };
    }
    const told = this.#drawn('api answers');
    // Nobody is told of a conflict that there was not where it decides who leads.
    if (told === undefined || (told.status === 409 && method === 'GET')) return slowed;
    this.#hit(`api answers ${told.status}`);
    const applied = told.applied && told.status >= 500;
    return { ...slowed, applied, answered: true, instead: told.status };
  }

  lagMs(replica: Replica): number {
    const lags = this.#inForce.some(
      ({ trouble }) => trouble.what === 'watches lag' && `${trouble.replica}` === replica.name.split('-')[0],
    );
    if (lags) this.#hit('watch lags');
    return this.#plan.latencyMs * this.#chance('lag') + (lags ? 20_000 : 0);
  }

  service(replica: Replica, { method }: ServiceRequest): ServiceFate {
    const quick = this.#plan.latencyMs;
    const slow = this.#drawn('service is slow');
    if (slow !== undefined) this.#hit('service is slow');
    const more = slow === undefined ? 0 : slow.ms * this.#chance('late');
    const good: ServiceFate = {
      connectMs: quick * this.#chance('connect'),
      toMs: quick * this.#chance('there') + more,
      backMs: quick * this.#chance('and back') + more * this.#chance('later'),
      lost: undefined,
      lateMs: 0,
      told: 'reset',
    };
    if (this.#cut(replica, 'service')) return { ...good, lost: 'refused' };
    const lost = this.#drawn('service loses', ({ method: only }) => only === undefined || only === method);
    if (lost === undefined) return good;
    this.#hit(`service loses ${method} ${lost.part}`);
    const told = (['reset', 'gateway', 'nothing'] as const)[Math.floor(3 * this.#chance('told'))] ?? 'reset';
    return { ...good, lost: lost.part, lateMs: Math.min(lost.lateMs, longestLateMs), told };
  }

  /** How old lists of the service may be. */
  listLagMs(): number {
    return Math.max(
      0,
      ...this.#plan.faults.map(({ trouble }) =>
        trouble.what === 'service' ? (trouble.personality.listLagMs ?? 0) : 0,
      ),
    );
  }

  /** How old what a replica knows of the API server may be: while that is troubled, as old as the trouble. */
  behindMs(): number {
    const now = this.#now();
    const lasting = this.#plan.faults.filter(
      ({ at, ms, trouble }) => delaying.includes(trouble.what) && at <= now && now <= at + ms + caughtUpMs,
    );
    return promptMs + Math.max(0, ...lasting.map(({ at }) => now - at));
  }

  #cut(replica: Replica, from: 'api' | 'service'): boolean {
    const cut = this.#inForce.some(
      ({ trouble }) =>
        trouble.what === 'cut off' && trouble.from === from && `${trouble.replica}` === replica.name.split('-')[0],
    );
    if (cut) this.#hit(`cut off from ${from}`);
    return cut;
  }

  #drawn<W extends Trouble['what']>(what: W, fits: (trouble: Of<W>) => boolean = () => true): Of<W> | undefined {
    for (const { trouble } of this.#inForce) {
      if (trouble.what !== what || !fits(trouble as Of<W>)) continue;
      if (this.#chance(what) < (trouble as { readonly share: number }).share) return trouble as Of<W>;
    }
    return undefined;
  }

  #chance(question: string): number {
    this.#asked += 1;
    return chanceOf(this.#plan.seed, `${question} ${this.#asked} ${Math.floor(this.#now())}`);
  }
}
