// A service to send literal requests to: a bundled one for each test, or the one that `npm run contract` was given. Nothing here knows the
// schemas of the interface: the tests say what goes over the wire.

import { expect, onTestFinished } from 'vitest';
import type { Clock } from '../../src/lib/ports.ts';
import { systemClock } from '../../src/lib/system.ts';
import { createSeededRandom } from '../../src/service/model/records/identifiers.ts';
import type { ServerOptions } from '../../src/service/program/options.ts';
import { createServer } from '../../src/service/program/server.ts';
import { documented } from './documented.ts';
import { cannotTry, ours, spoken, target } from './foreign/target.ts';
import { visit } from './foreign/visit/visit.ts';
import { masters, scene, startBody, workers } from './literals.ts';
import { connect, type Json, type Peer, type Reply } from './peer.ts';

export { cannotTry, onlyIn, ours, type Spoken, spoken } from './foreign/target.ts';
export * from './literals.ts';
export { connect, type Json, type Peer, type Reply } from './peer.ts';

/** Real time on a fixed day, so that time stamps in answers are known. */
export const fixedDay: Clock = { ...systemClock, wall: () => Date.parse('2014-02-03T04:05:06.789Z') };

/** What only a service of our own makes known before; elsewhere anything of that form. */
export const known = (here: string, form: RegExp): unknown =>
  target === undefined ? here : expect.stringMatching(form);

/** A time stamp of that day. */
export const timestamp = known('2014-02-03T04:05:06', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);

/**
 * A service for the test that calls it; every stage of a cluster is over at once unless options say otherwise. Options say what the
 * test needs: where a given service cannot be made so, the test could not be tried. With a dialect it speaks that one literally.
 */
export async function serve(options: Partial<ServerOptions> = {}): Promise<Peer> {
  if (target !== undefined) return visit(target, options);
  const server = createServer({ clock: fixedDay, random: createSeededRandom(7), ...options });
  onTestFinished(() => server.close());
  return documented(options, connect(await server.start()));
}

/** For what no other service can be like: ends the test there, and says why. */
export function onlyHere(why: string): void {
  if (target !== undefined) cannotTry(why);
}

/** For what the interface leaves to the service. Elsewhere it is not applicable: `what` ends the sentence "the interface does not promise". */
export function oursOnly(what: string): void {
  if (!ours) cannotTry(`the interface does not promise ${what}`);
}

/** For what only the plugins and the simulated machines of the bundled service have. */
export function bundledOnly(what: string): void {
  if (!scene.bundled) cannotTry(`it needs ${what} of the bundled plugins`);
}

/** For tests of options: the plugin may not have any. */
export function needsOptions(...types: readonly (keyof typeof scene.options)[]): void {
  const missing = types.find((type) => scene.options[type] === undefined);
  if (missing !== undefined) cannotTry(`plugin ${scene.plugin} has no option of the type ${missing}`);
}

/** For tests that run jobs: the plugin may not run all types. */
export function needsJobType(type: string): void {
  if (scene.jobTypes?.includes(type) === false || scene.refused.jobs.includes(type))
    cannotTry(`plugin ${scene.plugin} runs no jobs of type ${type}`);
}

/** What a message says to people is up to the service. */
export function expectWords(body: Json, ...texts: readonly unknown[]): void {
  if (ours) for (const text of texts) expect(body.error_message).toContain(text);
}

/** What is promised to everyone, and what the bundled service makes of it. */
export const promised = (everywhere: unknown, here: unknown): unknown => (ours ? here : everywhere);

/** An error as section 7 has it. In upstream what is in front of the service, a framework and a check of tokens, has shapes of its own. */
export function errorBody(status: number, name: string, by: 'service' | 'framework' | 'tokens' = 'service'): object {
  const text: unknown = expect.any(String);
  const own = { error_code: status, error_name: name, error_message: text };
  if (spoken === 'neutral' || by === 'service') return own;
  if (by === 'framework') return { error: status, error_message: text };
  return { error: { code: status, title: 'Unauthorized', message: text } };
}

/** For `expect.poll`: machines and jobs of other services take their time. */
export const patience = { timeout: target === undefined ? 1_000 : 100_000 };

const pauseMs = target === undefined ? 0 : 50;

/** Asks again until the answer is as wanted; the test's own time limit ends a wait in vain. */
export async function until(ask: () => Promise<Reply>, wanted: (reply: Reply) => boolean): Promise<Reply> {
  for (;;) {
    const reply = await ask();
    if (wanted(reply)) return reply;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const ends = ['SUCCEEDED', 'KILLED', 'FAILED', 'DONEWITHERROR', 'SUSPENDFAILED'];
/** Of a run, by its status: some engines never set `end_time`. */
export const hasEnded = ({ body }: Reply): boolean => ends.includes(body.job_execution.info.status.toUpperCase());

/** A node group template; resolves to its identifier. */
export async function createWorkers(peer: Peer, fields: object = {}): Promise<string> {
  const { body } = await peer.post('/v1.0/t/node-group-templates', { ...workers, ...fields });
  return body.node_group_template.id;
}

/** A cluster with two workers and a master, Active; resolves to it. */
export async function createActive(peer: Peer, fields: object = {}): Promise<Json> {
  const template = await createWorkers(peer, { name: `w-${Math.random().toString(36).slice(2)}` });
  const node_groups = [
    { name: 'workers', count: 2, node_group_template_id: template },
    { name: 'master', count: 1, flavor_id: masters.flavor_id, node_processes: masters.node_processes },
  ];
  const { body } = await peer.post('/v1.0/t/clusters', { ...startBody, node_groups, ...fields });
  return untilActive(peer, body.cluster.id);
}

/** Waits until the cluster is Active; resolves to it. */
export async function untilActive(peer: Peer, id: string): Promise<Json> {
  const { body } = await until(
    () => peer.get(`/v1.0/t/clusters/${id}`),
    ({ body: answer }) => ['Active', 'Error'].includes(answer.cluster.status),
  );
  const { status, status_description: why = '' } = body.cluster;
  if (status === 'Error') throw new Error(`the cluster is to become Active, and is Error: ${why}`);
  return body.cluster;
}
