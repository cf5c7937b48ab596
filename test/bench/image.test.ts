// The benchmark starts the operator as the Dockerfile says.
import { expect, test } from 'vitest';
import { readStart } from '../../dev/bench/image.ts';

test('flags and environment are those of the last stage', async () => {
  const build = ['FROM node AS build', 'ENV STAGE=1', 'ENTRYPOINT ["node", "--build", "build.js"]'];
  const image = [
    'FROM node',
    'ENV ONE=1 TWO=2',
    'ENV THREE=3',
    'ENTRYPOINT ["node", "--first", "--second=2", "main.js"]',
  ];
  expect(await readStart([...build, ...image].join('\n'))).toEqual({
    nodeFlags: ['--first', '--second=2'],
    environment: { ONE: '1', TWO: '2', THREE: '3' },
  });
});

test.each([
  ['none', ''],
  ['a shell', 'ENTRYPOINT ["sh", "-c", "node main.js"]'],
  ['no script', 'ENTRYPOINT ["node", "--flag"]'],
])('an entry point that is %s is refused', async (_, line) => {
  await expect(readStart(`FROM node\n${line}`)).rejects.toThrow(
    'cannot read the Dockerfile: its ENTRYPOINT is not Node',
  );
});

test('what the Dockerfile has bounds the memory that V8 and the C library keep unused', async () => {
  const { nodeFlags, environment } = await readStart();
  expect(nodeFlags.map((flag) => flag.split('=')[0])).toContain('--max-semi-space-size');
  expect(Object.keys(environment)).toEqual(
    expect.arrayContaining(['MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_MMAP_THRESHOLD_']),
  );
});
