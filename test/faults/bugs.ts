// Bugs to be planted in the operator, as a table: what stands where, what stands there instead, and the cell that finds out.

export interface Bug {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  readonly cell: string;
  /** How it shows. */
  readonly found: RegExp;
}

export const bugs: readonly Bug[] = [
  {
    name: 'a create whose answer is lost is taken for one that never was',
    file: 'operator/reconcile/protocol/create-protocol.ts',
    right: "post.error.certainty === 'definite'",
    wrong: "post.error.certainty !== 'answered'",
    cell: 'create-cluster/f7/delete-during-create',
    found: /ends otherwise.*\n\+ .*"kind":"clusters"/s,
  },
  {
    name: 'a delete without an answer passes for done',
    file: 'operator/reconcile/protocol/delete-protocol.ts',
    right: "if (error.certainty === 'open') return done(waitingFor(deleteUnanswered(error.why)), event);",
    wrong: "if (error.certainty === 'open') return { effect: 'release' };",
    cell: 'delete-cluster/f2/delete-during-scale',
    found: /ends otherwise.*\n\+ .*"kind":"clusters"/s,
  },
  {
    name: 'a run without an answer is sent again as soon as a list lacks it',
    file: 'operator/reconcile/plan/runs/run-start.ts',
    right: 'if (openAttempts(claim) === 0) return planStart(input);',
    wrong: 'return planStart({ ...input, ledger: closeAttempt(ledger, claim.name) });',
    cell: 'start-run/f2/run',
    found: /I15: the run .* was asked for 2 times/,
  },
  {
    name: 'what bears the pinned name is not recognised',
    file: 'operator/reconcile/kind/kind.ts',
    right: "if (kind.identity !== 'given') return view.byName(name);",
    wrong: "if (kind.identity !== 'given') return [];",
    cell: 'create-node-group-template/f3/create',
    found: /NodeGroupTemplate .* is still .*the name is taken/s,
  },
  {
    name: 'a status tells the time',
    file: 'operator/reconcile/status/status.ts',
    right: 'observedGeneration: facts.generation,\n    conditions:',
    wrong: 'observedGeneration: facts.generation,\n    externalStatus: String(now.monotonic),\n    conditions:',
    cell: 'resize-cluster/f2/scale-down',
    found: /it goes on writing/,
  },
  {
    name: 'events go where nobody has listed them',
    file: 'operator/kube/events/events.ts',
    right: '/apis/events.k8s.io/v1/namespaces/',
    wrong: '/api/v1/namespaces/',
    cell: 'tag-image/f2/register-image',
    found: /in no table: POST \/api\/v1\//,
  },
  {
    name: 'nobody hears of an event that is lost',
    file: 'operator/kube/events/events.ts',
    right: 'this.#failed += 1;',
    wrong: 'void Promise.reject(err as Error);',
    cell: 'event/f2/register-image',
    found: /operator ended with code/,
  },
];
