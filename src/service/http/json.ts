// Parses JSON from untrusted clients. Deeply nested values are refused, because processing them would exhaust the stack.

const deepest = 100;

/** Not recursive, because recursion would exhaust the stack. */
function isDeep(value: unknown): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: here, depth } = next;
    if (typeof here !== 'object' || here === null) continue;
    if (depth === deepest) return true;
    for (const inner of Object.values(here)) open.push({ value: inner, depth: depth + 1 });
  }
  return false;
}

/** Throws an Error whose message continues a sentence. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error('it is not JSON', { cause });
  }
  if (isDeep(value)) throw new Error(`it is nested more than ${deepest} deep`);
  return value;
}
