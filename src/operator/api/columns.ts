// The columns of `kubectl get`.
import type { Column } from './definition.ts';

export const condition = (type: string, field: string): string => `.status.conditions[?(@.type=="${type}")].${field}`;

export const ready: Column = { name: 'Ready', type: 'string', jsonPath: condition('Ready', 'status') };
export const reason: Column = {
  name: 'Reason',
  type: 'string',
  jsonPath: condition('Ready', 'reason'),
  description: 'Reason of the Ready condition.',
};
export const message: Column = {
  name: 'Message',
  type: 'string',
  jsonPath: condition('Ready', 'message'),
  wide: true,
  description: 'Message of the Ready condition: what is wrong and what to do.',
};
export const id: Column = {
  name: 'ID',
  type: 'string',
  jsonPath: '.status.id',
  wide: true,
  description: 'Identifier in the service.',
};
export const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

export const revision: Column = {
  name: 'Revision',
  type: 'string',
  jsonPath: '.status.revision',
  description: 'Content hash of the current revision.',
};

export const templateColumns: readonly Column[] = [
  ready,
  reason,
  { name: 'Plugin', type: 'string', jsonPath: '.spec.pluginName' },
  { name: 'Version', type: 'string', jsonPath: '.spec.bigdataVersion' },
  revision,
  id,
  message,
  age,
];
