// The accounts of the Keystone for tests: read from a file, or those of the demo.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseSettings, readSettings } from '../../src/lib/settings-file.ts';

interface Domain {
  readonly id: string;
  readonly name: string;
}

/** A user or a project. Its name is unique within its domain. */
export interface Named {
  readonly id: string;
  readonly name: string;
  readonly domain: Domain;
}

export interface User extends Named {
  readonly password: string;
  /** The ids of the projects in which the user has a role. */
  readonly projects: readonly string[];
}

export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
  readonly user: User;
  readonly project: Named;
}

export interface Accounts {
  readonly region: string;
  /** The URL of the service in the catalog. Undefined: the address of the request for the token. */
  readonly url: string | undefined;
  readonly projects: readonly Named[];
  readonly users: readonly User[];
  readonly applicationCredentials: readonly ApplicationCredential[];
}

const name = z.string().min(1).max(255);
const id = z.string().regex(/^[\w.-]{1,64}$/, { error: 'must be an identifier: letters, digits, -, _ and dots' });

const schema = z.strictObject({
  region: name.default('RegionOne'),
  url: z.url({ protocol: /^https?$/ }).optional(),
  projects: z.array(z.strictObject({ name, id: id.optional(), domain: name.default('Default') })).min(1),
  users: z
    .array(
      z.strictObject({
        name,
        id: id.optional(),
        domain: name.default('Default'),
        password: name,
        projects: z.array(name).default([]),
      }),
    )
    .min(1),
  applicationCredentials: z
    .array(z.strictObject({ name, id: id.optional(), secret: name, user: name, project: name }))
    .default([]),
});

/** Derived from the words, so that a project keeps its id, and thereby its objects, over restarts. */
const idOf = (...words: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, 32);

/** The default domain of Keystone has this fixed id. */
const domainOf = (domain: string): Domain => ({
  id: domain === 'Default' ? 'default' : idOf('domain', domain),
  name: domain,
});

type AccountsFile = z.output<typeof schema>;

const projectsOf = ({ projects }: AccountsFile): readonly Named[] =>
  projects.map((project) => ({
    id: project.id ?? idOf('project', project.domain, project.name),
    name: project.name,
    domain: domainOf(project.domain),
  }));

function need<T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
  wanted: string,
  place: string,
): T {
  const found = all.find((one) => one.id === wanted) ?? all.find((one) => one.name === wanted);
  if (found === undefined) throw new Error(`${place}: there is no ${wanted}`);
  return found;
}

function resolve(file: AccountsFile): Accounts {
  const projects = projectsOf(file);
  const users = file.users.map((user, index) => ({
    id: user.id ?? idOf('user', user.domain, user.name),
    name: user.name,
    domain: domainOf(user.domain),
    password: user.password,
    projects: user.projects.map((project) => need(projects, project, `users[${index}].projects`).id),
  }));
  const applicationCredentials = file.applicationCredentials.map((credential, index) => ({
    id: credential.id ?? idOf('application credential', credential.user, credential.name),
    name: credential.name,
    secret: credential.secret,
    user: need(users, credential.user, `applicationCredentials[${index}].user`),
    project: need(projects, credential.project, `applicationCredentials[${index}].project`),
  }));
  return { region: file.region, url: file.url, projects, users, applicationCredentials };
}

/** Throws an Error that names each wrong field, but no secret. */
export const parseAccounts = (text: string): Accounts => resolve(parseSettings(schema, text));

/** Throws `cannot read accounts FILE: ...`. */
export const readAccounts = (file: string): Accounts => readSettings('accounts', file, parseAccounts);

/** The accounts of the demo: one user, one project, and an application credential for it. */
export const demoAccounts: Accounts = resolve(
  schema.parse({
    projects: [{ name: 'demo', id: '7a2f0c4e9b6d4a53a1c8d5e2f3b49607' }],
    users: [{ name: 'demo', password: 'demo', projects: ['demo'] }],
    applicationCredentials: [
      {
        name: 'operator',
        id: '3c9e1b7d5f2a4860b4d6e8f0a1c2e3d5',
        secret: 'demo-secret',
        user: 'demo',
        project: 'demo',
      },
    ],
  }),
);
