// What a check of `doctor` has found. Types only.

/** wrong: something does not work. note: it may be meant, or nobody could look. */
export type Level = 'ok' | 'note' | 'wrong';

export interface Finding {
  readonly area: string;
  readonly level: Level;
  readonly text: string;
  readonly todo?: string;
}
