// The documentation of a route, for the OpenAPI document and the tables of the README. PURE.
import type { z } from 'zod';
import type { Dialect } from '../../../wire/dialect.ts';
import type { CauseKey } from '../../model/causes.ts';
import type { ShownKey } from '../views/answers.ts';

export interface Parameter {
  readonly name: string;
  readonly description: string;
  /** The possible values. When absent: any text. */
  readonly choice?: readonly string[];
  /** Whether the parameter can be repeated. */
  readonly repeated?: boolean;
}

export interface Body {
  /** The schema of the body, in neutral words. */
  readonly schema: (dialect: Dialect) => z.ZodType;
  /**
   * `unset`: null means "not set", except in early releases. When absent, null is refused, except in the access fields of late releases.
   */
  readonly nullFields?: 'unset';
  /** Fields that are optional in the body because the path has them. */
  readonly filled?: readonly string[];
}

export type Success =
  | { readonly status: 200 | 202; readonly one: ShownKey }
  | { readonly status: 200; readonly list: ShownKey }
  /** `text`: it is plain text. */
  | { readonly status: 200; readonly file: true; readonly text?: boolean }
  | { readonly status: 204 };

export interface About {
  /** A short text that begins with a verb. The operation id is derived from it. */
  readonly summary: string;
  /** Further sentences. */
  readonly description?: string;
  /** The interface has no such route: other services do not serve it. The document says `x-extension`. */
  readonly extension?: true;
  /** The documented names of the variable parts of the path. */
  readonly names?: Readonly<Record<string, Parameter>>;
  readonly query?: (dialect: Dialect) => readonly Parameter[];
  readonly body?: Body;
  readonly success: Success;
  /** Causes of refusals besides those that follow from path and body. */
  readonly causes?: readonly CauseKey[] | ((dialect: Dialect) => readonly CauseKey[]);
}
