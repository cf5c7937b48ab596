// What a route tells of itself: all that the OpenAPI document and the tables of the README say of it. PURE.
import type { z } from 'zod';
import type { Dialect } from '../../wire/dialect.ts';
import type { ShownKey } from './answers.ts';
import type { CauseKey } from './causes.ts';

export interface Parameter {
  readonly name: string;
  readonly description: string;
  /** The values there are; when absent, any text. */
  readonly choice?: readonly string[];
  /** May be given several times. */
  readonly repeated?: boolean;
}

export interface Body {
  /** The schema that checks it, in neutral words. */
  readonly schema: (dialect: Dialect) => z.ZodType;
  /**
   * `unset`: null stands for a field that is not given, except in early releases; or the fields that null sets back. When absent, null
   * is refused but where late releases take it for all.
   */
  readonly nulls?: 'unset' | readonly string[];
  /** Fields that need not be in it because the path has them. */
  readonly filled?: readonly string[];
}

export type Success =
  | { readonly status: 200 | 202; readonly one: ShownKey }
  /** Nothing but the identifiers of many, under this key. */
  | { readonly status: 202; readonly identifiers: string }
  /** `paged`: late upstream releases answer a page of it, if asked. */
  | { readonly status: 200; readonly list: ShownKey; readonly paged?: boolean }
  | { readonly status: 200; readonly file: true }
  | { readonly status: 204 };

export interface About {
  /** A few words that begin with a verb. Together they are the identifier of the operation, too. */
  readonly summary: string;
  /** What else is to be known, in sentences. */
  readonly description?: string;
  /** What the variable parts of the path are called outside. */
  readonly names?: Readonly<Record<string, Parameter>>;
  readonly query?: (dialect: Dialect) => readonly Parameter[];
  readonly body?: Body;
  readonly success: Success;
  /** Besides those that follow from path and body. */
  readonly causes?: readonly CauseKey[] | ((dialect: Dialect) => readonly CauseKey[]);
}
