// What all figures share: the prefix of their names, and labels from closed lists, which bound the number of series.

export const prefix = 'dataprocessing_operator_';

/** Turns a value into one of a closed list. */
export type Label = (value: string) => string;

/** Whatever is not on the list is `other`. */
export function closedLabel(values: Iterable<string>): Label {
  const known = new Set(values);
  return (value) => (known.has(value) ? value : 'other');
}
