// What pip is told about the Python of a cluster, from what that says of itself.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  pipFor,
  pythonQuestion,
  readTarget,
  targetFlags,
} from '../../../../src/service/engines/packages/python-target.ts';

test('a Python says what it is', () => {
  const answer = execFileSync('python3', ['-I', '-c', pythonQuestion], { encoding: 'utf8' });
  expect(readTarget(answer).version).toMatch(/^3\.\d+\.\d+$/);
  expect(readTarget('3.10.12 cpython x86_64 glibc 2.35\n')).toEqual({
    version: '3.10.12',
    machine: 'x86_64',
    glibc: 35,
  });
});

test.each([
  '',
  '3.10.12 pypy x86_64 glibc 2.35',
  '3.10.12 cpython x86_64  ',
  '3.10.12 cpython --index-url glibc 2.35',
  'x',
])('there are no wheels for %j', (answer) => {
  expect(() => readTarget(answer)).toThrow('its Python is no CPython 3 with glibc, but "');
});

test('pip gets the wheels that it can load, the best first', () => {
  const flags = targetFlags({ version: '3.10.12', machine: 'x86_64', glibc: 18 });
  expect(flags.slice(0, 6)).toEqual(['--python-version', '3.10.12', '--implementation', 'cp', '--abi', 'cp310']);
  const platforms = flags.slice(6).filter((each) => each !== '--platform');
  expect(platforms.slice(0, 4)).toEqual([
    'manylinux_2_18_x86_64',
    'manylinux_2_17_x86_64',
    'manylinux2014_x86_64',
    'manylinux_2_16_x86_64',
  ]);
  expect(platforms.slice(-3)).toEqual(['manylinux_2_5_x86_64', 'manylinux1_x86_64', 'linux_x86_64']);
  const arm = targetFlags({ version: '3.12.3', machine: 'aarch64', glibc: 17 }).join(' ');
  expect(arm).toMatch(
    / --abi cp312 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 --platform linux_aarch64$/,
  );
});

test('pip is the same for the Python of the service, and decides by the other one otherwise', () => {
  expect(pipFor(undefined)).toEqual(['-m', 'pip']);
  const [flag, program = '', ...target] = pipFor({ version: '3.1.4', machine: 'riscv64', glibc: 40 });
  expect([flag, target]).toEqual(['-c', ['3.1.4', 'riscv64']]);
  const shown = program.replace(
    /^runpy\..*$/m,
    'print(sys.argv, [markers.Marker(each).evaluate() for each in (\'python_version == "3.1"\', \'platform_machine != "riscv64"\')])',
  );
  const out = execFileSync('python3', ['-c', shown, ...target, 'install'], { encoding: 'utf8' });
  expect(out.trim()).toBe("['pip', 'install'] [True, False]");
});
