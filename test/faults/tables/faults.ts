// Everything that can go wrong with one write, as a table; and why some of it cannot befall some writes.
import type { Point } from './points.ts';

export type Act =
  /** The operator is killed: before the write is passed on, or when it was carried out and its answer has arrived. */
  | { readonly act: 'crash'; readonly carriedOut: boolean }
  /** The connection breaks before the first byte of the answer. */
  | { readonly act: 'cut'; readonly carriedOut: boolean }
  /** It is carried out, and the answer breaks off in the middle. */
  | { readonly act: 'truncate'; readonly framing: 'length' | 'chunks' }
  /** It is carried out at once, and answered when nobody listens any more. */
  | { readonly act: 'answer late' }
  /** It is carried out when nobody waits for it any more: after the next look at what is there, or after the next try. */
  | { readonly act: 'work late'; readonly after: 'a look' | 'the next try' }
  /** An answer that says no. */
  | {
      readonly act: 'refuse';
      readonly status: number;
      readonly carriedOut: boolean;
      readonly retryAfter?: number;
    }
  /** From now on the service refuses the token, until the user has put another one into the Secret. */
  | { readonly act: 'revoke' }
  /** It is carried out, and the answer says yes and is nothing that one could read. */
  | { readonly act: 'garble'; readonly body: string; readonly type: string }
  /** No byte of an answer, ever. */
  | { readonly act: 'hang' }
  /** It is carried out, and the answer comes one byte a second. */
  | { readonly act: 'drip' };

export interface Fault {
  readonly id: string;
  readonly words: string;
  readonly act: Act;
}

const json = 'application/json';
const html = 'text/html';

export const faults: readonly Fault[] = [
  { id: 'f1', words: 'killed before it is sent', act: { act: 'crash', carriedOut: false } },
  { id: 'f2', words: 'dropped on the way', act: { act: 'cut', carriedOut: false } },
  { id: 'f3', words: 'killed before the answer', act: { act: 'crash', carriedOut: true } },
  { id: 'f4', words: 'carried out, reset before the answer', act: { act: 'cut', carriedOut: true } },
  { id: 'f5-length', words: 'carried out, answer cut short', act: { act: 'truncate', framing: 'length' } },
  { id: 'f5-chunks', words: 'carried out, chunked answer cut', act: { act: 'truncate', framing: 'chunks' } },
  { id: 'f6', words: 'carried out, answer after the time-out', act: { act: 'answer late' } },
  { id: 'f7', words: 'carried out after the time-out', act: { act: 'work late', after: 'a look' } },
  { id: 'f7-again', words: 'carried out after the next try', act: { act: 'work late', after: 'the next try' } },
  { id: 'f8', words: '409', act: { act: 'refuse', status: 409, carriedOut: false } },
  { id: 'f9', words: '429', act: { act: 'refuse', status: 429, carriedOut: false } },
  {
    id: 'f9-wait',
    words: '429 with Retry-After',
    act: { act: 'refuse', status: 429, carriedOut: false, retryAfter: 3 },
  },
  ...[500, 502, 503, 504].flatMap((status): readonly Fault[] => [
    { id: `f10-${status}`, words: `${status}`, act: { act: 'refuse', status, carriedOut: false } },
    { id: `f11-${status}`, words: `${status}, and carried out`, act: { act: 'refuse', status, carriedOut: true } },
  ]),
  { id: 'f12-json', words: 'answered with other JSON', act: { act: 'garble', body: '{"other":true}', type: json } },
  { id: 'f12-html', words: 'answered with HTML', act: { act: 'garble', body: '<html>hello</html>', type: html } },
  { id: 'f12-empty', words: 'answered with nothing', act: { act: 'garble', body: '', type: json } },
  { id: 'f13', words: '401 once', act: { act: 'refuse', status: 401, carriedOut: false } },
  { id: 'f13-always', words: '401 until there is another token', act: { act: 'revoke' } },
  { id: 'f14-hang', words: 'never answered', act: { act: 'hang' } },
  { id: 'f14-drip', words: 'answered a byte a second', act: { act: 'drip' } },
];

/** Faults that differ in a number or a form are one family, by the beginning of their ids: `f10-502` and `f10-503`. */
export const families: Readonly<Record<string, string>> = {
  f1: 'killed before it',
  f2: 'lost',
  f3: 'killed after it',
  f4: 'reset after it',
  f5: 'answer cut',
  f6: 'answer too late',
  f7: 'done too late',
  f8: '409',
  f9: '429',
  f10: '5xx',
  f11: '5xx, but done',
  f12: 'unreadable answer',
  f13: '401',
  f14: 'no answer',
};

export const familyOf = ({ id }: Fault): string => id.split('-')[0] ?? id;

export const kills = ({ act }: Fault): boolean => act.act === 'crash';

/** The answer to a DELETE of the service has no body. */
const bodiless = ({ side, method }: Point): boolean => side === 'service' && method === 'DELETE';

/** Why the fault cannot befall the write; undefined: it can. */
export function voidReason(point: Point, { act }: Fault): string | undefined {
  const breaksBody = act.act === 'truncate' || act.act === 'drip' || (act.act === 'garble' && act.body === '');
  if (bodiless(point) && breaksBody) return 'the answer has no body that could break off or be missing';
  if (act.act === 'revoke' && point.side === 'kubernetes')
    return 'nobody gives the operator another token while it runs';
  return undefined;
}
