// What is wrong with an answer, whatever was asked: its status, its shape, and whether the document knows of it.
import type { Dialect } from '../../src/wire/dialect.ts';
import { type Document, judge } from '../support/service/openapi.ts';
import type { Answer, Shot } from './exchange.ts';

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

const isOwn = (body: Readonly<Record<string, unknown>>, status: number, dialect: Dialect): boolean =>
  body['error_code'] === status &&
  (typeof body['error_name'] === 'string' || (dialect === 'sahara' && typeof body['error_name'] === 'number')) &&
  typeof body['error_message'] === 'string' &&
  Object.keys(body).length === 3;

function isUpstream(body: Readonly<Record<string, unknown>>, status: number): boolean {
  const { error, error_message } = body;
  if (error === status) return typeof error_message === 'string' && Object.keys(body).length === 2;
  const told = error as { readonly code?: unknown; readonly title?: unknown; readonly message?: unknown } | undefined;
  return told?.code === status && typeof told.title === 'string' && typeof told.message === 'string';
}

/** Section 7 in the neutral dialect; elsewhere one of the shapes of upstream. */
export function refusalProblems(dialect: Dialect, { status, type, text }: Answer): readonly string[] {
  if (dialect !== 'neutral' && type.startsWith('text/plain'))
    return text.startsWith(`${status} `) ? [] : [`text ${text}`];
  if (dialect !== 'neutral' && type.startsWith('text/html'))
    return text.startsWith(`<html><head><title>${status} `) ? [] : [`page ${text}`];
  if (!type.startsWith('application/json')) return [`a refusal of type ${JSON.stringify(type)}`];
  const body = parse(text);
  if (body === undefined) return [`a refusal that is no JSON: ${text}`];
  if (isOwn(body, status, dialect) || (dialect !== 'neutral' && isUpstream(body, status))) return [];
  return [`a refusal of no known shape: ${text}`];
}

/** HEAD is GET without the body. */
export function verdict(dialect: Dialect, document: Document, shot: Shot, answer: Answer): readonly string[] {
  const { method, path } = shot;
  if (method === 'HEAD') return answer.status < 500 && answer.text === '' ? [] : [`${answer.status} to HEAD`];
  const shape = answer.status >= 400 ? refusalProblems(dialect, answer) : [];
  return [...shape, ...judge(document, { method, path, ...answer })];
}
