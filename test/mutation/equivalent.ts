// Mutants that no test can tell from the original, each with the reason: of a line, or where it is named, of one change of it.

export interface Equivalent {
  readonly file: string;
  readonly source: string;
  readonly replacement?: string;
  readonly why: string;
}

const forTheCompiler = 'the callers have seen to it, and the compiler does not know';
const seen = 'there is a view after a look that did not fail';

export const equivalent: readonly Equivalent[] = [
  {
    file: 'src/operator/reconcile/plan/plan-change.ts',
    source: "if (!ledger || !facts.spec.ok || service.state !== 'usable')",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/plan/plan-change.ts',
    source: "throw new Error('cannot plan: there is no ledger or no spec');",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/plan/plan-change.ts',
    source: 'if (!ledger || !facts.spec.ok) throw new Error(`cannot change a ${kind.definition.kind}`);',
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/plan/plan-change.ts',
    source: "if (kind.identity !== 'named' && kind.identity !== 'given')",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/plan/plan-change.ts',
    source: 'throw new Error(`cannot change a ${kind.definition.kind}`);',
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/plan/plan-create.ts',
    source: "if (!spec.ok) throw new Error('cannot plan a create: the spec was not readable');",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/plan/plan-create.ts',
    source: "if (service.state !== 'usable') throw new Error('cannot plan a create: there is no service');",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/plan/existing.ts',
    source: "if (!ledger || claim?.id === undefined) throw new Error('cannot plan: no id is recorded');",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/plan/existing.ts',
    source: "if (!view) throw new Error('cannot plan: the service was not looked at');",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/protocol/create-protocol.ts',
    source: "if ('row' in post) throw new Error('cannot judge: the create had succeeded');",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/protocol/create-protocol.ts',
    source: "if (!view) throw new Error('cannot judge: the service was not looked at');",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/protocol/delete-protocol.ts',
    source: "if (!view) throw new Error('cannot judge: the service was not looked at');",
    why: forTheCompiler,
  },
  {
    file: 'src/operator/reconcile/protocol/delete-protocol.ts',
    source: "return (view?.listSentAt ?? 0) > goneAt ? undefined : { effect: 'observe', unhurried: true };",
    replacement: 'view.listSentAt',
    why: seen,
  },
  {
    file: 'src/operator/reconcile/protocol/delete-protocol.ts',
    source: 'const listWall = now.wall - (now.monotonic - (sideOf(step, claim).view?.listSentAt ?? 0));',
    replacement: 'sideOf(step, claim).view.listSentAt',
    why: seen,
  },
  {
    file: 'src/wire/errors/shapes.ts',
    source: '} catch {',
    replacement: '{}',
    why: 'a function that ends without a return returns undefined',
  },
  {
    file: 'src/wire/errors/table.ts',
    source: 'if (status >= 300 && status < 400) {',
    replacement: 'status <= 400',
    why: 'a 400 is a refusal, which is judged elsewhere',
  },
  {
    file: 'src/wire/errors/table.ts',
    source:
      "const ms = /^\\d+(\\.\\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(date ?? '');",
    replacement: '"Stryker was here!"',
    why: 'neither is a time',
  },
];
