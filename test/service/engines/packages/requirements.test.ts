// Which files of Python requirements are accepted: packages of the index, and nothing else that pip could read.
import { expect, test } from 'vitest';
import { readRequirements } from '../../../../src/service/engines/packages/requirements.ts';
import { cpuMs } from '../../../support/cpu.ts';

const digest = 'a'.repeat(64);

test('packages with versions, extras, markers and comments are read', () => {
  const text = `# first\nsix==1.17.0\r\nrequests[socks, use_chardet] >= 2.31, < 3 # why\n\ntomli ~= 2.0 ; python_version < "3.11"\nplain\n`;
  expect(readRequirements(text)).toEqual({
    lines: [
      'six==1.17.0',
      'requests[socks, use_chardet] >= 2.31, < 3',
      'tomli ~= 2.0 ; python_version < "3.11"',
      'plain',
    ],
    hasHashes: false,
  });
});

test('digests on lines that go on are read', () => {
  const text = `six==1.17.0 \\\n    --hash=sha256:${digest} \\\n    --hash=sha256:${digest}\n`;
  const { lines, hasHashes } = readRequirements(text);
  expect(hasHashes).toBe(true);
  expect(lines.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
    `six==1.17.0 --hash=sha256:${digest} --hash=sha256:${digest}`,
  ]);
});

test.each([
  '--index-url https://elsewhere.example/simple',
  '-r more.txt',
  '-e .',
  './local.whl',
  'six @ https://elsewhere.example/six.whl',
  'git+https://elsewhere.example/six',
  'six==${HOME}',
  'six==1.0 --global-option=x',
  'six==1.0; $(reboot)',
  'six 1.0',
])('%s is refused', (line) => {
  expect(() => readRequirements(`plain\n${line}\n`)).toThrow(
    `${JSON.stringify(line)} is no package with versions: use the form NAME==VERSION`,
  );
});

test.each([
  ['', 'it names no package: add one'],
  ['six\n'.repeat(201), 'it has 201 lines: name 200 packages at most'],
  ['#'.repeat(65_537), 'it is larger than 65536 bytes'],
  [`a==1 --hash=sha256:${digest}\nb==1`, 'some packages have a --hash and others have none'],
])('a file that is empty, too long, or has digests for some is refused', (text, why) => {
  expect(() => readRequirements(text)).toThrow(why);
});

test('a hostile line costs little', () => {
  const line = `a${'._-'.repeat(1200)}!`;
  const began = cpuMs();
  expect(() => readRequirements(line)).toThrow('is no package with versions');
  expect(() => readRequirements(`a;${' ('.repeat(1900)}!`)).toThrow('is no package with versions');
  expect(() => readRequirements(`a[${'b ,'.repeat(1200)}`)).toThrow('is no package with versions');
  expect(cpuMs() - began).toBeLessThan(2000);
});
