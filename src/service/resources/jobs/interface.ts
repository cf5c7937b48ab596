// The interface of a job: named arguments of its executions. They are checked when the job is created and when it is run.

import { reservedKey } from '../../../lib/own.ts';
import { type FlatConfigs, isUuid } from '../../../wire/common.ts';
import { argumentMappings } from '../../../wire/job-rules.ts';
import type { Argument, JobCreate, JobExecute } from '../../../wire/jobs.ts';
import { resolve } from '../../model/checks/request-checks.ts';
import type { JobRecord } from '../../model/records/records.ts';
import { Refusal } from '../../model/refusal.ts';
import { firstTwice } from '../../model/texts.ts';
import type { Service } from '../service.ts';

const unusable = (why: string) => Refusal.by('badInterface', `cannot use interface: ${why}`);

function checkPositions(positional: readonly Argument[]): void {
  const locations = new Set(positional.map(({ location }) => location));
  const unbroken = [...locations.keys()].every(
    (location) => /^\d+$/.test(location) && Number(location) < locations.size,
  );
  if (!unbroken) throw unusable('locations of args have to be 0, 1, 2 and so on, without a hole');
  const bare = positional.find((each) => !each.required && !each.default);
  if (bare !== undefined) throw unusable(`${bare.name} is not required, and needs a default for its place among args`);
}

function checkValue(
  service: Service,
  at: { readonly tenant: string; readonly argument: Argument },
  value: unknown,
): void {
  const { value_type = 'string', name } = at.argument;
  const text = String(value);
  switch (value_type) {
    case 'string':
      if (typeof value !== 'string') throw unusable(`${name} is not a string`);
      return;
    case 'number':
      if (!/^\d+$/.test(text)) throw unusable(`${name} is not a number`);
      return;
    case 'data_source':
      if (isUuid(text)) resolve(service.store, 'dataSources', { tenant: at.tenant, id: text }, 'unknownDefault');
      else if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) throw unusable(`${name} is neither a data source nor a URL`);
  }
}

/** The arguments as they are stored, each with its type. */
export function checkInterface(service: Service, tenant: string, job: JobCreate): readonly Argument[] {
  const described = job.interface ?? [];
  const sameName = firstTwice(described.map(({ name }) => name));
  if (sameName !== undefined) throw unusable(`${sameName} is named twice`);
  const reserved = described.find(({ name, location }) => [name, location].includes(reservedKey));
  if (reserved !== undefined) throw unusable(`${reserved.name} is called or at ${reservedKey}: choose another word`);
  const foreign = described.find(({ mapping_type }) => !argumentMappings[job.type].includes(mapping_type));
  if (foreign !== undefined)
    throw unusable(
      `a ${job.type} job has no ${foreign.mapping_type}, but ${argumentMappings[job.type].join(', ') || 'none'}`,
    );
  checkPositions(described.filter(({ mapping_type }) => mapping_type === 'args'));
  const samePlace = firstTwice(described.map(({ mapping_type, location }) => `${mapping_type} ${location}`));
  if (samePlace !== undefined) throw unusable(`${samePlace} is taken twice`);
  for (const argument of described) if (argument.default) checkValue(service, { tenant, argument }, argument.default);
  return described.map((argument) => ({ ...argument, value_type: argument.value_type ?? 'string' }));
}

function checkPlace(argument: Argument, value: unknown, configs: JobExecute['job_configs']): void {
  if (argument.mapping_type === 'args') return;
  const given: FlatConfigs = configs?.[argument.mapping_type] ?? {};
  const other = Object.getOwnPropertyDescriptor(given, argument.location)?.value as unknown;
  if (other === undefined || other === value) return;
  throw unusable(`${argument.name} is given once more in ${argument.mapping_type} ${argument.location}`);
}

/** Throws unless the execution passes all required values of the interface, and no others. */
export function checkValues(
  service: Service,
  at: { readonly tenant: string; readonly job: JobRecord },
  body: JobExecute,
): void {
  const { tenant, job } = at;
  const values = body.interface;
  if (job.interface.length > 0 && values === undefined)
    throw unusable(`job ${job.name} has one: pass it, even if empty`);
  const given = new Map(Object.entries(values ?? {}));
  const names = new Set(job.interface.map(({ name }) => name));
  const unknown = [...given.keys()].find((name) => !names.has(name));
  if (unknown !== undefined) throw unusable(`job ${job.name} has no argument ${unknown}`);
  const lacking = job.interface.find(({ name, required }) => required && !given.has(name));
  if (lacking !== undefined) throw unusable(`the argument ${lacking.name} is required`);
  for (const argument of job.interface) {
    const value = given.get(argument.name);
    if (value === undefined) continue;
    checkValue(service, { tenant, argument }, value);
    checkPlace(argument, value, body.job_configs);
  }
}
