// What is answered to requests that are no HTTP, too much of it, or too slow: nothing has been routed yet, so it is written by hand.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Dialect } from '../../wire/dialect.ts';
import { type Refusal, renderRefusal, statusRefusal } from './refusal.ts';

type Trouble = Error & { readonly code?: string };

function refusalOf({ code }: Trouble): Refusal {
  const told = (status: number, message: string) =>
    statusRefusal(status, 'framework', { errorName: undefined, message: `cannot read request: ${message}` });
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return told(408, 'it does not come to its end');
    case 'HPE_HEADER_OVERFLOW':
      return told(431, 'its head is larger than 16 KiB');
    default:
      return told(400, 'it is no HTTP');
  }
}

/** In the shape of all other refusals. `headers`: more of them, for each answer anew. */
export const answerMalformed =
  (dialect: Dialect, headers: () => Readonly<Record<string, string>>) =>
  (error: Trouble, socket: Socket): void => {
    // Who has gone hears nothing any more.
    if (error.code !== 'ECONNRESET' && socket.writable) {
      const { status, headers: own, body } = renderRefusal(dialect, refusalOf(error), () => '');
      const told = { ...own, ...headers(), 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
      const lines = Object.entries(told).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
    }
    socket.destroy(error);
  };
