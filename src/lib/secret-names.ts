// Which options are likely to hold secrets. PURE.

/** The names of options with which engines and clouds take secrets. */
const secretName = /pass(word|wd|phrase)?\b|secret|token|credential|private.?key|access.?key|account.?key|\bauth\b/i;

export function looksSecret(name: string): boolean {
  return secretName.test(name);
}
