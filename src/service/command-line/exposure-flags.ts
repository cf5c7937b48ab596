// The flags for exposure: host names, and limits on requests and connections. PURE.
import { z } from 'zod';
import { type Limits, usualLimits } from '../http/limits.ts';

export const exposureHelp = `\
  --allowed-host NAME  accept this name in Host, such as that of an Ingress. Can be repeated.
                       Default: localhost and the own address; any name with authentication
  --request-timeout-ms N  ms in which a request must arrive; then it is answered 408 (60000)
  --max-connections N  maximum number of connections; further ones are closed at once (4000)
`;

const name = z
  .string()
  .regex(/^([\w-]+\.)*[\w-]+$|^[\da-f:]+$/i, { error: 'is neither a name nor an address; leave out scheme and port' })
  .toLowerCase();

const count = (max: number, usual: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, { error: 'is not a whole number above 0' })
    .transform(Number)
    .pipe(z.int().max(max))
    .default(usual);

export const exposureFields = {
  'allowed-host': z.array(name).default([]),
  'request-timeout-ms': count(3_600_000, usualLimits.requestMs),
  'max-connections': count(1_000_000, usualLimits.connections),
};

type ExposureFlags = z.output<z.ZodObject<typeof exposureFields>>;

interface Exposure {
  readonly allowedHosts: readonly string[];
  readonly limits: Limits;
}

export const exposureOf = (flags: ExposureFlags): Exposure => ({
  allowedHosts: flags['allowed-host'],
  limits: { requestMs: flags['request-timeout-ms'], connections: flags['max-connections'] },
});
