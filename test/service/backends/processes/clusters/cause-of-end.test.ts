// Why a process has ended, as its log says.
import { expect, test } from 'vitest';
import { causeOf } from '../../../../../src/service/backends/processes/clusters/cause-of-end.ts';

const bind =
  "java.net.BindException: Failed to bind to /127.39.187.4:15040: Service 'SparkUI' failed after 0 retries (starting from 15040)!";

test.each([
  [
    'an exception before the words of the end',
    ['INFO x', 'ERROR SparkUI: Failed to bind SparkUI', bind, 'INFO y'],
    bind,
  ],
  ['the last one', ['Caused by: a', 'INFO', 'Exception in thread "main" b: c'], 'Exception in thread "main" b: c'],
  ['what Java says', ['Error: Could not find or load main class X', 'x'], 'Error: Could not find or load main class X'],
  ['an error without an exception', ['26/11/29 ERROR Master: no', '26/11/29 INFO end'], '26/11/29 ERROR Master: no'],
  ['the last line without either', ['first', 'Unrecognized option: -Xm'], 'Unrecognized option: -Xm'],
  ['no error that was survived', ['x ERROR y', ...Array.from({ length: 20 }, () => 'fine')], 'fine'],
  ['nothing', [], 'it has written nothing'],
])('%s is the cause', (_name, lines, cause) => {
  expect(causeOf(lines)).toBe(cause);
});

test('a long cause is cut', () => {
  expect(causeOf(['x'.repeat(1000)])).toHaveLength(300);
});
