// Reads CHANGELOG.md. PURE.

export interface Entry {
  readonly version: string;
  /** Undefined before the release. */
  readonly date: string | undefined;
  /** In Markdown, without its heading. */
  readonly text: string;
}

/** The first entry. */
export function newestOf(changelog: string): Entry | undefined {
  const [, heading = '', text = ''] =
    /^## \[(.*?)(?=^## \[|(?![^]))/ms.exec(changelog)?.[0].match(/^## (.*)\n([^]*)$/) ?? [];
  const [, version, rest = ''] = /^\[(.*?)\](.*)$/.exec(heading) ?? [];
  if (version === undefined) return undefined;
  return { version, date: /\d{4}-\d{2}-\d{2}$/.exec(rest)?.[0], text: text.trim() };
}
