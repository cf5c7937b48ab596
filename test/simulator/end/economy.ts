// What a world may cost: writes that change something, retries that are few and not in step, and nothing that grows. Judged once it has ended.
import type { Deed, Plan } from '../plan/plan.ts';
import type { World } from '../world/world.ts';

/** LISTs of a collection, other requests to the service, and failed passes of a resource, each in a minute; timers at the end. All but the failures are those of a replica. */
export type Peaks = Readonly<Record<'lists' | 'requests' | 'failures' | 'timers', number>>;

interface Waste {
  readonly invariant: string;
  readonly what: string;
}

/** In a minute: one a second, and the burst at the edges of the minute. */
const mostLists = 64;
/** Other than LISTs. In a minute and of a replica, for ten resources at most: twice what was ever seen, as for the next ones. */
const mostRequests = 140;
/** In a minute: the backoff lets seven pass, and changes of what a resource refers to lead to others. */
const mostFailures = 40;
/** Of each replica: watches, their limits, polls and the lease. */
const mostTimers = 95;
/** Within a steady time: requests that are just under way. */
const mostMoreTimers = 15;

export function peaksOf({ figures, plan, scheduler }: World): Peaks {
  return {
    lists: Math.max(0, ...figures.lists.values()) / plan.replicas.length,
    requests: Math.max(0, ...figures.rates.values()) / plan.replicas.length,
    failures: Math.max(0, ...figures.retries.rates.values()),
    timers: scheduler.pending / plan.replicas.length,
  };
}

/** E2 and E3. */
export function wasted(world: World): readonly Waste[] {
  const { lists, requests, failures } = peaksOf(world);
  return [
    ...writesOf(world),
    ...over('E3', lists, mostLists, 'LISTs of a collection by a replica in a minute'),
    ...over('E3', requests, mostRequests, 'requests of a replica to the service in a minute, other than LISTs,'),
    ...over('E3', failures, mostFailures, 'failed passes of a resource in a minute'),
    ...inStep(world.figures.retries.delays, waitsAsked(world.plan)),
  ];
}

/** E4, in a steady time. `replicas`: how many have these timers. */
export function grown(before: number, after: number, replicas: number): readonly Waste[] {
  return [
    ...over('E4', after / replicas, mostTimers, 'timers of a replica at rest'),
    ...over('E4', after - before, mostMoreTimers, 'timers more than a while ago, at rest'),
  ];
}

const ceilingsMs = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
const atCeiling = (ms: number): boolean => ceilingsMs.some((ceiling) => Math.abs(ms - ceiling) <= ceiling / 50);

/** What one list lacks is looked for in another one a poll later, and up to a tenth more: no backoff. */
const isSecondLook = (ms: number): boolean => ms >= 30_000 && ms <= 33_500;

/** In ms: what the service asks for in Retry-After. */
function waitsAsked({ faults }: Plan): readonly number[] {
  const answers = faults.flatMap(({ trouble }) =>
    trouble.what === 'service' ? (trouble.personality.faults ?? []).map(({ answer }) => answer) : [],
  );
  return answers.flatMap((answer) =>
    answer?.is === 'refusal' && answer.retryAfter !== undefined ? [answer.retryAfter * 1_000] : [],
  );
}

/** The first to come back after the wait that was asked for finds the service well, and with that wakes the others: up to a tenth later, on a clock that may be 2 % off. */
const isAsked = (ms: number, asked: readonly number[]): boolean =>
  asked.some((wait) => ms >= wait * 0.98 && ms <= wait * 1.13);

/** E3: delays with full jitter are hardly ever those of the bare backoff. `asked`: the waits that the service asks for, in ms. */
export function inStep(delays: readonly number[], asked: readonly number[] = []): readonly Waste[] {
  const later = delays.filter((ms) => ms > 1_900 && !isSecondLook(ms) && !isAsked(ms, asked));
  const bare = later.filter(atCeiling).length;
  if (later.length < 10 || bare < 0.9 * later.length) return [];
  return [{ invariant: 'E3', what: `${bare} of ${later.length} retries came after the bare backoff, without jitter` }];
}

function over(invariant: string, is: number, most: number, what: string): readonly Waste[] {
  return is > most ? [{ invariant, what: `${is} ${what}, and at most ${most} are well` }] : [];
}

/** E2: without trouble every real change takes one write to the service. */
function writesOf({ plan, figures }: World): readonly Waste[] {
  if (plan.faults.length > 0) return [];
  const deeds = plan.steps.map(({ deed }) => deed);
  const count = (...does: readonly Deed['does'][]) => deeds.filter((deed) => does.includes(deed.does)).length;
  // The next one takes over.
  const left = deeds.filter((deed) => deed.does === 'delete' && deed.kind === 'NodeGroup').length;
  const edits = count('edit', 'apply') + left;
  const remade = count('vanish', 'lose all', 'recreate');
  return [...figures.effects].flatMap(([effect, times]) => {
    // An image is registered anew where its description is edited, and what was made of an edited object may be taken back.
    const revised = /^POST (images|.*-templates|data-sources|job-binar.*|jobs) /.test(effect)
      ? deeds.filter(isEditOfTemplate).length
      : 0;
    // Until it is known what the service has lost, what refers to that is refused; so is what is sent with a token that a user made wrong.
    const mayBeRefused = count('lose all') > 0 || deeds.some(isOfSecret);
    const refused = mayBeRefused ? (figures.refused.get(effect) ?? 0) : 0;
    const most = refused + (effect.startsWith('PUT') ? edits : 1 + remade + revised);
    return effect.startsWith('DELETE') ? [] : over('E2', times, most, `times ${effect}`);
  });
}

const isOfSecret = (deed: Deed): boolean => 'kind' in deed && deed.kind === 'Secret';
const isEditOfTemplate = (deed: Deed): boolean => deed.does === 'edit' && !['Cluster', 'NodeGroup'].includes(deed.kind);
