// Replaces the generated parts of a page that is otherwise written by hand.

/** The text with each part between `generated: NAME` and `end` replaced. Throws if a part has no place, or a place no part. */
export function fillIn(text: string, parts: Readonly<Record<string, string>>): string {
  const places = [...text.matchAll(/<!-- generated: ([\w-]+) -->/g)].map(([, name = '']) => name);
  if (places.toSorted().join() !== Object.keys(parts).toSorted().join())
    throw new Error(`cannot fill in: there are places for ${places.join(', ')}`);
  return text.replaceAll(
    /(<!-- generated: ([\w-]+) -->\n)[^]*?(<!-- end -->)/g,
    (_all, begin: string, name: string, end: string) => `${begin}\n${parts[name]}\n\n${end}`,
  );
}
