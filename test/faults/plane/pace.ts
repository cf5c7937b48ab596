// How often faster than the real one the operator's clock runs.
export const pace = 4;
