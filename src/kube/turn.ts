// Lets the event loop have a turn, between slices of work that is long in sum. No clock decides how long a slice is.

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
