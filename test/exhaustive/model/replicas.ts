// The steps of a replica: it begins a pass, or the request that its pass waits for is carried out and answered, in one way or another.

import { brokenBy } from '../invariants.ts';
import { restraintsOf } from '../restraints.ts';
import { factsOf, newest, writeOf } from './api-server.ts';
import { isUsable, sharedLookMs } from './memory.ts';
import type { Move } from './moves.ts';
import type { Busy, Call, Course } from './passes.ts';
import { nobody, rowsWith } from './referrer.ts';
import { countsOf, type Effect, post, postRemnant, put, remove, rowsOf } from './service.ts';
import { setterSeen } from './setter.ts';
import { type Chance, type Flight, type Replica, type Rules, spend, type World } from './world.ts';

/** One way in which a request goes. */
interface Way {
  readonly label: string;
  readonly answer: string;
  readonly world: World;
}

export async function replicaMoves(rules: Rules, world: World, index: number): Promise<readonly Move[]> {
  const replica = replicaOf(world, index);
  if (rules.passes.at(replica.course).state === 'idle') return begins(rules, world, index);
  if (replica.late === undefined) return requested(rules, world, index);
  return [await answered(rules, index, { label: 'the answer arrives', answer: replica.late, world })];
}

/** The ways of the request that a pass waits for. */
async function requested(rules: Rules, world: World, index: number): Promise<readonly Move[]> {
  const busy = rules.passes.at(replicaOf(world, index).course);
  if (busy.state !== 'busy') return [];
  const moves: Move[] = [];
  for (const way of waysOf(rules, world, { index, busy })) moves.push(await answered(rules, index, way));
  if (busy.call.call === 'list' && world.left.delays > 0)
    moves.push(delayed(world, index, listed(rules, world, busy.call)));
  return moves;
}

const nameOf = (index: number): string => 'AB'[index] ?? '';

/** It reads its cache and the list in one step: what happens between the two also happens when the cache is behind. */
async function begins(rules: Rules, world: World, index: number): Promise<readonly Move[]> {
  const replica = replicaOf(world, index);
  const idle = rules.passes.at(replica.course);
  const pollMs = idle.state === 'idle' && isUsable(idle, world.elapsed) ? [0, sharedLookMs] : [0];
  const moves: Move[] = [];
  for (let lag = 0; lag <= replica.lag; lag += 1)
    for (const age of pollMs) moves.push(...(await begun(rules, world, { index, lag, pollMs: age })));
  return moves;
}

interface Beginning {
  readonly index: number;
  readonly lag: number;
  readonly pollMs: number;
}

async function begun(rules: Rules, world: World, { index, lag, pollMs }: Beginning): Promise<readonly Move[]> {
  const version = world.versions[world.versions.length - 1 - lag];
  if (version === undefined) return [];
  const { course: before, process } = replicaOf(world, index);
  const idle = rules.passes.tidied(before, world.elapsed, pollMs > 0);
  const course = await rules.passes.begin({
    idle,
    version,
    elapsed: world.elapsed,
    pollMs,
    process,
    referrer: referrerOf(rules, world, version),
    setter: setterSeen(rules, world),
  });
  const behind = lag === 0 ? world : spend(world, 'stales');
  const spent = pollMs === 0 ? behind : spend(behind, 'reuses');
  const label = `${nameOf(index)} begins a pass${lag === 0 ? '' : `, ${lag} behind`}${pollMs === 0 ? '' : ', with the list that it has'}`;
  const first = moved(rules, spent, { index, label, replica: { course, process, lag, current: lag === 0 } });
  const busy = rules.passes.at(course);
  if (busy.state === 'idle' || busy.call.call !== 'list') return [first];
  const moves = await requested(rules, first.world, index);
  return moves.map((move) => ({ ...move, label: `${label}; ${move.label}` }));
}

function replicaOf(world: World, index: number): Replica {
  const replica = world.replicas[index];
  if (!replica) throw new Error('there is no such replica');
  return replica;
}

/** The replica goes on, and perhaps sends something. */
function moved(
  rules: Rules,
  world: World,
  step: { readonly index: number; readonly label: string; readonly replica: Replica },
): Move {
  const { index, label, replica } = step;
  const course = rules.passes.at(replica.course);
  const on = { ...world, replicas: world.replicas.with(index, replica) };
  if (course.state === 'idle')
    return { label: `${label}; the pass ends`, world: course.told ? { ...on, isAdoptionTold: true } : on };
  return { label: `${label}; it asks to ${wordsOf(course.call)}`, ...brokenBy(rules, on, course) };
}

async function answered(rules: Rules, index: number, way: Way): Promise<Move> {
  const { world, answer, label } = way;
  const replica = replicaOf(world, index);
  const before = rules.passes.at(replica.course);
  const referrer = before.state === 'busy' ? referrerOf(rules, world, before.start.version) : 0;
  const course = await rules.passes.goOn(replica.course, {
    answer,
    elapsed: world.elapsed,
    cached: cachedAfter(rules, world, before),
    referrer,
    setter: setterAfter(rules, world, before),
  });
  const { late: _arrived, ...rest } = replica;
  const move = moved(rules, world, { index, label: `${nameOf(index)}: ${label}`, replica: { ...rest, course } });
  return rules.promptStatus && move.broken === undefined ? reported(rules, move, index) : move;
}

/** The status is written, too, before anything else happens. */
async function reported(rules: Rules, move: Move, index: number): Promise<Move> {
  const busy = rules.passes.at(replicaOf(move.world, index).course);
  if (busy.state !== 'busy' || busy.call.call !== 'status') return move;
  const next = await answered(rules, index, { label: 'status is written', ...writeOf(rules, move.world, index) });
  return { ...next, label: `${move.label}; ${next.label}` };
}

/** Read now; anything may happen before the answer arrives. */
function delayed(world: World, index: number, answer: string): Move {
  const replica = replicaOf(world, index);
  const replicas = world.replicas.with(index, { ...replica, late: answer });
  return {
    label: `${nameOf(index)}: the list is read, and its answer takes its time`,
    world: { ...spend(world, 'delays'), replicas },
  };
}

/** Only a pass that began with more than one claim asks who refers to them: to all others it is the same. */
function referrerOf(rules: Rules, { referrer }: World, version: number): number {
  const ledger = factsOf(rules, version)?.ledger;
  const asked = ledger?.state === 'ours' && ledger.ledger.claims.length > 1;
  return rules.tables.referrers.numberOf(asked ? referrer : nobody);
}

/** Whether it planned with what is still so a pass asks once its intent is written: until then it makes no difference. */
function setterAfter(rules: Rules, world: World, before: Course): number {
  if (before.state === 'idle' || before.call.call === 'claim') return setterSeen(rules, world);
  return before.answers.at(-1)?.setter ?? before.start.setter;
}

/** Caches have caught up when an answer arrives. A pass asks them again only for what forbids a write. */
function cachedAfter(rules: Rules, world: World, before: Course): number | undefined {
  const mine = before.state === 'busy' ? factsOf(rules, before.version) : undefined;
  const now = factsOf(rules, newest(world));
  if (!mine || now?.resource.metadata.uid !== mine.resource.metadata.uid) return undefined;
  return restraintsOf(now) === restraintsOf(mine) ? undefined : newest(world);
}

function listed({ tables }: Rules, { rows, referrer }: World, { of }: Extract<Call, { call: 'list' }>): string {
  return `rows ${of === 'referring' ? tables.rows.numberOf(rowsWith(referrer)) : rows}`;
}

interface Asking {
  readonly index: number;
  readonly busy: Busy;
}

function waysOf(rules: Rules, world: World, asking: Asking): readonly Way[] {
  const { call } = asking.busy;
  switch (call.call) {
    case 'list':
      return [
        { label: 'the list arrives', answer: listed(rules, world, call), world },
        ...fails(world, 'losses', 'reset'),
      ];
    case 'get': {
      const found = rowsOf(rules, world).filter((row) => row.id === call.id);
      return [
        { label: 'the object is read', answer: `rows ${rules.tables.rows.numberOf(found)}`, world },
        ...fails(world, 'losses', 'reset'),
      ];
    }
    case 'claim':
    case 'status':
    case 'release':
      return writes(rules, world, asking);
    case 'read':
      return [fresh(world, asking.index)];
    case 'post':
    case 'put':
    case 'delete':
      return sends(rules, world, asking);
  }
}

function fresh(world: World, index: number): Way {
  const replica = replicaOf(world, index);
  const replicas = world.replicas.with(index, { ...replica, current: true });
  return { label: 'the resource is read', answer: `version ${newest(world)}`, world: { ...world, replicas } };
}

function fails(world: World, chance: Chance, failure: string): readonly Way[] {
  return world.left[chance] === 0
    ? []
    : [{ label: `the request fails (${failure})`, answer: `failure ${failure}`, world: spend(world, chance) }];
}

function writes(rules: Rules, world: World, { index, busy }: Asking): readonly Way[] {
  const done = writeOf(rules, world, index);
  const label =
    done.answer === 'store conflict' ? `${busy.call.call} is refused with 409` : `${busy.call.call} is written`;
  const plain = { label, ...done };
  if (world.left.silences === 0 || done.world === world) return [plain];
  const replica = world.replicas[index];
  if (!replica) return [plain];
  // The writer does not learn of the new version.
  const replicas = done.world.replicas.with(index, {
    ...replica,
    lag: Math.min(replica.lag + 1, rules.lag),
    current: false,
  });
  const versions = [...world.versions, newest(done.world)];
  const unheard = { ...spend(done.world, 'silences'), versions, replicas };
  return [plain, { label: `${label}, and the answer is lost`, answer: 'store unreachable', world: unheard }];
}

/** In time, late or never, with or without an answer. */
function sends(rules: Rules, world: World, { index, busy }: Asking): readonly Way[] {
  const { call } = busy;
  const replica = world.replicas[index];
  const flight = replica && flightOf(rules, replica);
  if (!flight) return [];
  const heard = sent(rules, world, busy);
  const done = effectOf(rules, heard, { call, uid: flight.uid });
  const { left } = world;
  return [
    { label: `${call.call} is answered (${done.answer})`, ...done },
    ...(left.losses > 0
      ? [
          {
            label: `${call.call} takes effect, and the answer is lost`,
            answer: 'failure reset',
            world: spend(done.world, 'losses'),
          },
          {
            label: `${call.call} gets no answer, and is still on its way`,
            answer: 'failure reset',
            world: { ...spend(heard, 'losses'), flights: [...world.flights, flight] },
          },
        ]
      : []),
    ...(left.refusals > 0
      ? [
          { label: `${call.call} is refused`, answer: 'failure quota', world: spend(heard, 'refusals') },
          ...(rules.kind.identity === 'once'
            ? [
                {
                  label: `${call.call} is refused for good`,
                  answer: 'failure invalid',
                  world: spend(heard, 'refusals'),
                },
              ]
            : []),
          { label: `${call.call} is never sent`, answer: 'failure unsent', world: spend(world, 'refusals') },
          ...remnants(rules, world, flight),
        ]
      : []),
  ];
}

/** A PUT that the service may have heard, and did not refuse: a try of the change that it is of. Of a run, that it was asked for. */
export function sent(rules: Rules, world: World, busy: Busy): World {
  if (busy.call.call === 'post' && rules.kind.identity === 'once')
    return { ...world, asked: [...world.asked, busy.call.body.name] };
  const ledger = factsOf(rules, busy.version)?.ledger;
  const change = ledger?.state === 'ours' ? ledger.ledger.change : undefined;
  const counts = busy.call.call === 'put' && (change?.generation ?? 0) === world.changed;
  return counts ? { ...world, puts: world.puts + 1 } : world;
}

function remnants(rules: Rules, world: World, flight: Flight): readonly Way[] {
  if (!('post' in flight)) return [];
  const left = postRemnant(rules, world, flight);
  return left
    ? [{ label: 'post is refused, and leaves a row in Error', answer: 'failure quota', world: spend(left, 'refusals') }]
    : [];
}

function effectOf(rules: Rules, world: World, { call, uid }: { readonly call: Call; readonly uid: string }): Effect {
  switch (call.call) {
    case 'post':
      return post(rules, world, { uid, ...postOf(call) });
    case 'put':
      return put(rules, world, { id: call.id, counts: countsOf(call.body) });
    case 'delete':
      return remove(rules, world, call.id);
    default:
      throw new Error(`${call.call} is no write of the service`);
  }
}

/** The write of the service that a replica waits for, as the network has it. */
export function flightOf({ passes, tables, quarantineMs }: Rules, { course, late }: Replica): Flight | undefined {
  const busy = passes.at(course);
  if (busy.state !== 'busy' || late !== undefined) return undefined;
  const { call, since } = busy;
  const uid = tables.versions.at(busy.version)?.metadata.uid ?? '';
  const on = { until: since + quarantineMs, uid };
  if (call.call === 'post') return { ...on, ...postOf(call) };
  if (call.call === 'put') return { ...on, put: call.id, counts: countsOf(call.body) };
  return call.call === 'delete' ? { ...on, delete: call.id } : undefined;
}

function postOf({ body, of }: Extract<Call, { call: 'post' }>) {
  const { name, cluster_template_id: from } = body;
  const counts = from === undefined ? countsOf(body) : {};
  return { post: name, counts, ...(of === undefined ? {} : { of }), ...(from === undefined ? {} : { from }) };
}

const words = new WeakMap<Call, string>();

function wordsOf(call: Call): string {
  const known = words.get(call) ?? describe(call);
  words.set(call, known);
  return known;
}

function describe(call: Call): string {
  switch (call.call) {
    case 'list':
      return { own: 'LIST', templates: 'LIST the templates', referring: 'LIST what may refer to it' }[call.of];
    case 'get':
      return `GET ${call.id}`;
    case 'post':
      return `POST ${call.body.name}`;
    case 'put':
      return `PUT ${call.id} ${JSON.stringify(countsOf(call.body))}`;
    case 'delete':
      return `DELETE ${call.id}`;
    case 'claim':
      return `write the ledger ${ledgerWords(call.ledger)}`;
    case 'status':
      return 'write the status';
    case 'release':
      return 'take the finalizer off';
    case 'read':
      return 'read the resource anew';
  }
}

function ledgerWords(text: string): string {
  const { claims, change } = JSON.parse(text) as {
    readonly claims: readonly { readonly id?: string; readonly attempts?: { readonly open: number } }[];
    readonly change?: { readonly generation: number };
  };
  const all = claims.map(({ id = 'no id', attempts }) => `${id}, ${attempts?.open ?? 0} open`);
  return `(${all.join('; ')}${change ? `; change of generation ${change.generation}` : ''})`;
}
