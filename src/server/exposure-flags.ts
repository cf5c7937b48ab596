// How far the service opens itself, as flags of the command line: under which names it is called. PURE.
import { z } from 'zod';

export const exposureHelp = `\
  --allowed-host NAME  the service may be called by this name, too, as that of an Ingress. May be
                       repeated. Without it: localhost and its address; with a log-in any name
`;

const name = z
  .string()
  .regex(/^([\w-]+\.)*[\w-]+$|^[\da-f:]+$/i, { error: 'is neither a name nor an address; leave out scheme and port' })
  .toLowerCase();

export const exposureFields = {
  'allowed-host': z.array(name).default([]),
};

export const exposureOptions = {
  'allowed-host': { type: 'string', multiple: true },
} as const;

type ExposureFlags = z.output<z.ZodObject<typeof exposureFields>>;

export interface Exposure {
  readonly allowedHosts: readonly string[];
}

export const exposureOf = (flags: ExposureFlags): Exposure => ({ allowedHosts: flags['allowed-host'] });
