// Whether Spark SQL can run a script of Hive. Scripts can have 5 MiB, and others wait meanwhile: each character is looked at once. PURE.

const [newline, backslash, space] = [0x0a, 0x5c, 0x20];

/** Where the comment, the text or the quoted name ends that begins at the index. Undefined if none does. */
function endOfOpaque(text: string, index: number): number | undefined {
  const after = (end: string, from: number) => {
    const found = text.indexOf(end, from);
    return found < 0 ? text.length : found + end.length;
  };
  const mark = text[index];
  if (mark === '`') return after('`', index + 1);
  if (mark === "'" || mark === '"') return endOfText(text, index);
  if (mark === '/' && text[index + 1] === '*') return after('*/', index + 2);
  if (mark !== '-' || text[index + 1] !== '-') return undefined;
  const end = text.indexOf('\n', index);
  return end < 0 ? text.length : end;
}

function endOfText(text: string, begin: number): number {
  const mark = text.charCodeAt(begin);
  for (let index = begin + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === backslash) index += 1;
    else if (code === mark) return index + 1;
  }
  return text.length;
}

/** The script with spaces in place of comments, texts and quoted names. */
function bareOf(text: string): string {
  const bare = Buffer.from(text, 'utf16le');
  for (let index = 0; index < text.length; index += 1) {
    const end = endOfOpaque(text, index);
    if (end === undefined) continue;
    for (; index < end; index += 1) if (text.charCodeAt(index) !== newline) bare.writeUInt16LE(space, index * 2);
    index -= 1;
  }
  return bare.toString('utf16le');
}

/** With a label, of which nothing is left if it is in backquotes. */
const compound = /(?:^|;)(\s*)(?:(?:[^;:\s]+\s*)?:\s*)?BEGIN\b/i;

/** Throws an Error with the line and the remedy if Spark SQL cannot run the script because it has a compound statement: it would be cut at its first semicolon. */
export function checkScript(text: string): void {
  const bare = bareOf(text);
  const found = compound.exec(bare);
  if (found === null) return;
  const [whole, before = ''] = found;
  const begin = found.index + (whole.startsWith(';') ? 1 : 0) + before.length;
  const line = bare.slice(0, begin).split('\n').length;
  throw new Error(
    `cannot run Hive job: line ${line} of the script begins a compound statement, which Spark cuts at its first semicolon: write its statements one by one, or run it with spark.sql() in a job of the type Spark`,
  );
}
