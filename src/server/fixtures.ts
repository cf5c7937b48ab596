// Loads fixtures through the routes of the service, so that they are checked as requests are: all of them, or none.
import type { Log } from '../ports.ts';
import { isUuid } from '../wire/common.ts';
import { assemble } from './assembly.ts';
import { titles } from './checks.ts';
import { refusedAt, refusedFile, Unusable } from './fixture-problems.ts';
import {
  type Fixture,
  type FixtureRequest,
  type Reference,
  rewrite,
  type Section,
  sections,
} from './fixture-sections.ts';
import type { Fixtures } from './fixtures-file.ts';
import { bundledImages } from './images.ts';
import { find, listAll, listSeen } from './owners.ts';
import type { Kind } from './records.ts';
import { Refusal } from './refusal.ts';
import { endpointsOf } from './routes.ts';
import type { ServerOptions } from './server.ts';
import type { Service } from './service.ts';
import { createMemoryStore, kinds, type Store } from './store.ts';

/** Copies what differs. Records are never changed in place, so the same one says the same. */
function copy(from: Store, to: Store): void {
  for (const kind of kinds) {
    const changed = listAll(from, kind).filter(({ tenant, record }) => to.get(kind, tenant, record.id) !== record);
    // What the draft holds of uploads are those of the file; bytes that were there before stay where they are.
    for (const { tenant, record } of changed)
      to.put(kind, tenant, record, kind === 'jobBinaryInternals' ? from.bytes(tenant, record.id) : undefined);
  }
}

/** One object of the file, and where it stands there. */
interface Item {
  readonly tenant: string;
  readonly section: Section;
  readonly fields: Fixture;
  readonly at: string;
}

/** By kind and by tenant in it: what others refer to is there before them. */
const itemsOf = ({ tenants }: Fixtures): readonly Item[] =>
  sections.flatMap((section) =>
    Object.entries(tenants).flatMap(([tenant, told]) =>
      (told[section.key] ?? []).map((fields, index) => ({
        tenant,
        section,
        fields,
        at: `tenants.${tenant}.${section.key}[${index}]`,
      })),
    ),
  );

/** What to write in place of a reference, or why there is nothing. */
type Resolved = { readonly text: string } | { readonly why: string };

const keyOf = (kind: Kind, tenant: string, text: string): string => JSON.stringify([kind, tenant, text]);

class Loading {
  readonly #service: Service;
  /** Identifiers by kind, tenant, and name or identifier in the file. */
  readonly #names = new Map<string, string>();
  /** Where those stand that cannot be made, by the same. */
  readonly #refused = new Map<string, string>();
  #created = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  /** How many objects are new. */
  get created(): number {
    return this.#created;
  }

  /** What is wrong with the object, if it cannot be made. */
  load(item: Item): Unusable | undefined {
    const { section, tenant, fields, at } = item;
    const keys = [fields.name, fields.id].flatMap((text) =>
      text === undefined ? [] : keyOf(section.kind, tenant, text),
    );
    try {
      const id = this.#find(item) ?? this.#create(item);
      for (const key of keys) this.#names.set(key, id);
      return undefined;
    } catch (cause) {
      if (!(cause instanceof Unusable)) throw cause;
      const unknown = keys.filter((key) => !this.#names.has(key) && !this.#refused.has(key));
      for (const key of unknown) this.#refused.set(key, at);
      return cause;
    }
  }

  /** The identifier under which the object is there already, unless the file has it twice. */
  #find(item: Item): string | undefined {
    const { section, tenant, fields, at } = item;
    const isTold = (text: string | undefined) => {
      const key = keyOf(section.kind, tenant, text ?? '');
      return this.#names.has(key) || this.#refused.has(key);
    };
    const twice = [fields.name, fields.id].find(isTold);
    if (twice !== undefined) throw new Unusable([`${at}: ${twice} is there twice; one of the two has to be another`]);
    const present = this.#present(item);
    if (present === undefined) this.#created += 1;
    return present;
  }

  /** The identifier under which the object is there already. It stays as it is, whatever has become of it. */
  #present({ section, tenant, fields: { id, name }, at }: Item): string | undefined {
    const { store } = this.#service;
    const { kind } = section;
    if (kind === 'images') return id !== undefined && store.get(kind, tenant, id) ? id : undefined;
    const owner = id === undefined ? undefined : find(store, kind, { tenant, id });
    if (owner?.tenant === tenant) return id;
    if (owner !== undefined)
      throw new Unusable([`${at}.id: tenant ${owner.tenant} has it already; use another identifier`]);
    const found = store.list(kind, tenant).find((row) => row.name === name);
    if (found === undefined || id === undefined) return found?.id;
    throw new Unusable([
      `${at}.id: ${titles[kind]} ${name} is there as ${found.id}; use that identifier, or delete it before`,
    ]);
  }

  #create(item: Item): string {
    const { section, tenant, fields, at } = item;
    const dangling: string[] = [];
    const identify = (reference: Reference) => (text: string, place: string) => {
      const found = this.#resolve(reference, tenant, text);
      if ('why' in found) dangling.push(`${place}: ${found.why}`);
      return 'why' in found ? text : found.text;
    };
    const { id, ...body } = section.references.reduce(
      (rest, reference) => rewrite(rest, reference.path, at, identify(reference)) as Fixture,
      fields,
    );
    if (dangling.length > 0) throw new Unusable(dangling);
    const [first = '{}'] = section.requests(body, id).map((request) => this.#send(request, item, id));
    const [row] = Object.values(JSON.parse(first) as Readonly<Record<string, { readonly id: string }>>);
    return row?.id ?? '';
  }

  /** The text with an identifier in place of a name. A URL of another scheme refers to nothing here. */
  #resolve({ kind, prefix }: Reference, tenant: string, text: string): Resolved {
    const before = prefix?.(this.#service.dialect) ?? '';
    if (!text.startsWith(before)) return { text };
    const found = this.#idOf(kind, tenant, text.slice(before.length));
    return 'why' in found ? found : { text: before + found.text };
  }

  /** The answer to a request. */
  #send({ method, path, id = '', name = '', body }: FixtureRequest, { tenant, at }: Item, givenId: string | undefined) {
    const service = { ...this.#service, givenId };
    const endpoint = endpointsOf(service.dialect).find((each) => each.method === method && each.path === path);
    try {
      return endpoint?.handle(service, { tenant, id, name, version: '', query: {}, body }).text ?? '{}';
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      throw refusedAt(at, cause);
    }
  }

  /** What a reference means: an identifier, a name in the file, or one that the tenant sees already. */
  #idOf(kind: Kind, tenant: string, text: string): Resolved {
    const { store, catalog } = this.#service;
    const refused = this.#refused.get(keyOf(kind, tenant, text));
    if (refused !== undefined) return { why: `${text} cannot be made; mend ${refused}` };
    if (isUuid(text)) return { text };
    const seen = kind === 'images' ? (catalog.images ?? bundledImages) : listSeen(store, kind, tenant);
    const told = this.#names.get(keyOf(kind, tenant, text));
    const id = told ?? seen.find((row) => row.name === text || row.id === text)?.id;
    if (id !== undefined) return { text: id };
    const remedy = `add it to the file in tenant ${tenant}, or use an identifier in UUID form`;
    return { why: `there is no ${titles[kind]} ${text}; ${remedy}` };
  }
}

/**
 * Adds what is not there yet to the store of the options, which no server uses yet. Throws an Error that names every object that cannot be
 * made by its place in the file, with nothing loaded.
 */
export function loadFixtures(options: ServerOptions & { readonly store: Store }, fixtures: Fixtures, log: Log): void {
  const { store, clock } = options;
  const draft = createMemoryStore();
  copy(store, draft);
  // What begins here goes on when the server resumes it.
  const stillness = { ...clock, after: () => () => {} };
  const service = assemble({ ...options, store: draft, clock: stillness, injector: undefined }, log);
  const loading = new Loading(service);
  const items = itemsOf(fixtures);
  const refused = items.flatMap((item) => loading.load(item) ?? []);
  if (refused.length > 0) throw refusedFile(refused, items.length);
  copy(draft, store);
  log.info(
    { action: 'load' },
    `loaded ${loading.created} objects; ${items.length - loading.created} were there already`,
  );
}
