// The path of a request with placeholders, from a closed list, as a metric label.

/** All paths that the operator requests, after the tenant. */
export const templates = [
  '/plugins',
  '/images',
  '/images/{id}',
  '/images/{id}/tag',
  '/images/{id}/untag',
  '/node-group-templates',
  '/node-group-templates/{id}',
  '/cluster-templates',
  '/cluster-templates/{id}',
  '/clusters',
  '/clusters/{id}',
] as const;

const parts: readonly (readonly [template: string, parts: readonly string[]])[] = templates.map((template) => [
  template,
  template.slice(1).split('/'),
]);

/** `other` for any other path. */
export function templateOf(segments: readonly string[]): string {
  const fits = (expected: readonly string[]): boolean =>
    expected.length === segments.length &&
    expected.every((part, index) => part.startsWith('{') || part === segments[index]);
  return parts.find(([, expected]) => fits(expected))?.[0] ?? 'other';
}
