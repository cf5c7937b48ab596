// What the command line of Spark SQL cannot run of a script. PURE.

/** Comments, texts and quoted names, each as a whole. */
const opaque = /--[^\n]*|\/\*[\s\S]*?(\*\/|$)|'(\\[\s\S]|[^'\\])*('|$)|"(\\[\s\S]|[^"\\])*("|$)|`[^`]*(`|$)/g;
const compound = /^\s*(\w+\s*:\s*)?BEGIN\b/i;

const linesIn = (text: string): number => text.split('\n').length - 1;

/** Throws an Error with the line and the remedy if the script has a compound statement: it would be cut at its first semicolon. */
export function checkScript(text: string): void {
  const bare = text.replaceAll(opaque, (part) => part.replaceAll(/[^\n]/g, ' '));
  let line = 1;
  for (const statement of bare.split(';')) {
    const [before = ''] = /^\s*/.exec(statement) ?? [];
    if (compound.test(statement))
      throw new Error(
        `cannot run Hive job: line ${line + linesIn(before)} of the script begins a compound statement, which Spark cuts at its first semicolon: write its statements one by one, or run it with spark.sql() in a job of the type Spark`,
      );
    line += linesIn(statement);
  }
}
