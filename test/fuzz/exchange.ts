// Sends requests as they were drawn, odd or not, and says them once more as commands that anybody can repeat.
import { Agent, type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';

export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer | undefined;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** An answer takes some milliseconds; whoever waits for so long has been forgotten. */
const patienceMs = 20_000;

export const createAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 });

/** A connection that was kept may have been closed just before it is used again: then nobody has seen the request. */
const wasStale = (outgoing: ClientRequest, error: NodeJS.ErrnoException): boolean =>
  outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

/** Headers of the same name are sent one by one. */
export function send(url: string, agent: Agent, shot: Shot): Promise<Answer> {
  const { method, path, headers, body } = shot;
  const { hostname, port } = new URL(url);
  const flat = headers.flatMap(([name, value]) => [name, value]);
  const length = body === undefined ? [] : ['content-length', String(body.length)];
  const own = ['host', `${hostname}:${port}`, ...flat, ...length];
  // Whoever says what is to become of the connection gets one of its own.
  const isOwn = headers.some(([name]) => name === 'connection');
  const at = { hostname, port, method, path, headers: own, agent: isOwn ? false : agent, setHost: false } as const;
  return new Promise((resolve, reject) => {
    const outgoing = request(at, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => void chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => {
        const { statusCode: status = 0, headers: told } = reply;
        resolve({ status, type: told['content-type'] ?? '', text: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', (error) => (wasStale(outgoing, error) ? resolve(send(url, agent, shot)) : reject(error)));
    outgoing.end(body);
  });
}

/** Everything that comes back for these bytes before the other side closes or `quietMs` have passed without more. */
export function sendRaw(url: string, bytes: Buffer, quietMs: number): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    socket.setTimeout(quietMs, end);
    socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
    // A reset comes after what was answered, and is no answer of its own.
    socket.on('error', end);
    socket.on('close', end);
    socket.write(bytes);
  });
}

/** For a shell: what is not plain is written by number. */
const quoted = (bytes: Buffer): string =>
  `$'${bytes.toString('latin1').replaceAll(/[^ -&(-[\]-~]/g, (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)}'`;

const longest = 4000;
const shortened = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest)}... (${text.length})` : text;

export function asCurl(url: string, { method, path, headers, body }: Shot): string {
  const told = headers.map(([name, value]) => `-H ${quoted(Buffer.from(`${name}: ${value}`, 'latin1'))}`);
  const data = body === undefined ? [] : [`--data-binary ${quoted(body)}`];
  return shortened(
    ['curl -i --path-as-is', `-X ${method}`, ...told, ...data, quoted(Buffer.from(url + path))].join(' '),
  );
}

export function asNetcat(url: string, bytes: Buffer): string {
  const { hostname, port } = new URL(url);
  return shortened(`echo -n ${quoted(bytes)} | nc ${hostname} ${port}`);
}
