// Who may log in to the bundled identity part, and to which projects: read from a file, or those of the demo.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseTold, readTold } from '../command-line/settings-file.ts';

export interface Domain {
  readonly id: string;
  readonly name: string;
}

/** A user or a project: its name is unique in its domain. */
export interface Named {
  readonly id: string;
  readonly name: string;
  readonly domain: Domain;
}

export interface User extends Named {
  readonly password: string;
  /** Where it has a role, by id. */
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
  /** Of the service, in the catalogue; undefined: the one that the request for the token went to. */
  readonly url: string | undefined;
  readonly projects: readonly Named[];
  readonly users: readonly User[];
  readonly applicationCredentials: readonly ApplicationCredential[];
}

const name = z.string().min(1).max(255);
const id = z.string().regex(/^[\w.-]{1,64}$/, { error: 'is no identifier: letters, digits, -, _ and dots' });

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

/** The same for the same words in every life of the service: what was made in a project is found there again. */
const idOf = (...words: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, 32);

/** That of the domain which every installation begins with is the word itself. */
const domainOf = (domain: string): Domain => ({
  id: domain === 'Default' ? 'default' : idOf('domain', domain),
  name: domain,
});

type Told = z.output<typeof schema>;

const projectsOf = ({ projects }: Told): readonly Named[] =>
  projects.map((project) => ({
    id: project.id ?? idOf('project', project.domain, project.name),
    name: project.name,
    domain: domainOf(project.domain),
  }));

/** The one with this id or name. Throws when there is none. */
function need<T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
  wanted: string,
  place: string,
): T {
  const found = all.find((one) => one.id === wanted) ?? all.find((one) => one.name === wanted);
  if (found === undefined) throw new Error(`${place}: there is no ${wanted}`);
  return found;
}

function resolve(told: Told): Accounts {
  const projects = projectsOf(told);
  const users = told.users.map((user, index) => ({
    id: user.id ?? idOf('user', user.domain, user.name),
    name: user.name,
    domain: domainOf(user.domain),
    password: user.password,
    projects: user.projects.map((project) => need(projects, project, `users[${index}].projects`).id),
  }));
  const applicationCredentials = told.applicationCredentials.map((credential, index) => ({
    id: credential.id ?? idOf('application credential', credential.user, credential.name),
    name: credential.name,
    secret: credential.secret,
    user: need(users, credential.user, `applicationCredentials[${index}].user`),
    project: need(projects, credential.project, `applicationCredentials[${index}].project`),
  }));
  return { region: told.region, url: told.url, projects, users, applicationCredentials };
}

/** Throws an Error that names each wrong field, and no secret. */
export const parseAccounts = (text: string): Accounts => resolve(parseTold(schema, text));

/** Throws `cannot read accounts FILE: ...`. */
export const readAccounts = (file: string): Accounts => readTold('accounts', file, parseAccounts);

/** Enough to try everything: a user, her project, and an application credential for it. */
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
