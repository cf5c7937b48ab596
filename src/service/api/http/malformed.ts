// Answers requests that are not HTTP, too large or too slow. They have not been routed, so the answer is written by hand.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Dialect } from '../../../wire/dialect.ts';
import { Refusal, renderRefusal } from '../../model/refusal.ts';

type Trouble = Error & { readonly code?: string };

function refusalOf({ code }: Trouble): Refusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return Refusal.by('tooSlow', 'cannot read request: it did not arrive in time');
    case 'HPE_HEADER_OVERFLOW':
      return Refusal.by('tooMuchHead', 'cannot read request: its head is larger than 16 KiB');
    default:
      return Refusal.by('unreadable', 'cannot read request: it is not HTTP');
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
