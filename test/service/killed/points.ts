// The points at which the service is killed, by what it is doing.

export interface Point {
  readonly place: string;
  /** How often the place is reached: the service is killed this time. */
  readonly time: number;
  /** What is done by then. */
  readonly what: string;
}

type Phase = 'create' | 'job' | 'cancel' | 'grow' | 'shrink' | 'delete';

const at = (place: string, what: string, time = 1): Point => ({ place, what, time });

export const points: Readonly<Record<Phase, readonly Point[]>> = {
  create: [
    at('before launch', 'nothing is made'),
    at('make', 'one of two machines is made'),
    at('after launch', 'both machines are made, and not on record'),
    at('command of a head', 'the files of the head are written'),
    at('ready of a head', 'the head runs, and may not answer yet'),
    at('ready of a worker', 'the worker runs, and may not answer yet'),
    at('usable', 'all processes answer'),
    at('after configure', 'the cluster can be used, and is not Active'),
  ],
  job: [
    at('program', 'nothing is made'),
    at('read', 'the folder of the run is made'),
    at('accepted', 'the program runs, and its process is not on record'),
    at('after submit', 'the program runs, and the execution is still pending'),
    at('after finish', 'the program has ended, and its exit code is not on record'),
  ],
  cancel: [at('before kill', 'the program runs'), at('after kill', 'the program is killed, and still on record')],
  grow: [
    at('make', 'the machine is made'),
    at('after launch', 'the machine is made, and not on record'),
    at('command of a worker', 'its files are written', 2),
    at('ready of a worker', 'its process runs, and may not answer yet', 2),
    at('after configure', 'it takes part, and the cluster is not Active'),
  ],
  shrink: [
    at('reload of a head', 'the file of the head names the machine that leaves'),
    at('done of a worker', 'the process on the machine that leaves was told so'),
    at('after drain', 'the machine has no work'),
    at('vanish', 'the machine is gone, and still on record'),
    at('after list', 'the machine is gone, the service knows, and it is still on record'),
    at('after configure', 'the machine is forgotten, and the cluster is not Active'),
  ],
  delete: [
    at('before kill', 'nothing is done'),
    at('after kill', 'its run is killed, and still on record'),
    at('vanish', 'one of two machines is gone'),
    at('after remove', 'both machines are gone'),
    at('after list', 'both machines are gone, the service knows, and the cluster is still on record'),
  ],
};

export type Round = Partial<Record<Phase, Point>>;

/** Lives of clusters, each with one point of every phase that has as many. `has`: whether the engine reaches the place. */
export function roundsOf(has: (place: string) => boolean = () => true): readonly Round[] {
  const phases = Object.entries(points).map(([name, of]) => [name, of.filter(({ place }) => has(place))] as const);
  const count = Math.max(...phases.map(([, of]) => of.length));
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(phases.flatMap(([name, of]) => (of[index] === undefined ? [] : [[name, of[index]]]))),
  );
}

export const titleOf = (round: Round): string =>
  Object.entries(round)
    .map(([phase, { what }]) => `${phase}: ${what}`)
    .join('; ');
