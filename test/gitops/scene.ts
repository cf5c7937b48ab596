// What a scene is: how a kind comes into some rows of the table.
import type { Actor } from './actors.ts';
import type { RowName } from './rows.ts';
import type { Trial } from './trial.ts';

export interface Scene {
  readonly cause: string;
  /** Rows that it goes through. */
  readonly shows: readonly RowName[];
  /** Why it says nothing about a kind that could be in its rows; undefined: it applies. */
  readonly without?: (actor: Actor) => string | undefined;
  /** It is about this kind alone. Runs have no other scenes than those about them. */
  readonly only?: 'Cluster' | 'JobExecution' | 'JobSchedule' | 'NodeGroup';
  /** Nothing goes wrong: no object may ever be told to have failed. */
  readonly smooth?: true;
  readonly run: (trial: Trial) => Promise<void>;
}
