// What is read of an object that is too large to be read as a whole: the members that anybody asks for, each of bounded size.

/** word: a text or a number. part: a small structure. each: the members of every object of a list, and the most of these. */
export type Outline = Readonly<Record<string, 'word' | 'part' | Each>>;

export interface Each {
  readonly each: Outline;
  readonly most: number;
}

/**
 * What tells which object it is, how it is, and whose. It comes first: an object that is unreadable otherwise can be found and
 * deleted by this.
 */
export const identifying = ['id', 'name', 'status', 'cluster_template_id'] as const;
export type Identified = { readonly [Key in (typeof identifying)[number]]?: string };
