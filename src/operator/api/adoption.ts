// The field with which a resource takes over an object that exists in the service.
import { z } from 'zod';
import { type Rule, ruled, text } from './keywords.ts';
import { identifierExample, optionalID } from './shared-api.ts';

/** What the service lists of such objects, besides the name. */
type ListedFields = Readonly<Record<string, { readonly description: string; readonly example: string }>>;

export const listedPlugin = {
  pluginName: { description: 'Plugin of the object.', example: 'spark' },
  bigdataVersion: { description: 'Version of the distribution of the object.', example: '4.1.2' },
} as const satisfies ListedFields;
export const listedType = (example: string) =>
  ({ type: { description: 'Type of the object.', example } }) as const satisfies ListedFields;

const existing = 'the existing object';

const matching = <L extends ListedFields>(listed: L) => {
  const fields = Object.entries(listed).map(([name, { description, example }]) => [
    name,
    text(255).optional().describe(description).meta({ example }),
  ]);
  const name = text(255)
    .optional()
    .describe('Name in the service. An asterisk stands for any number of characters.')
    .meta({ example: 'analytics-*' });
  const typed = Object.fromEntries(fields) as Record<keyof L & string, z.ZodOptional<z.ZodString>>;
  const rule: Rule = {
    rule: ['name', ...Object.keys(listed)].map((field) => `has(self.${field})`).join(' || '),
    message: 'name at least one field of the object',
  };
  return ruled(z.object({ name, ...typed }), [rule])
    .optional()
    .describe(`What ${existing} has. Exactly one object of the service must have all of it.`);
};

/** `listed`: by which fields, besides the name, an object can be found. */
export const adopt = <L extends ListedFields>(listed: L) => {
  const shape = z.object({
    id: optionalID(`Identifier of ${existing}.`),
    name: text(255)
      .optional()
      .describe(`Name of ${existing}. No other object of its kind may have this name.`)
      .meta({ example: 'analytics' }),
    match: matching(listed),
  });
  const one: Rule = {
    rule: '(has(self.id) ? 1 : 0) + (has(self.name) ? 1 : 0) + (has(self.match) ? 1 : 0) == 1',
    message: 'set exactly one of id, name and match',
  };
  return ruled(shape, [one])
    .optional()
    .describe(
      'Existing object of the service that this object stands for, in place of one that the operator creates. It is compared with spec first: unless every field that spec sets is equal, except for the counts of the groups of a Cluster, nothing is adopted, and the reason is AdoptionMismatch. When an object that adopted another one is deleted, that one stays in the service unless deletionPolicy is Delete. It cannot be changed; it may be removed once the object is adopted.',
    )
    .meta({ example: { id: identifierExample } });
};

export const adoptionRules: readonly Rule[] = [
  {
    rule: '!has(self.adopt) || !has(oldSelf.adopt) || self.adopt == oldSelf.adopt',
    message: 'adopt is immutable; create another object to adopt another one',
    fieldPath: '.adopt',
    reason: 'FieldValueForbidden',
  },
  {
    rule: "!has(self.policy) || self.policy != 'Observe' || has(self.adopt)",
    message: 'the policy Observe needs adopt, which says what to observe',
    fieldPath: '.policy',
    reason: 'FieldValueInvalid',
  },
];
