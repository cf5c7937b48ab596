// The prefix of generated template names, which users may set.
import { type Rule, text } from './keywords.ts';

/** The maximum leaves room for the rest of a generated name. */
export const baseName = text(24, {
  pattern: /^[a-z]([a-z0-9-]*[a-z0-9])?$/,
  message: 'must be small letters, digits and hyphens, and begin with a letter and end with a letter or digit',
})
  .optional()
  .describe(
    'Prefix of the names that the operator generates in the service. A tag of this object and a content hash follow it. Defaults to the name of this object. Immutable.',
  )
  .meta({ example: 'workers' });

export const fixedBaseName: Rule = {
  rule: 'has(self.name) == has(oldSelf.name) && (!has(self.name) || self.name == oldSelf.name)',
  message: 'name is immutable; create another object with the other name, and reference that one',
  fieldPath: '.name',
  reason: 'FieldValueForbidden',
};
