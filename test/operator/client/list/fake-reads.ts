// Requests below an inventory that the test sends off and answers one by one.
import type { Reads, SingleRead } from '../../../../src/operator/client/list/inventory.ts';
import { ListReading, type ListResult } from '../../../../src/operator/client/list/list-reading.ts';
import type { Moment, Snapshot } from '../../../../src/operator/client/list/list-view.ts';
import type { AnyRow, Collection } from '../../../../src/wire/routes.ts';
import { settle } from '../../../support/clock.ts';

/** One request under way. It is not sent before `send`, as if it waited for a permit. */
export interface Pending<Answer> {
  readonly id?: string;
  send(): Moment;
  answer(answer: Answer): Promise<void>;
  fail(error: Error): Promise<void>;
}

export class FakeReads implements Reads {
  readonly lists: Pending<readonly unknown[]>[] = [];
  readonly gets: Pending<AnyRow | undefined>[] = [];

  list(route: Collection, previous: Snapshot | undefined, sending: () => Moment): Promise<ListResult> {
    return this.#ask<readonly unknown[], ListResult>(this.lists, { sending }, async (rows, sent) => {
      const reading = new ListReading({ route, dialect: 'neutral', previous });
      await reading.take(Buffer.from(JSON.stringify({ [route.plural]: rows })));
      return reading.finish(sent);
    });
  }

  get(_: Collection, id: string, sending: () => Moment): Promise<SingleRead> {
    return this.#ask<AnyRow | undefined, SingleRead>(this.gets, { sending, id }, async (row, sent) => ({ row, sent }));
  }

  #ask<Answer, Result>(
    queue: Pending<Answer>[],
    { sending, id }: { readonly sending: () => Moment; readonly id?: string },
    finish: (answer: Answer, sent: Moment) => Promise<Result>,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      let sent: Moment | undefined;
      const send = () => (sent ??= sending());
      queue.push({
        ...(id !== undefined && { id }),
        send,
        answer: async (answer) => {
          finish(answer, send()).then(resolve, reject);
          await settle();
        },
        fail: async (error) => {
          reject(error);
          await settle();
        },
      });
    });
  }
}
