// The figures of all suites as one table: each from the report that its command left behind, and no number where there is none.

type Report = Readonly<Record<string, unknown>>;
export type ReadReport = (suite: string) => Report | undefined;

interface Row {
  readonly what: string;
  /** The report that holds it, and the command that writes that. */
  readonly suite: string;
  readonly command: string;
  /** undefined: the report does not say. */
  readonly value: (report: Report) => string | undefined;
}

const rows: readonly Row[] = [
  {
    what: 'Exhaustive check: states, which are all of their worlds',
    suite: 'exhaustive',
    command: 'npm test',
    value: ({ states, worlds }) => inWorlds(states, worlds),
  },
  {
    what: 'Exhaustive check, larger worlds: states',
    suite: 'exhaustive-large',
    command: 'npm run exhaustive',
    value: ({ states, worlds }) => inWorlds(states, worlds),
  },
  {
    what: 'Steady state: requests to the service, writes to either side',
    suite: 'economy',
    command: 'npm test',
    value: ({ clusters, requestsPerMinute, writes }) =>
      isNumber(requestsPerMinute) && isNumber(clusters) && isNumber(writes)
        ? `${requestsPerMinute} a minute for ${clusters} Clusters, ${writes} writes`
        : undefined,
  },
  {
    what: 'Simulated worlds: seeds in which no invariant broke',
    suite: 'simulator',
    command: 'npm run simulate',
    value: ({ passed, seeds, hours }) => {
      const all = ofAll(passed, seeds);
      return all && isNumber(hours) ? `${all}, ${grouped(hours)} simulated hours` : undefined;
    },
  },
  {
    what: 'Simulated worlds with an autoscaled group: seeds in which no law broke, and none flapped',
    suite: 'simulator-autoscaled',
    command: 'npm run simulate -- --autoscaled',
    value: ({ passed, seeds, up, down }) => {
      const all = ofAll(passed, seeds);
      return all && isNumber(up) && isNumber(down)
        ? `${all}, ${grouped(up)} scales up, ${grouped(down)} down`
        : undefined;
    },
  },
  {
    what: 'Mishaps at each step of an execution in a pod: worlds in which no invariant broke',
    suite: 'mishaps',
    command: 'npm test',
    value: ({ passed, all }) => ofAll(passed, all),
  },
  {
    what: 'Pairs of such mishaps: worlds in which no invariant broke',
    suite: 'mishaps-pairs',
    command: 'npm run test:all',
    value: ({ passed, all }) => ofAll(passed, all),
  },
  {
    what: 'Restarts of a real API server under runs and clusters in pods: changes of a state',
    suite: 'restarts',
    command: 'npm run test:pods',
    value: ({ restarts, runs, clusters, changes }) =>
      isNumber(restarts) && isNumber(runs) && isNumber(clusters) && isNumber(changes)
        ? `${changes} in ${restarts} restarts of ${runs} runs and ${clusters} clusters`
        : undefined,
  },
  {
    what: 'Faults at writes on a real API server, pairwise: cells passed',
    suite: 'faults',
    command: 'npm run test:all',
    value: ({ passed, cells }) => ofAll(passed, cells),
  },
  {
    what: 'Faults at writes on a real API server, whole grid: cells passed',
    suite: 'faults-all',
    command: 'npm run test:faults',
    value: ({ passed, all }) => ofAll(passed, all),
  },
  {
    what: 'Faults at writes in simulated worlds, whole grid: cells passed',
    suite: 'faults-simulated',
    command: 'npm run test:faults -- --simulated',
    value: ({ passed, all }) => ofAll(passed, all),
  },
  {
    what: 'Crash points: writes before or after which the operator was killed, on a real API server',
    suite: 'faults-all',
    command: 'npm run test:faults',
    value: ({ kills }) => (isNumber(kills) ? grouped(kills) : undefined),
  },
  {
    what: 'Crash points: writes before or after which the operator was killed, in simulated worlds',
    suite: 'faults-simulated',
    command: 'npm run test:faults -- --simulated',
    value: ({ kills }) => (isNumber(kills) ? grouped(kills) : undefined),
  },
  {
    what: 'Longest recovery from each fault at a write, on the clock of the operator, in simulated worlds',
    suite: 'faults-simulated',
    command: 'npm run test:faults -- --simulated',
    value: ({ recoveries }) => listed(recoveries),
  },
  {
    what: 'Longest recovery from a fault at a write, on the clock of the operator, on a real API server',
    suite: 'faults-all',
    command: 'npm run test:faults',
    value: ({ longestSeconds }) => (isNumber(longestSeconds) ? `${longestSeconds} s` : undefined),
  },
  {
    what: 'Planted bugs caught',
    suite: 'planted',
    command: 'npm run test:all',
    value: ({ caught, planted }) => ofAll(caught, planted),
  },
  {
    what: 'Mutation score of plan, protocol, ledger, outcome and error table',
    suite: 'mutation',
    command: 'npm run test:mutation',
    value: ({ percent, caught, missed }) =>
      isNumber(percent) && isNumber(caught) && isNumber(missed)
        ? `${percent} % (${caught} of ${caught + missed} mutants)`
        : undefined,
  },
];

/** What each line is about. */
export const subjects: readonly string[] = rows.map(({ what }) => what);

export function tableOf(readReport: ReadReport): string {
  const lines = rows.map(({ what, suite, command, value }) => {
    const report = readReport(suite);
    return `| ${what} | ${(report && value(report)) ?? 'not run here'} | \`${command}\` |`;
  });
  return ['| what | figure | command |', '|---|---|---|', ...lines].join('\n');
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

const grouped = (value: number): string => value.toLocaleString('en-US');

function ofAll(part: unknown, whole: unknown): string | undefined {
  return isNumber(part) && isNumber(whole) ? `${grouped(part)} of ${grouped(whole)}` : undefined;
}

function inWorlds(states: unknown, worlds: unknown): string | undefined {
  return isNumber(states) && isNumber(worlds) ? `${grouped(states)} in ${grouped(worlds)} worlds` : undefined;
}

/** Of each fault: `lost 12 s`. */
function listed(recoveries: unknown): string | undefined {
  if (!Array.isArray(recoveries) || recoveries.length === 0) return undefined;
  return (recoveries as readonly { readonly fault?: unknown; readonly seconds?: unknown }[])
    .map(({ fault, seconds }) => `${String(fault)}: ${String(seconds)} s`)
    .join(' · ');
}
