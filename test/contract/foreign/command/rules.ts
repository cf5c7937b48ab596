// Which rule of the interface a test is about: the last one that its name cites, or the section of its file. PURE.

export const page = 'docs/concepts/service-interface.md';
/** What the releases of the dialects do besides. */
export const releasesPage = 'src/service/README.md';

/** As the file is called: `section-4-3-node-group-templates` is about section 4.3, and `upstream-lists` about none. */
export function sectionOf(path: string): string {
  if (/(?:^|\/)upstream[^/]*$/.test(path)) return 'upstream';
  const [, digits = ''] = /section-(\d+(?:-\d+)*)/.exec(path) ?? [];
  return digits.replaceAll('-', '.');
}

export interface Section {
  readonly heading: string;
  readonly rules: ReadonlyMap<string, string>;
}

/** The sections of the page by number, with their numbered rules. */
export function readSections(text: string): ReadonlyMap<string, Section> {
  const found = new Map<string, Section>();
  for (const part of text.split(/^(?=#+ )/m)) {
    const [, number, heading = ''] = /^#+ ([\d.]+?)\.? (.*)/.exec(part) ?? [];
    if (number === undefined) continue;
    const items = [...part.matchAll(/^(\d+)\. (.*(?:\n {3}\S.*)*)/gm)];
    const rules = items.map(
      ([, at = '', rule = '']) => [at, rule.replaceAll(/\s+/g, ' ').replaceAll(/[*`]/g, '')] as const,
    );
    found.set(number, { heading, rules: new Map(rules) });
  }
  return found;
}

export interface Citation {
  readonly section: string;
  readonly rule: string | undefined;
}

/** Every rule that a name cites, as `section 4.2 rule 1`; a bare `rule 1` is of the section before it. */
export function citationsOf(name: string): readonly Citation[] {
  const found: Citation[] = [];
  for (const [, section, below, alone] of name.matchAll(/\bsection (\d+(?:\.\d+)?)(?: rule (\d+))?|\brule (\d+)\b/g))
    found.push({ section: section ?? found.at(-1)?.section ?? '', rule: below ?? alone });
  return found;
}

/** One line: where the rule is that the test is about, and what it says. */
export function ruleOf(sections: ReadonlyMap<string, Section>, path: string, name: string): string {
  const own = sectionOf(path);
  if (own === 'upstream') return `${releasesPage}: what the releases of the dialect do besides the interface`;
  const { section, rule } = citationsOf(name).at(-1) ?? { section: own, rule: undefined };
  const { heading = '', rules } = sections.get(section) ?? {};
  const text = rule === undefined ? undefined : rules?.get(rule);
  if (text === undefined) return `${page}, section ${section}: ${heading}`;
  return `${page}, section ${section} rule ${rule}: ${text}`;
}
