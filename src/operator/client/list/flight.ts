// A request in flight that several callers may wait for, each only as long as it wants.
import type { ServiceError } from '../../../wire/errors/service-error.ts';
import { classify } from '../../../wire/errors/table.ts';
import type { Moment } from './list-view.ts';

export interface Flight {
  /** When it was sent; undefined while it waits for a permit or a token. */
  readonly sent: Moment | undefined;
  readonly result: Promise<void>;
}

/** Starts `request`, which calls `sending` at the moment it is sent. */
function startFlight(moment: () => Moment, request: (sending: () => Moment) => Promise<void>): Flight {
  let sent: Moment | undefined;
  const result = request(() => {
    sent = moment();
    return sent;
  });
  return {
    get sent() {
      return sent;
    },
    result,
  };
}

/** The requests in flight, the newest for each key; each is removed when it ends, before anyone sees its result. */
export class Flights {
  readonly #moment: () => Moment;
  readonly #flights = new Map<string, Flight>();

  constructor(moment: () => Moment) {
    this.#moment = moment;
  }

  under(key: string): Flight | undefined {
    return this.#flights.get(key);
  }

  start(key: string, request: (sending: () => Moment) => Promise<void>): Flight {
    const flight = startFlight(this.#moment, request);
    this.#flights.set(key, flight);
    const land = () => void (this.#flights.get(key) === flight && this.#flights.delete(key));
    // This also handles the failure of a request that nobody waits for any more.
    flight.result.then(land, land);
    return flight;
  }
}

function givenUp(path: string): ServiceError {
  return classify({ method: 'GET', path: `/${path}` }, { phase: 'unsent', code: 'ABORTED' });
}

/** `result`, or a ServiceError as soon as `signal` is aborted. The request continues for the other callers. */
export function orAborted<T>(result: Promise<T>, path: string, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const abort = () => reject(givenUp(path));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    result.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}
