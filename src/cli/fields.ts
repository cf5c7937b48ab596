// Fields of an object of which nothing else is known. Types only.

export type Fields = Readonly<Record<string, unknown>>;
