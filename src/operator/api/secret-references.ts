// The fields of specs that name Secrets of our type.
import type { Rule } from './keywords.ts';
import { reference, secretType } from './shared-api.ts';

/** For people, `content`: what is in it, and `place`: where it is, unless that is the same namespace. */
export const secret = (content: string, place?: string) =>
  reference(`Secret, of type ${secretType}`, place).describe(content);

/** Keys of a Secret. */
export interface SecretKeys {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
}

/** A Secret with credentials for data or files of jobs. `needed`: which keys are needed for what. */
export const credentialsSecretRef = (subject: 'data' | 'file', needed: Readonly<Record<string, SecretKeys>>) =>
  secret(
    `Secret of type ${secretType} in the same namespace, with the credentials for the ${subject}. ${keysText(needed)} The service stores them. A changed value creates a new revision.`,
  ).optional();

/** `swift needs the keys user and password.`, for each name. */
const keysText = (needed: Readonly<Record<string, SecretKeys>>): string => {
  const texts = Object.entries(needed).map(([name, { required, optional = [] }]) => {
    const more = optional.length === 0 ? '' : `, and can have ${optional.join(', ')}`;
    return `${name} needs the keys ${required.slice(0, -1).join(', ')} and ${required.at(-1)}${more}.`;
  });
  return texts.join(' ');
};

/** `allowed`: in CEL, whether an object has credentials. `which`: for people, those that do. `field`: what decides about it. */
export const credentialsOnlyFor = (allowed: string, { which, field }: { which: string; field: string }): Rule => ({
  rule: `!has(self.credentialsSecretRef) || ${allowed}`,
  message: `only ${which} have credentials: remove credentialsSecretRef, or change ${field}`,
  fieldPath: '.credentialsSecretRef',
});
