// What the page knows, from which everything on it follows. Types only.
import type { WebAnswer } from '../view/answer.ts';
import type { PageAddress } from './address.ts';

export interface Model {
  readonly address: PageAddress;
  readonly hasToken: boolean;
  /** The newest answer, which may be to another question. */
  readonly answer: WebAnswer | undefined;
  /** `answer` is to the question of `address`. */
  readonly isCurrent: boolean;
  readonly problem: string | undefined;
  /** Unix time in ms. */
  readonly now: number;
}

export interface Actions {
  readonly login: (token: string) => void;
  readonly logout: () => void;
  readonly go: (address: PageAddress) => void;
}
