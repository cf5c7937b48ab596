// The order of resource versions.

/** Negative if `left` is older than `right`, 0 if equal. Compares text, because 64 bits do not fit into a number. */
export function compareVersions(left: string, right: string): number {
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

export function newerThan(
  left: { readonly metadata: { readonly resourceVersion: string } },
  right: typeof left,
): boolean {
  return compareVersions(left.metadata.resourceVersion, right.metadata.resourceVersion) > 0;
}
