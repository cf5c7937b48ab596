// One scene for one kind: what the scene can do to the object, and the check that it is in a row of the table.
import { expect, inject, vi } from 'vitest';
import type { RawResource } from '../../src/operator/api/definition.ts';
import { reconcileAnnotations } from '../../src/operator/api/shared-api.ts';
import { connection } from '../../src/operator/kinds/connection/schema.ts';
import { definitions } from '../../src/operator/kinds/index.ts';
import { statusOf } from '../operator/kinds/support/invariants.ts';
import type { Json } from '../operator/kinds/support/sample.ts';
import { limitMs } from '../support/patience.ts';
import type { Rule } from '../support/service/service-proxy.ts';
import type { Actor } from './actors.ts';
import { haveKubectl, kubectlWait, realKubectlWait } from './readers/kubectl-wait.ts';
import { describeVersion } from './recorder.ts';
import { cellsOf, expectedCells, isIn, type RowName, rows } from './rows.ts';
import type { Stage } from './stage.ts';

/** More looks than it takes to meet an object between two of its versions. */
const patience = 5;
/** Longer than the waits between the first retries; shorter than the API server may take for an answer. */
const waitMs = 20_000;
/** Rows and kinds for which the real kubectl was asked. Once each will do, because its rule knows no kinds. */
const compared = new Set<string>();

/** The last wait for a request that should meet a fault. */
const longestPatienceMs = limitMs;

export class Trial {
  readonly stage: Stage;
  readonly actor: Actor;
  /** Of the object on trial. */
  readonly name = 'one';
  readonly shown: RowName[] = [];
  #from = 0;

  constructor(stage: Stage, actor: Actor) {
    this.stage = stage;
    this.actor = actor;
  }

  async operate(): Promise<void> {
    await this.stage.operate();
  }

  /** A Connection, for who is none itself, and what else the object needs. */
  async prepare(spec: Json = {}): Promise<void> {
    const { stage, actor } = this;
    if (actor.kind !== connection.kind) await stage.connect(spec);
    for (const need of actor.needs) await stage.apply(need.kind, need.name, need.spec);
  }

  /** The same, and all of it Ready. */
  async ground(spec: Json = {}): Promise<void> {
    await this.prepare(spec);
    const all = [
      ...this.actor.needs,
      ...(this.actor.kind === connection.kind ? [] : [{ kind: connection.kind, name: 'default' }]),
    ];
    for (const { kind, name } of all)
      await this.stage.recorder.until({ kind, name }, 'Ready', (one) => kubectlWait(one, 'Ready') === 'met');
  }

  async create(spec: Json = {}): Promise<void> {
    const { stage, actor } = this;
    await stage.apply(actor.kind, this.name, { ...actor.spec(stage), ...spec });
  }

  async createReady(spec: Json = {}): Promise<void> {
    await this.create(spec);
    await this.shows('ready');
  }

  async edit(spec: Json): Promise<void> {
    await this.stage.patch(this.actor.kind, this.name, { spec });
  }

  async annotate(annotations: Json): Promise<void> {
    await this.stage.patch(this.actor.kind, this.name, { metadata: { annotations } });
  }

  async askForALook(): Promise<void> {
    await this.annotate({ [reconcileAnnotations[1]]: new Date().toISOString() });
  }

  /** From now on it takes too long, whatever it is: the deadline is over, and so is the wait for the next look. */
  async endPatience(): Promise<void> {
    const { stage, actor, name } = this;
    const before = this.versions.at(-1)?.metadata.generation ?? 0;
    await this.edit({ progressDeadlineSeconds: 1 });
    const isSeen = (one: RawResource) =>
      one.metadata.generation > before && statusOf(one).observedGeneration === one.metadata.generation;
    await stage.recorder.until({ kind: actor.kind, name }, 'the edit is seen', isSeen);
    stage.clock.leap(waitMs);
  }

  async delete(): Promise<void> {
    await this.stage.delete(this.actor.kind, this.name);
  }

  async gone(): Promise<void> {
    await this.stage.recorder.gone(this.actor.kind, this.name);
  }

  get versions(): readonly RawResource[] {
    return this.stage.recorder.of(this.actor.kind, this.name).versions;
  }

  /** Of its object in the service. */
  get id(): string {
    const id = this.versions.map((one) => statusOf(one).id).findLast((one) => one !== undefined);
    if (id === undefined) throw new Error(`${this.actor.kind} ${this.name} has no id yet`);
    return id;
  }

  /**
   * Asks for looks until the rule has caught so many requests more; ever less often, because each write of ours in the middle of a pass
   * makes the operator start over.
   */
  async provoke(rule: Rule, more: number): Promise<void> {
    const enough = rule.hits + more;
    const met = (): void => {
      if (rule.hits < enough)
        throw new Error(`cannot go on: ${enough - rule.hits} more requests should have met the fault`);
    };
    for (let patienceMs = 300; rule.hits < enough; patienceMs *= 2) {
      await this.askForALook();
      const waiting = vi.waitFor(met, { timeout: patienceMs, interval: 50 });
      await (patienceMs > longestPatienceMs ? waiting : waiting.catch(() => undefined));
    }
  }

  /** The same, while time leaps on: what takes a quarantine and some lists. */
  async leapUntil(name: RowName): Promise<void> {
    await this.#leapDuring(this.shows(name));
  }

  async leapUntilGone(): Promise<void> {
    await this.#leapDuring(this.gone());
  }

  async #leapDuring(shown: Promise<unknown>): Promise<void> {
    let done = false;
    const end = (): void => void (done = true);
    shown.then(end, end);
    while (!done) {
      this.stage.clock.leap(waitMs);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await shown;
  }

  /** Waits until the object is in the row, after what was shown before, and judges what is seen then by every reader. */
  async shows(name: RowName, also: (resource: RawResource) => boolean = () => true): Promise<RawResource> {
    const row = rows[name];
    const at = { kind: this.actor.kind, name: this.name, from: this.#from };
    const seen = await this.stage.recorder.until(at, row.state, (one) => isIn(row, one) && also(one));
    this.#from = this.versions.indexOf(seen) + 1;
    const reason = statusOf(seen).conditions?.find(({ type }) => type === 'Ready')?.reason ?? '';
    expect(cellsOf(seen), describeVersion(seen)).toEqual(expectedCells(row, reason));
    const isNew = !compared.has(name) || !compared.has(this.actor.kind);
    compared.add(name).add(this.actor.kind);
    if (haveKubectl && isNew) await this.#compareWithKubectl('Stalled' in row.conditions ? 'Stalled' : 'Ready');
    this.shown.push(name);
    return seen;
  }

  /** The real one must say of the object as it is now what our rule says. */
  async #compareWithKubectl(type: string): Promise<void> {
    const { kind } = this.actor;
    const plural = definitions.find((one) => one.kind === kind)?.plural ?? '';
    const object = `${plural}.dataprocessing.dev/${this.name}`;
    const asking = { kubeconfig: inject('kubeconfig'), namespace: this.stage.namespace, object };
    for (let look = 0; look < patience; look += 1) {
      const before = await this.stage.fetch(kind, this.name);
      const real = await realKubectlWait(asking, type);
      const after = await this.stage.fetch(kind, this.name);
      // It moved on meanwhile: nobody knows which of the two was judged.
      if (before.metadata.resourceVersion !== after.metadata.resourceVersion) continue;
      expect(real, `kubectl wait for ${type}: ${describeVersion(after)}`).toBe(kubectlWait(after, type));
      return;
    }
  }
}
