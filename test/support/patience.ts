// How long tests wait. What must happen is waited for; how long it takes is no part of the test, unless the test is about that.

/**
 * For a condition that must come true. A busy machine does not reach it: with a load of 20 on two cores, some conditions take more than a minute. The failure
 * then has the condition, because the limit of a test is longer.
 */
export const limitMs = 10 * 60_000;

/** For a test or hook that waits for several conditions. */
export const testLimitMs = 3 * limitMs;
