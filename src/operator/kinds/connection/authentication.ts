// How a Connection logs in: the fields of spec.auth.
import { z } from 'zod';
import { reference, secretType } from '../../api/common.ts';
import { ruled, text } from '../../api/keywords.ts';

export const secret = (content: string) => reference(`Secret, of type ${secretType}`).describe(content);

export const auth = ruled(
  z.object({
    type: z
      .enum(['None', 'Token', 'Keystone'])
      .describe(
        'How to authenticate. None: requests carry no credentials. Token: requests carry the token from the Secret. Keystone: the operator obtains tokens from an OpenStack identity service and renews them.',
      )
      .meta({ example: 'Keystone' }),
    secretRef: secret(
      `Secret of type ${secretType} in the same namespace. Type Token needs the key "token". Type Keystone needs the key "clouds.yaml", a clouds.yaml of OpenStack with a password or an application credential.`,
    ).optional(),
    cloud: text(253)
      .optional()
      .describe('Name of the cloud in clouds.yaml. For type Keystone only.')
      .meta({ example: 'production' }),
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
