// Packages of Python, as an index has them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Wheel {
  readonly name: string;
  readonly bytes: Buffer;
}

/** A wheel of version 1.0 with one module of this name. */
export function wheelOf(folder: string, module: string, text: string, needs = ''): Wheel {
  const info = `${module}-1.0.dist-info`;
  const files = {
    [`${module}/__init__.py`]: text,
    // Nothing can read it in an archive by its path.
    [`${module}/data.txt`]: `data of ${module}`,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${module}\nVersion: 1.0\n${needs}`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const record = [...Object.keys(files), `${info}/RECORD`].map((name) => `${name},,\n`).join('');
  const root = mkdtempSync(join(folder, 'wheel-'));
  for (const [name, content] of Object.entries({ ...files, [`${info}/RECORD`]: record })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  const name = `${module}-1.0-py3-none-any.whl`;
  execFileSync('python3', ['-m', 'zipfile', '-c', name, module, info], { cwd: root });
  return { name, bytes: readFileSync(join(root, name)) };
}

const pexOfWheels = `import sys, zipfile
with open(sys.argv[1], 'wb') as file:
    file.write(b'#!/usr/bin/env python3\\n')
with zipfile.ZipFile(sys.argv[1], 'a') as pex:
    pex.writestr('PEX-INFO', '{}')
    for path in sys.argv[2:]:
        with zipfile.ZipFile(path) as wheel:
            for name in wheel.namelist():
                pex.writestr('.deps/' + path.split('/')[-1] + '/' + name, wheel.read(name))
`;

/** A pex with these wheels, as the tool of this name lays it out. */
export function pexOf(folder: string, wheels: readonly Wheel[]): Wheel {
  const root = mkdtempSync(join(folder, 'pex-'));
  const paths = wheels.map(({ name, bytes }) => {
    writeFileSync(join(root, name), bytes);
    return join(root, name);
  });
  const file = join(root, 'all.pex');
  execFileSync('python3', ['-c', pexOfWheels, file, ...paths]);
  return { name: 'all.pex', bytes: readFileSync(file) };
}
