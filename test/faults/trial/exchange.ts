// One write on its way between the operator and the other side, whatever carries it: sockets, or virtual time.
import type { IncomingHttpHeaders } from 'node:http';
import type { Point, Write } from '../tables/points.ts';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How the length of an answer is told. */
export type Framing = 'length' | 'chunks';

/** What can be done to the operator, which waits for an answer. */
export interface Sender {
  answer(reply: Reply): void;
  /** The connection ends without a byte. */
  cut(): void;
  /** It ends in the middle of the answer. */
  truncate(reply: Reply, framing: Framing): void;
  /** One byte a second. */
  drip(reply: Reply): void;
  /** Resolves when it waits no more. */
  givenUp(): Promise<void>;
}

/** A write that has arrived and was not answered yet. */
export interface Exchange {
  readonly write: Write;
  /** Undefined: nobody has listed it. */
  readonly point: Point | undefined;
  readonly sender: Sender;
  /** Carries it out, and answers with what came of it. Never called twice. */
  forward(): Promise<Reply>;
}
