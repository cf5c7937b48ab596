// Installs the dependencies when they are missing or not those of the lock file; needs nothing but Node 20 and npm.
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const oldestNode = 24;
const beatEveryMs = 2_000;
const lostAfterMs = 20_000;

/** Why an install is needed, or undefined. */
function findReason() {
  const installed = readPackages(join(modules, '.package-lock.json'));
  if (installed === undefined) return 'node_modules is missing';
  // Contents, not dates: a checkout gives the lock file a new date even if nothing in it has changed.
  const different = findDifference(installed, readPackages(join(root, 'package-lock.json')) ?? {});
  if (different !== undefined) return `${different} is not as in package-lock.json`;
  const node = process.platform === 'win32' ? 'node.cmd' : 'node';
  if (!existsSync(join(modules, '.bin', node))) return 'Node is missing in node_modules';
  const version = JSON.parse(readFileSync(join(modules, 'node', 'package.json'), 'utf8')).version;
  return Number.parseInt(version, 10) < oldestNode ? `Node in node_modules is ${version}` : undefined;
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** The name of a package that is wanted and not installed, or the other way round. */
function findDifference(installed, wanted) {
  const isSame = (a, b) => a?.version === b?.version && a?.integrity === b?.integrity;
  // What is optional may be for another platform.
  const isNeeded = (path) => path !== '' && !wanted[path].optional && !wanted[path].devOptional;
  const paths = [...Object.keys(wanted).filter(isNeeded), ...Object.keys(installed)];
  return paths.find((path) => !isSame(installed[path], wanted[path]))?.replace(/^.*node_modules\//, '');
}

/** Runs npm ci and returns its exit code. */
async function install() {
  const [pathName = 'PATH'] = Object.keys(process.env).filter((name) => name.toUpperCase() === 'PATH');
  // Within `npm run` the first node on the path is the one that npm ci is about to delete.
  const path = (process.env[pathName] ?? '').split(delimiter).filter((folder) => !folder.startsWith(modules));
  // --include=dev: the tools are needed even where NODE_ENV is production. No warnings: they are about the Node that
  // runs npm, which is not the one that comes with the dependencies.
  const npm = spawn('npm', ['ci', '--include=dev', '--loglevel=error'], {
    cwd: root,
    env: { ...process.env, [pathName]: path.join(delimiter) },
    // Scripts may have their standard output read by a program.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  return new Promise((resolve) => {
    npm.once('error', (error) => resolve(fail(`cannot run npm: ${error.message}`)));
    npm.once('close', (code) => resolve(code ?? 1));
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  return 1;
}

/** Lets one process at a time run `work`; a holder that died, or no longer touches its lock file, is passed over. */
async function withLock(work) {
  // Not in the project: npm ci empties node_modules, and everything else is for people.
  const path = join(tmpdir(), `install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.lock`);
  const text = `${process.pid} ${randomUUID()}`;
  await acquire(path, text);
  const beat = setInterval(() => utimesSync(path, new Date(), new Date()), beatEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if (readIfThere(path)?.text === text) rmSync(path, { force: true });
  }
}

async function acquire(path, text) {
  let seen;
  for (let told = false; !create(path, text); ) {
    const holder = readIfThere(path);
    if (holder === undefined) continue;
    if (seen?.text !== holder.text || seen.beat !== holder.beat) seen = { ...holder, at: performance.now() };
    if (!isAlive(holder.text) || performance.now() - seen.at > lostAfterMs) {
      rmSync(path, { force: true });
      continue;
    }
    if (!told) process.stderr.write(`waiting for process ${Number.parseInt(holder.text, 10)}, which is installing\n`);
    told = true;
    await sleep(100);
  }
}

function create(path, text) {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readIfThere(path) {
  try {
    return { text: readFileSync(path, 'utf8'), beat: statSync(path).mtimeMs };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(text) {
  try {
    // The file is empty for the moment between its creation and its first write.
    return process.kill(Number.parseInt(text, 10) || process.pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function installIfNeeded() {
  const reason = findReason();
  if (reason === undefined) return 0;
  process.stderr.write(`installing the dependencies with npm ci: ${reason}\n`);
  const code = await install();
  const left = code === 0 ? findReason() : undefined;
  if (left === undefined) return code;
  return fail(`cannot go on after npm ci: ${left}. Is ignore-scripts set for npm? Node comes with an install script.`);
}

// The usual case takes no lock.
process.exitCode = findReason() === undefined ? 0 : await withLock(installIfNeeded);
