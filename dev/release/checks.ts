// What has to hold before a release.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { chartFolder } from '../generate/chart.ts';
import { type Entry, newestOf } from './changelog.ts';

export interface Checkout {
  readonly version: string;
  /** Version and appVersion of the chart. */
  readonly chart: readonly string[];
  /** Of the newest entry. */
  readonly changelog: Pick<Entry, 'version' | 'date'> | undefined;
  /** The image of each manifest. */
  readonly images: readonly string[];
  /** Of `git status`: empty for a clean checkout. Undefined outside of a repository. */
  readonly changes: string | undefined;
  readonly tags: readonly string[];
}

const manifests = ['deploy/operator/deployment.yaml', 'deploy/bundled-service/deployment.yaml'];

export async function readVersion(root: string): Promise<string> {
  return (JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

/** One line for each reason not to release. */
export async function troubles(root: string, version: string): Promise<readonly string[]> {
  return judge(await look(root, version));
}

async function look(root: string, version: string): Promise<Checkout> {
  const read = async (path: string): Promise<string> => readFile(join(root, path), 'utf8');
  const git = async (...args: readonly string[]): Promise<string | undefined> =>
    promisify(execFile)('git', [...args], { cwd: root }).then(
      ({ stdout }) => stdout,
      () => undefined,
    );
  const chart = parse(await read(join(chartFolder, 'Chart.yaml'))) as Readonly<Record<string, string>>;
  const texts = await Promise.all(manifests.map(read));
  return {
    version,
    chart: [String(chart['version']), String(chart['appVersion'])],
    changelog: newestOf(await read('CHANGELOG.md')),
    images: texts.flatMap((text) => [...text.matchAll(/^ +image: (.*)$/gm)].map(([, image = '']) => image)),
    changes: await git('status', '--porcelain'),
    tags: (await git('tag', '--list'))?.split('\n') ?? [],
  };
}

/** PURE. */
export function judge({ version, chart, changelog, images, changes, tags }: Checkout): readonly string[] {
  const found: string[] = [];
  const expect = (holds: boolean, trouble: string): void => void (holds || found.push(trouble));
  expect(
    chart.every((each) => each === version),
    `Chart.yaml has ${chart.join(' and ')}, package.json has ${version}`,
  );
  expect(changelog?.version === version, `the newest entry of CHANGELOG.md is ${changelog?.version}, not ${version}`);
  expect(changelog?.date !== undefined, `CHANGELOG.md has no date for ${version}: add it to the heading`);
  for (const image of images)
    expect(image.endsWith(`:${version}`), `a manifest has the image ${image}, not ${version}`);
  expect(changes !== undefined, 'the checkout is no git repository');
  expect(changes === undefined || changes === '', 'the checkout has changes that are not committed: commit them');
  expect(!tags.includes(`v${version}`), `the tag v${version} exists: choose another version`);
  return found;
}
