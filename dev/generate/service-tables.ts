// The generated tables of src/service/README.md: every route with its answer and its refusals. PURE.

import { urlsOf } from '../../src/service/api/http/paths.ts';
import { causesOf, outerPath } from '../../src/service/api/openapi/operation.ts';
import { type CauseKey, causeOf, commonCauses, pathCauses, type RefusalCause } from '../../src/service/model/causes.ts';
import { endpoints } from '../../src/service/resources/all-routes.ts';
import type { Success } from '../../src/service/resources/endpoints/about.ts';
import type { Endpoint } from '../../src/service/resources/endpoints/endpoint.ts';
import { shown } from '../../src/service/resources/views/answers.ts';
import { type Dialect, dialects } from '../../src/wire/dialect.ts';

const spokenIn = (some: readonly Dialect[]): string => (some.length === dialects.length ? 'all' : some.join(', '));

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly string[]): string =>
  [row(...head), `|${'---|'.repeat(head.length)}`, ...rows].join('\n');

interface Refused {
  readonly cause: RefusalCause;
  readonly dialects: readonly Dialect[];
}

const errorTable = (refused: readonly Refused[]): string =>
  table(
    ['status', '`error_name`', 'when', 'dialects'],
    refused.map(({ cause, dialects: some }) => row(cause.status, `\`${cause.name}\``, cause.when, spokenIn(some))),
  );

const general = (keys: readonly CauseKey[]): string =>
  errorTable(keys.map((key) => ({ cause: causeOf(key), dialects: causeOf(key).in ?? dialects })));

const withJson: readonly CauseKey[] = ['notJson', 'noType', 'otherType', 'invalid', 'tooLarge', 'tooManyBodies'];
const generalCauses: ReadonlySet<RefusalCause> = new Set(
  [...commonCauses('none'), ...withJson, 'tooManyAnswers' as const].map(causeOf),
);

/** The refusals that are specific to this route, with their dialects. */
function refusedBy(endpoint: Endpoint): readonly Refused[] {
  const found = dialects.flatMap((dialect) =>
    causesOf(endpoint, { dialect, logIn: 'none' }).map((cause) => [cause, dialect] as const),
  );
  const own = found.filter(([cause]) => !generalCauses.has(cause));
  return [...Map.groupBy(own, ([cause]) => cause)].map(([cause, pairs]) => ({
    cause,
    dialects: pairs.map(([, dialect]) => dialect),
  }));
}

function answerOf(success: Success): string {
  if (success.status === 204) return '204, empty';
  if ('file' in success) return success.text === true ? '200, text' : '200, the bytes';
  const key = 'one' in success ? shown[success.one].single : (shown[success.list].plural ?? '');
  return `${success.status}, \`{${key}}\``;
}

const pathOf = (endpoint: Endpoint): string => {
  const [first = ''] = urlsOf('neutral', endpoint);
  return outerPath(endpoint, first).replace('v1.0', endpoint.version ?? 'v1.x');
};

function routeText(endpoint: Endpoint): string {
  const { about, method } = endpoint;
  const description = about.description === undefined ? '' : ` ${about.description}`;
  const refused = refusedBy(endpoint);
  return [
    `#### \`${method} ${pathOf(endpoint)}\``,
    `${about.summary}: ${answerOf(about.success)}.${description}`,
    ...(refused.length === 0 ? [] : [errorTable(refused)]),
  ].join('\n\n');
}

/** The generated parts of the README by name. */
export const tables = (): Readonly<Record<'errors' | 'errors-log-in' | 'errors-body' | 'routes', string>> => {
  const common = commonCauses('none');
  return {
    errors: general([...common, 'tooManyAnswers', ...pathCauses]),
    'errors-log-in': general(commonCauses('keystone').filter((key) => !common.includes(key))),
    'errors-body': general(withJson),
    routes: endpoints.map(routeText).join('\n\n'),
  };
};
