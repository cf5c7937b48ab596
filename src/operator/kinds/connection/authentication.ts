// How a Connection logs in, as a user may set it.
import { z } from 'zod';
import { reference, secretType } from '../../api/common.ts';
import { ruled, text } from '../../api/keywords.ts';

export const secret = (content: string) => reference(`Secret, of type ${secretType}`).describe(content);

export const auth = ruled(
  z.object({
    type: z
      .enum(['None', 'Token', 'Keystone'])
      .describe(
        'None: requests carry no credentials. Token: they carry the token of the Secret. Keystone: they carry tokens that the operator gets, and renews, from an identity service of OpenStack.',
      ),
    secretRef: secret(
      `Secret of type ${secretType} in the same namespace. Token: with the key "token". Keystone: with the key "clouds.yaml", the file that tools for OpenStack log in with, for a password or an application credential.`,
    ).optional(),
    cloud: text(253).optional().describe('Keystone: name of the cloud in clouds.yaml.'),
  }),
  [
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
  ],
);
