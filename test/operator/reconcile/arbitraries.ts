// Arbitrary names, claims and ledgers for properties.
import fc from 'fast-check';
import type { Claim, Ledger } from '../../../src/operator/reconcile/ledger/ledger.ts';
import { endpoint, installation, tenant, uid } from './support.ts';

const lower = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'.split(''));
const inner = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789--..'.split(''));

/** Names that the API server accepts: up to 253 letters, digits, hyphens and dots, of which digits may be first. */
export const kubernetesName = fc
  .oneof(
    fc.tuple(lower, fc.string({ unit: inner, maxLength: 251 }), lower).map((parts) => parts.join('')),
    fc.tuple(lower, fc.string({ unit: inner, maxLength: 20 }), lower).map((parts) => parts.join('')),
    fc.constantFrom('a', '0', '1-2.3', 'a'.repeat(253), `${'9'.repeat(252)}z`, `a${'-.'.repeat(20)}b`),
  )
  .map((name) =>
    name
      .replace(/\.+/g, '.')
      .replace(/-\.|\.-/g, '.')
      .slice(0, 253),
  );

export const instant = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const optional = { requiredKeys: [] as never[] };

export const anyClaim: fc.Arbitrary<Claim> = fc
  .tuple(
    fc.record({ role: fc.constantFrom('main', 'revision', 'private'), name: fc.string({ minLength: 1 }) }),
    fc.record({ id: fc.uuid(), hash: fc.string(), origin: fc.constantFrom('adopted', 'preexisting') }, optional),
    fc.option(fc.record({ open: fc.nat(4), lastSentAt: instant }), { nil: undefined }),
  )
  .map(([pinned, found, attempts]) => ({
    ...pinned,
    ...found,
    collection: 'clusters',
    ...(attempts ? { attempts } : {}),
  }));

const counts = fc.dictionary(
  fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
  fc.nat(20),
);

export const anyLedger: fc.Arbitrary<Ledger> = fc
  .tuple(
    fc.array(anyClaim, { maxLength: 3 }),
    fc.record(
      {
        baseline: fc.array(fc.record({ name: fc.string(), count: fc.nat(9) })),
        change: fc.record(
          { generation: fc.nat(), target: counts, sentAt: instant, tries: fc.nat(3), doubts: fc.nat(3) },
          { requiredKeys: ['generation', 'target', 'sentAt', 'tries'] },
        ),
        future: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
      },
      optional,
    ),
  )
  .map(([claims, more]) => ({ v: 1, installation, uid, endpoint, tenant, base: 'etl', claims, ...more }) as Ledger);
