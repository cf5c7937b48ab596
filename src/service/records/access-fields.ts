// Fields that records of any kind can have.

export type Unset<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] | undefined };

/** The names of fields that were sent as null. Late releases show them as null, although the record has a default value for them. */
export type NullFields = Unset<{ nulls: readonly string[] }>;

/** Who can see and change a resource in late releases. Unset means false. */
export type Access = Unset<{ is_public: boolean; is_protected: boolean }> & NullFields;
