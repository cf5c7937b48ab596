// Fields that records of all kinds may have.

export type Unset<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | undefined };

/** Fields that late releases show as null, because they were sent so, although there is a value that stands for them. */
export type Nulled = Unset<{ nulls: readonly string[] }>;

/** What late releases note on a resource; unset is false. */
export type Access = Unset<{ is_public: boolean; is_protected: boolean }> & Nulled;
