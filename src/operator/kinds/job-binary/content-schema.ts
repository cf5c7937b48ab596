// The field `content` of a JobBinary: the bytes of the file, in the spec or in a key of a ConfigMap or Secret.
import { z } from 'zod';
import { fileName } from '../../../wire/jobs.ts';
import { keywords, type Rule, ruled, text } from '../../api/keywords.ts';
import { reference, secretType } from '../../api/shared-api.ts';

/** In bytes. A larger file fits in a ConfigMap. */
export const inlineLimit = 64 * 1024;

/** In characters the limit is one of the schema. Only the API server counts the bytes of others than those of ASCII. */
const inlineFile = () => {
  const schema = text(inlineLimit);
  const message = `is larger than ${inlineLimit} bytes: put it in a ConfigMap and set configMapKeyRef`;
  const rule: Rule = { rule: `size(bytes(self)) <= ${inlineLimit}`, message };
  keywords.add(schema, { maxLength: inlineLimit, 'x-kubernetes-validations': [rule] });
  return schema;
};

const plainName = {
  pattern: /^[-._a-zA-Z0-9]+$/,
  message: 'must consist of letters, digits, hyphens, dots and underscores',
};

/** What Connections read of Secrets of the same type. A job could show it to people who may use the Connection and not read the Secret. */
const ofConnections = ['token', 'clouds.yaml', 'ca.crt'];

const secretKey = () => {
  const message = `must not be one that a Connection reads, which are ${ofConnections.join(', ')}: put the file under another key`;
  const schema = text(253, plainName).refine((value) => !ofConnections.includes(value), { error: message });
  const rules: readonly Rule[] = [
    { rule: `self.matches(r'${plainName.pattern.source}')`, message: plainName.message },
    { rule: `!(self in [${ofConnections.map((key) => `'${key}'`).join(', ')}])`, message },
  ];
  keywords.add(schema, { maxLength: 253, 'x-kubernetes-validations': rules });
  return schema;
};

const keyOf = (holder: string, { key, described }: { readonly key: z.ZodString; readonly described: string }) =>
  reference(holder)
    .extend({
      key: key
        .describe('Key whose value is the file. The job binary ends like it, unless fileName is set.')
        .meta({ example: 'wordcount.py' }),
    })
    .optional()
    .describe(described);

const shape = {
  inline: inlineFile()
    .optional()
    .describe(`The file itself, as text of at most ${inlineLimit} bytes. It needs a fileName.`)
    .meta({ example: 'print("hello")' }),
  configMapKeyRef: keyOf('ConfigMap', {
    key: text(253, plainName),
    described:
      'Key of a ConfigMap in the same namespace, in data or binaryData. A changed value creates a new revision.',
  }),
  secretKeyRef: keyOf(`Secret, of type ${secretType}`, {
    key: secretKey(),
    described: `Key of a Secret of type ${secretType} in the same namespace, but none that a Connection reads. A changed value creates a new revision. The service stores the bytes, and everybody who may use the service can read them there.`,
  }),
  fileName: text(fileName.maximum, fileName)
    .optional()
    .describe(
      'Name of the file, such as helpers.py for the module helpers. The bundled service with real clusters gives programs the file under this name, which must be unique among the files of a job. Other services use only its ending, such as .py or .jar, by which they recognize what the file is. Required with inline. Defaults to the key of the ConfigMap or Secret.',
    )
    .meta({ example: 'wordcount.py' }),
};

const sources = ['inline', 'configMapKeyRef', 'secretKeyRef'];
const count = sources.map((field) => `(has(self.${field}) ? 1 : 0)`).join(' + ');
const others = sources.slice(0, -1).join(', ');

export const fileContent = ruled(z.object(shape), [
  { rule: `${count} > 0`, message: `give ${others} or ${sources.at(-1)}`, reason: 'FieldValueRequired' },
  {
    rule: `${count} < 2`,
    message: `set only one of ${others} and ${sources.at(-1)}`,
    reason: 'FieldValueForbidden',
  },
  {
    rule: '!has(self.inline) || has(self.fileName)',
    message: 'give the file a name, such as wordcount.py: services recognize a program by the ending of its name',
    fieldPath: '.fileName',
    reason: 'FieldValueRequired',
  },
]).describe(
  'The bytes of the file. The operator stores them in the service as an internal binary, and deletes that with the job binary. Alternative to url.',
);
