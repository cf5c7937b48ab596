// Mutants that no test can tell from the original, each with the reason.

export interface Equivalent {
  readonly file: string;
  readonly source: string;
  readonly replacement: string;
  readonly why: string;
}

export const equivalent: readonly Equivalent[] = [];
