// Outlines: the members that are read of an object that is too large to be parsed, each of bounded size.

/** word: a text or a number. part: a small structure. each: members of the objects in a list, and their maximum number. */
export type Outline = Readonly<Record<string, 'word' | 'part' | Each>>;

interface Each {
  readonly each: Outline;
  readonly most: number;
}

/**
 * The members that identify an object, with its status and owner. They come first, so that an object that is otherwise unreadable can be found and
 * deleted.
 */
export const identifying = ['id', 'name', 'status', 'cluster_template_id'] as const;
export type Identified = { readonly [Key in (typeof identifying)[number]]?: string };
