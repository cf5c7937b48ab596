// The spec and status of a Connection.
import { z } from 'zod';
import { age, message, ready, reason } from '../../api/columns.ts';
import type { Column, Definition } from '../../api/definition.ts';
import { type Rule, ruled, setOf, text } from '../../api/keywords.ts';
import { optionalBoolean, optionalInteger, reportedText } from '../../api/optional-fields.ts';
import { secret } from '../../api/secret-references.ts';
import { commonStatus, secretType } from '../../api/shared-api.ts';

const authRules: readonly Rule[] = [
  {
    rule: "self.type != 'Token' || has(self.secretRef)",
    message: 'type Token needs secretRef: the Secret that holds the token',
    fieldPath: '.secretRef',
    reason: 'FieldValueRequired',
  },
  {
    rule: "self.type != 'Keystone' || has(self.secretRef)",
    message: 'type Keystone needs secretRef: the Secret that holds clouds.yaml',
    fieldPath: '.secretRef',
    reason: 'FieldValueRequired',
  },
  {
    rule: "self.type != 'Keystone' || has(self.cloud)",
    message: 'type Keystone needs cloud: the name of the cloud in clouds.yaml',
    fieldPath: '.cloud',
    reason: 'FieldValueRequired',
  },
  {
    rule: "self.type == 'Keystone' || !has(self.cloud)",
    message: 'only type Keystone has a cloud: remove cloud, or set type to Keystone',
    fieldPath: '.cloud',
    reason: 'FieldValueForbidden',
  },
  {
    rule: "self.type != 'None' || !has(self.secretRef)",
    message: 'type None uses no Secret: remove secretRef, or set type to Token or Keystone',
    fieldPath: '.secretRef',
    reason: 'FieldValueForbidden',
  },
];

/** `place`: where the Secrets are, for people. */
const auth = (place: string) =>
  ruled(
    z.object({
      type: z
        .enum(['None', 'Token', 'Keystone'])
        .describe(
          'How to authenticate. None: requests carry no credentials. Token: requests carry the token from the Secret. Keystone: the operator obtains tokens from an OpenStack identity service and renews them.',
        )
        .meta({ example: 'Keystone' }),
      secretRef: secret(
        `Secret of type ${secretType} in ${place}. Type Token needs the key "token". Type Keystone needs the key "clouds.yaml", a clouds.yaml of OpenStack with a password or an application credential.`,
        place,
      ).optional(),
      cloud: text(253)
        .optional()
        .describe('Name of the cloud in clouds.yaml. For type Keystone only.')
        .meta({ example: 'production' }),
    }),
    authRules,
  );

/** Host names. */
const letter = String.raw`[^\s\x00-\x1F\x7F/?#@:%<>^|\\\[\].]`;
/** A host that ends with a number is read as an IPv4 address. */
const word = String.raw`[^\s\x00-\x1F\x7F/?#@:%<>^|\\\[\].0-9]`;
const name = String.raw`(${letter}+\.)*${letter}*${word}${letter}*\.?`;

const octet = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const address = String.raw`${octet}(\.${octet}){3}|\[[0-9A-Fa-f:.]+\]`;

const port = '([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

/**
 * http or https, without user, password, query and fragment. Of IPv6 it accepts more than exists. The API server and the operator read
 * the expression alike.
 */
const url = new RegExp(String.raw`^https?://(${name}|${address})(:${port})?(/[^?#\s]*)?$`);

const endpoint = text(1024, {
  pattern: url,
  message:
    'must be a URL that begins with http:// or https://, with a host and, where needed, a port up to 65535, without user, password, query and fragment',
});

const tls = (place: string) =>
  z.object({
    caSecretRef: secret(
      `Secret of type ${secretType} in ${place}, with the key "ca.crt": the CA certificates (PEM) to verify the service and the identity service with. Defaults to the certificates that the system trusts.`,
      place,
    ).optional(),
    insecureSkipVerify: optionalBoolean
      .describe(
        'Accept any certificate. Anybody on the network path can then read the credentials, so use this for trials only. Defaults to false.',
      )
      .meta({ example: true }),
  });

export const requestLimits = {
  requestsPerSecond: optionalInteger(1, 10_000)
    .describe(
      'Requests per second at most, on average. The operator begins with 20, sends more while the service answers as fast as usual, and half as many when it refuses requests or becomes slow. Defaults to 500.',
    )
    .meta({ example: 20 }),
  burst: optionalInteger(1, 10_000)
    .describe(
      'Requests that may be sent at once after a pause, at requestsPerSecond; in proportion fewer at a lower rate. Defaults to a fifth of requestsPerSecond.',
    )
    .meta({ example: 40 }),
  maxInFlight: optionalInteger(1, 1000)
    .describe(
      'Requests that may be in flight at the same time. Fewer while the operator sends fewer than 20 per second. Defaults to 64, of which the operator uses 12 at first.',
    )
    .meta({ example: 8 }),
};

/** `kind`: of what is created for another service. */
export const serviceRules = (kind: string): readonly Rule[] => [
  {
    rule: "has(self.endpoint) || (has(self.auth) && self.auth.type == 'Keystone')",
    message: 'endpoint, the base URL of the service, is required unless auth.type is Keystone',
    fieldPath: '.endpoint',
    reason: 'FieldValueRequired',
  },
  {
    rule: "has(self.tenantID) || (has(self.auth) && self.auth.type == 'Keystone')",
    message: 'tenantID is required unless auth.type is Keystone',
    fieldPath: '.tenantID',
    reason: 'FieldValueRequired',
  },
  {
    rule: '!has(oldSelf.tenantID) || (has(self.tenantID) && self.tenantID == oldSelf.tenantID)',
    message: `tenantID is immutable; create another ${kind}`,
    fieldPath: '.tenantID',
    reason: 'FieldValueForbidden',
  },
  {
    rule: "(has(self.dialect) ? self.dialect : 'Neutral') == (has(oldSelf.dialect) ? oldSelf.dialect : 'Neutral')",
    message: `dialect is immutable; create another ${kind}`,
    fieldPath: '.dialect',
    reason: 'FieldValueForbidden',
  },
  {
    // No object was ever created through an endpoint that is not a URL.
    rule: `!has(oldSelf.endpoint) || (has(self.endpoint) && self.endpoint == oldSelf.endpoint) || (has(self.formerEndpoints) && oldSelf.endpoint in self.formerEndpoints) || !oldSelf.endpoint.matches(r'${url.source}')`,
    message: `endpoint can change only if formerEndpoints lists the old one; for another service, create another ${kind}`,
    fieldPath: '.endpoint',
    reason: 'FieldValueForbidden',
  },
];

/** What leads to a service. `place`: where the Secrets are, for people. */
export const serviceFields = <Limits extends z.ZodType>(place: string, limits: Limits) => ({
  endpoint: endpoint
    .optional()
    .describe(
      'Base URL of the service, without version and tenant. Required unless auth.type is Keystone. With Keystone, defaults to the endpoint of type data-processing in the service catalog. It may change only if formerEndpoints lists the old one.',
    )
    .meta({ example: 'https://processing.example.com:8386' }),
  formerEndpoints: setOf(endpoint, 20)
    .optional()
    .describe(
      'Base URLs under which the same service was reachable before. Objects created through them still count as managed.',
    )
    .meta({ example: ['https://old.example.com:8386'] }),
  tenantID: text(255, {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    message: 'must be letters, digits, -, _ and dots, and begin with a letter or digit',
  })
    .optional()
    .describe(
      'Identifier of the tenant (project) in which objects are created; part of the path of each request. Required unless auth.type is Keystone. With Keystone, defaults to the project of the credentials. Immutable once set.',
    )
    .meta({ example: 'a3b4c5d6e7f80912a3b4c5d6e7f80912' }),
  dialect: z
    .enum(['Neutral', 'Sahara', 'Savanna'])
    .optional()
    .describe(
      'Vocabulary of the service. Neutral: the interface as documented. Sahara: late upstream releases. Savanna: early upstream releases. Defaults to Neutral. Immutable.',
    )
    .meta({ example: 'Sahara' }),
  auth: auth(place).optional().describe('Authentication. When unset, requests carry no credentials.'),
  tls: tls(place).optional().describe('TLS settings for https, for the service and for the identity service.'),
  timeoutSeconds: optionalInteger(1, 600)
    .describe('Seconds to wait for an answer. Defaults to 30.')
    .meta({ example: 60 }),
  limits,
  pollSeconds: optionalInteger(1, 3600)
    .describe('Seconds between polls of clusters that are not changing. Defaults to 30.')
    .meta({ example: 60 }),
});

const spec = ruled(
  z.object({
    ...serviceFields(
      'the same namespace',
      z.object(requestLimits).optional().describe('Limits for the requests to the service.'),
    ),
  }),
  serviceRules('Connection'),
);

const plugin = z.object({
  name: z.string().max(255).describe('Name of the plugin, a value for pluginName.'),
  versions: z
    .array(z.string().max(255))
    .max(1000)
    .optional()
    .describe('Versions of the distribution, values for bigdataVersion.'),
});

const unclaimed = z.object({
  collection: z
    .string()
    .max(64)
    .describe('Collection that the object is in: clusters, cluster-templates or node-group-templates.'),
  id: z.string().max(255).describe('Identifier in the service.'),
  name: z.string().max(255).describe('Name in the service.'),
});

const status = z.object({
  ...commonStatus,
  endpoint: reportedText(1024, 'Base URL in use.'),
  tenantID: reportedText(255, 'Tenant in use.'),
  accepted: z
    .object({
      endpoint: z.string().max(1024).describe('Base URL of that service.'),
      tenantID: z.string().max(255).describe('Tenant in that service.'),
    })
    .optional()
    .describe(
      'Service that last accepted the credentials. Claims made through a Connection that no service ever accepted do not count against other resources.',
    ),
  managedCount: z
    .int32()
    .optional()
    .describe(
      'Number of objects in the service that belong to resources in this cluster. Updated a few seconds after a change, or every minute while it keeps changing.',
    ),
  unclaimedCount: z
    .int32()
    .optional()
    .describe(
      'Number of objects that this installation created in the service and that no resource claims any more, through any Connection. The operator never deletes them by itself.',
    ),
  unclaimed: z.array(unclaimed).max(50).optional().describe('The first 50 unclaimed objects.'),
  limits: z
    .object({
      requestsPerSecond: z.int32().describe('Requests per second.'),
      maxInFlight: z.int32().describe('Requests in flight.'),
    })
    .optional()
    .describe(
      'What the operator allows itself, by the answers of the service and at most spec.limits, rounded down to 1, 2, 5, 10, 20, 50 and so on. Updated with other changes of the status; metrics have the present values.',
    ),
  plugins: z.array(plugin).max(1000).optional().describe('Plugins that the service offers, read every ten minutes.'),
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
  shortName: 'dpconn',
  description:
    'A data-processing service and the tenant to use there. The other objects of the namespace reference it.',
  spec,
  status,
  columns,
} as const satisfies Definition;
