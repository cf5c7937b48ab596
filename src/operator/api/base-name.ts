// What the names of templates in the service begin with, where the user says so.
import { type Rule, text } from './keywords.ts';

/** As long as a generated name has room for. */
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
  message: 'name cannot change: make a new object with the other one and refer to that',
  fieldPath: '.name',
  reason: 'FieldValueForbidden',
};
