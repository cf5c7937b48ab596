// The page of annotations and finalizers. PURE.

import { secretType } from '../../src/operator/api/shared-api.ts';
import { annotations, finalizers, type Mark } from './annotations.ts';
import { code, generatedFrom, page, table } from './markdown.ts';

export function annotationsPage(): string {
  return page(
    generatedFrom('dev/generate/annotations.ts'),
    '# Annotations and finalizers',
    '## Annotations that users set',
    'The operator only reads these annotations. It ignores all others without a notice: no annotation pauses it.',
    table(['Annotation', 'On', 'Value', 'Effect'], rowsOf('users')),
    '## Annotations that the operator sets',
    table(['Annotation', 'On', 'Value', 'Meaning'], rowsOf('the operator')),
    '## Finalizers',
    table(
      ['Finalizer', 'On', 'Meaning'],
      finalizers.map(({ name, on, description }) => [code(name), on, description]),
    ),
    '## Secret type',
    `The operator reads only Secrets of the type ${code(secretType)}.`,
  );
}

const rowsOf = (setBy: Mark['setBy']): readonly (readonly string[])[] =>
  annotations
    .filter((one) => one.setBy === setBy)
    .map(({ name, on, value, description }) => [code(name), on, value, description]);
