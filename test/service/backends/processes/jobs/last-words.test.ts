// The line of the output that is shown as the reason of a failure.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastWords } from '../../../../../src/service/backends/runs/output.ts';
import { temporaryFolder } from '../../../../plane/support.ts';

const python = `Traceback (most recent call last):
  File "/runs/1/work/main.py", line 3, in <module>
    import nowhere
ModuleNotFoundError: No module named 'nowhere'
26/11/25 03:00:00 INFO ShutdownHookManager: Shutdown hook called
Deleting the temporary folder
`;
const sql = `Time taken: 7.077 seconds, Fetched 1 row(s)

[PARSE_SYNTAX_ERROR] Syntax error at or near 'SELEC'. SQLSTATE: 42601 (line 1, pos 1)

== SQL ==
 SELEC 2
-^^^

`;
const java = `Exception in thread "main" java.lang.IllegalStateException: no input
\tat Main.main(Main.java:3)
goodbye
`;

test.each([
  ['a program in Python', python, "ModuleNotFoundError: No module named 'nowhere'"],
  ['a script in SQL', sql, "[PARSE_SYNTAX_ERROR] Syntax error at or near 'SELEC'. SQLSTATE: 42601 (line 1, pos 1)"],
  ['a program in Java', java, 'Exception in thread "main" java.lang.IllegalStateException: no input'],
  ['a program that has no word for failures', 'one\ntwo\n', 'two'],
])('of %s', async (_, text, expected) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, '0'), text);
  expect(lastWords(folder, [])).toBe(expected);
});
