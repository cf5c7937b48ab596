// What the names of templates in the service begin with, where the user says so.
import { type Rule, text } from './keywords.ts';

/** As long as a generated name has room for. */
export const baseName = text(24, {
  pattern: /^[a-z]([a-z0-9-]*[a-z0-9])?$/,
  message: 'must be small letters, digits and hyphens, and begin with a letter and end with a letter or digit',
})
  .optional()
  .describe(
    'What the names in the service begin with; a mark of this object and one of its content follow. Unset: the name of this object. Cannot change.',
  );

export const fixedBaseName: Rule = {
  rule: 'has(self.name) == has(oldSelf.name) && (!has(self.name) || self.name == oldSelf.name)',
  message: 'name cannot change: make a new object with the other one and refer to that',
  fieldPath: '.name',
  reason: 'FieldValueForbidden',
};
