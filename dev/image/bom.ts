// Prints the list of what is in the image of the Dockerfile, as its build runs it: the packages of the lock file, and what its base has.
import { runCommand } from './run.ts';
import { writeBom } from './sbom.ts';

// oxlint-disable-next-line no-template-curly-in-string -- fields of dpkg-query
const format = '${Package} ${Version} ${Architecture}\n';
const lines = (await runCommand('dpkg-query', ['--show', '--showformat', format])).trim().split('\n');
const packages = lines.map((line) => {
  const [name = '', version = '', architecture = ''] = line.split(' ');
  return { name, version, architecture };
});
process.stdout.write(await writeBom({ root: process.cwd(), node: process.versions.node, packages }));
