// What a user may set on a Connection, and what its status tells.
import { z } from 'zod';
import { age, message, ready, reason } from '../../api/columns.ts';
import { commonStatus, secretType } from '../../api/common.ts';
import type { Column, Definition } from '../../api/definition.ts';
import { type Rule, ruled, setOf, text } from '../../api/keywords.ts';
import { auth, secret } from './authentication.ts';
import { url } from './url.ts';

const endpoint = text(1024, {
  pattern: url,
  message:
    'must be a URL that begins with http:// or https://, with a host and, where needed, a port up to 65535, without user, password, query and fragment',
});

const tls = z.object({
  caSecretRef: secret(
    `Secret of type ${secretType} with the key "ca.crt": the certificates (PEM) that those of the service, and of the identity service, must be signed by. Unset: those that the system trusts.`,
  ).optional(),
  insecureSkipVerify: z
    .boolean()
    .optional()
    .describe('Accept any certificate. Anyone on the way can then read the credentials: for trials only.'),
});

const limits = z.object({
  requestsPerSecond: z.int32().min(1).max(10_000).optional().describe('Requests a second in the long run. Unset: 50.'),
  burst: z
    .int32()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Requests that may be sent at once after a pause. Unset: 100.'),
  maxInFlight: z
    .int32()
    .min(1)
    .max(1000)
    .optional()
    .describe('Requests that may wait for their answers at the same time. Unset: 16.'),
});

const remedy = 'make a new Connection';
const rules: readonly Rule[] = [
  {
    rule: "has(self.endpoint) || (has(self.auth) && self.auth.type == 'Keystone')",
    message:
      'give the base URL of the service: only with auth.type Keystone can endpoint be left out, and comes from the catalogue then',
    fieldPath: '.endpoint',
    reason: 'FieldValueRequired',
  },
  {
    rule: "has(self.tenantID) || (has(self.auth) && self.auth.type == 'Keystone')",
    message:
      'give the tenant to use: only with auth.type Keystone can tenantID be left out, and comes from the log-in then',
    fieldPath: '.tenantID',
    reason: 'FieldValueRequired',
  },
  {
    rule: '!has(oldSelf.tenantID) || (has(self.tenantID) && self.tenantID == oldSelf.tenantID)',
    message: `tenantID cannot change: ${remedy}`,
    fieldPath: '.tenantID',
    reason: 'FieldValueForbidden',
  },
  {
    rule: "(has(self.dialect) ? self.dialect : 'Neutral') == (has(oldSelf.dialect) ? oldSelf.dialect : 'Neutral')",
    message: `dialect cannot change: ${remedy}`,
    fieldPath: '.dialect',
    reason: 'FieldValueForbidden',
  },
  {
    // Through what is no URL nothing was ever made.
    rule: `!has(oldSelf.endpoint) || (has(self.endpoint) && self.endpoint == oldSelf.endpoint) || (has(self.formerEndpoints) && oldSelf.endpoint in self.formerEndpoints) || !oldSelf.endpoint.matches(r'${url.source}')`,
    message:
      'endpoint may change only when the service itself has moved: then add the old endpoint to formerEndpoints in the same edit; for another service make a new Connection',
    fieldPath: '.endpoint',
    reason: 'FieldValueForbidden',
  },
];

const spec = ruled(
  z.object({
    endpoint: endpoint
      .optional()
      .describe(
        'Base URL of the service, without version and tenant: https://processing.example.com:8386. With Keystone it may be left out: then it is the one that the catalogue has for the type data-processing. May change only when the old one is listed in formerEndpoints.',
      ),
    formerEndpoints: setOf(endpoint, 20)
      .optional()
      .describe(
        'URLs under which the same service was reached before. What was made through them is still taken for ours.',
      ),
    tenantID: text(255, {
      pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
      message: 'must be letters, digits, -, _ and dots, and begin with a letter or digit',
    })
      .optional()
      .describe(
        'Tenant (project) that everything is made in, by its id; part of the path of each request. With Keystone it may be left out: then it is the project of the log-in. Cannot change.',
      ),
    dialect: z
      .enum(['Neutral', 'Sahara', 'Savanna'])
      .optional()
      .describe(
        'Vocabulary of the service. Neutral (when unset): the interface as written; Sahara and Savanna: late and early upstream releases. Cannot change.',
      ),
    auth: auth.optional().describe('How to log in. Unset: not at all.'),
    tls: tls.optional().describe('Which certificates to accept at https, of the service and of the identity service.'),
    timeoutSeconds: z
      .int32()
      .min(1)
      .max(600)
      .optional()
      .describe('How long to wait for an answer, in seconds. Unset: 30.'),
    limits: limits.optional().describe('How much the service may be asked.'),
    pollSeconds: z
      .int32()
      .min(1)
      .max(3600)
      .optional()
      .describe('How often to look at clusters that are not changing, in seconds. Unset: 30.'),
  }),
  rules,
);

const plugin = z.object({
  name: z.string().max(255).describe('Value for pluginName.'),
  versions: z.array(z.string().max(255)).max(1000).optional().describe('Values for bigdataVersion.'),
});

const unclaimed = z.object({
  collection: z.string().max(64).describe('Where it is: clusters, cluster-templates, node-group-templates.'),
  id: z.string().max(255).describe('Identifier in the service.'),
  name: z.string().max(255).describe('Name in the service.'),
});

const status = z.object({
  ...commonStatus,
  endpoint: z.string().max(1024).optional().describe('Base URL in use.'),
  tenantID: z.string().max(255).optional().describe('Tenant in use.'),
  accepted: z
    .object({
      endpoint: z.string().max(1024).describe('Base URL of that service.'),
      tenantID: z.string().max(255).describe('Tenant that it was asked for.'),
    })
    .optional()
    .describe(
      'The service that last accepted the credentials. Claims made through a Connection that was never accepted do not count against other resources.',
    ),
  managedCount: z
    .int32()
    .optional()
    .describe(
      'Objects in the service that belong to resources here; a few seconds after it changed, or every minute while it keeps changing.',
    ),
  unclaimedCount: z
    .int32()
    .optional()
    .describe(
      'Objects that this installation made in the service and that no resource claims any more. Nothing deletes them by itself.',
    ),
  unclaimed: z.array(unclaimed).max(50).optional().describe('The first 50 of these.'),
  plugins: z.array(plugin).max(1000).optional().describe('Plugins that the service offers; read every ten minutes.'),
});

const columns: readonly Column[] = [
  ready,
  reason,
  { name: 'Endpoint', type: 'string', jsonPath: '.status.endpoint' },
  { name: 'Tenant', type: 'string', jsonPath: '.status.tenantID' },
  message,
  age,
];

export const connection = {
  kind: 'Connection',
  plural: 'connections',
  singular: 'connection',
  shortName: 'dpconn',
  description: 'A data-processing service and the tenant to use there, for the other objects of the namespace.',
  spec,
  status,
  columns,
} as const satisfies Definition;
