// Answers requests that are not HTTP, too large or too slow. They have not been routed, so the answer is written by hand.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Dialect } from '../../../wire/dialect.ts';
import { type Refusal, renderRefusal, statusRefusal } from '../../model/refusal.ts';

type Trouble = Error & { readonly code?: string };

function refusalOf({ code }: Trouble): Refusal {
  const refuse = (status: number, message: string) =>
    statusRefusal(status, 'framework', { errorName: undefined, message: `cannot read request: ${message}` });
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refuse(408, 'it did not arrive in time');
    case 'HPE_HEADER_OVERFLOW':
      return refuse(431, 'its head is larger than 16 KiB');
    default:
      return refuse(400, 'it is not HTTP');
  }
}

/** In the form of all other refusals. */
export const answerMalformed =
  (dialect: Dialect) =>
  (error: Trouble, socket: Socket): void => {
    // A client that has gone gets no answer.
    if (error.code !== 'ECONNRESET' && socket.writable) {
      const { status, headers, body } = renderRefusal(dialect, refusalOf(error), () => '');
      const head = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
      const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
    }
    socket.destroy(error);
  };
