// A case of the battery: a sentence, when it says nothing about a kind, and what happens.
import type { Sample, Trial } from './sample.ts';

export interface Case {
  readonly name: string;
  /** Why the case says nothing about this kind; undefined: it applies. */
  readonly void?: (sample: Sample) => string | undefined;
  /** Parts of the case that say nothing about this kind, with the reason. */
  readonly without?: (sample: Sample) => readonly string[];
  readonly run: (trial: Trial) => Promise<void>;
}

export const forContent = ({ kind }: Sample): string | undefined =>
  kind.identity === 'content' ? undefined : 'the service keeps its names unique';
export const forNamed = ({ kind }: Sample): string | undefined =>
  kind.identity === 'named' ? undefined : 'it has no state of its own';
export const forScaled = ({ kind }: Sample): string | undefined => (kind.change ? undefined : 'it cannot be changed');
export const forReferring = ({ refersTo }: Sample): string | undefined =>
  refersTo ? undefined : 'it refers to nothing';
export const forUsed = ({ user }: Sample): string | undefined => (user ? undefined : 'nothing uses it');
