// Finds or installs the tiny engine in a process of its own: `node find-once.ts HOME DIGEST`.
import { createLineProgress } from '../../../../src/lib/fetch/progress.ts';
import { awakeClock } from '../../../../src/lib/system.ts';
import { findHome } from '../../../../src/service/engines/homes/find.ts';
import { sparkSource } from '../../../../src/service/engines/spark/source.ts';

const [, , home = '', hex = ''] = process.argv;
const source = {
  ...sparkSource,
  name: 'tiny',
  version: '1.0',
  lines: ['1.0'],
  archive: { urls: [`${home}/tiny/tiny-1.0-bin.tgz`], digest: { algorithm: 'sha512', hex } as const },
  readVersion: () => '1.0',
};
const progress = createLineProgress((line) => void process.stdout.write(`${line}\n`), awakeClock);
const found = await findHome(source, {
  environment: process.env,
  progress,
  clock: awakeClock,
  methods: ['archive'],
});
process.stdout.write(`found ${found.from}\n`);
