// The path of a request without its identifiers, for counting: one of a closed list.

/** The paths of section 4, after the tenant. */
export const templates = [
  '/plugins',
  '/plugins/{name}',
  '/plugins/{name}/{version}',
  '/plugins/{name}/{version}/convert-config',
  '/plugins/{name}/{version}/convert-config/{template}',
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
  '/data-sources',
  '/data-sources/{id}',
  '/job-binaries',
  '/job-binaries/{id}',
  '/job-binaries/{id}/data',
  '/job-binary-internals',
  '/job-binary-internals/{id}',
  '/job-binary-internals/{id}/data',
  '/job-executions',
  '/job-executions/{id}',
  '/job-executions/{id}/cancel',
  '/job-executions/{id}/refresh-status',
  '/jobs',
  '/jobs/{id}',
  '/jobs/{id}/execute',
  '/jobs/config-hints/{type}',
] as const;

const parts: readonly (readonly [template: string, parts: readonly string[]])[] = templates.map((template) => [
  template,
  template.slice(1).split('/'),
]);

/** `other` for a path that the interface does not have. */
export function templateOf(segments: readonly string[]): string {
  const fits = (expected: readonly string[]): boolean =>
    expected.length === segments.length &&
    expected.every((part, index) => part.startsWith('{') || part === segments[index]);
  return parts.find(([, expected]) => fits(expected))?.[0] ?? 'other';
}
