// A service that is killed, and started again over the same data.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { connect, type Json, type Peer } from '../../contract/peer.ts';
import { base, created } from '../../contract/sections/jobs/section-4-6-support.ts';
import { createJob, run as runJob } from '../../engines/support.ts';
import { type Running, runCommand } from '../../support/command.ts';
import { layouts, type MortalOptions, openEngine, type Subject } from './engines.ts';
import type { Point } from './points.ts';

/** Long enough on a computer with much else to do. */
const patienceMs = { tiny: 60_000, spark: 120_000, hadoop: 240_000 } as const;

/** One life of the service. */
interface Life {
  readonly running: Running;
  readonly peer: Peer;
  ended: boolean;
}

interface LifeOptions extends MortalOptions {
  /** The size of a disk of its own for the machines, as `mount` takes it. Only the service and its processes see it, so it needs no root. */
  readonly disk?: string;
}

const program = 'test/service/killed/mortal-service.ts';
const ownDisk = ['--user', '--map-root-user', '--mount'];
const mounting = 'mount -t tmpfs -o "size=$0" tmpfs "$1" && shift && exec "$@"';

/** Why this computer cannot give a program a disk of its own. Undefined if it can. */
export function findDiskProblem(): string | undefined {
  const tried = spawnSync('unshare', [...ownDisk, 'sh', '-c', mounting, '1m', tmpdir(), 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? undefined : (tried.error?.message ?? tried.stderr);
}

function run({ disk, ...options }: LifeOptions): Running {
  const args = [program, JSON.stringify(options)];
  if (disk === undefined) return runCommand(process.execPath, args);
  mkdirSync(options.machines, { recursive: true });
  return runCommand('unshare', [...ownDisk, 'sh', '-c', mounting, disk, options.machines, process.execPath, ...args]);
}

async function begin(options: LifeOptions): Promise<Life> {
  const running = run(options);
  const first = vi.waitFor(
    () => {
      const [, url = ''] = /^listening on (.*)\n/.exec(running.output()) ?? [];
      if (url === '') throw new Error(`the service does not listen: ${running.errors()}`);
      return url;
    },
    { timeout: patienceMs.tiny, interval: 20 },
  );
  const url = await Promise.race([first, running.ended.then(({ errors }) => Promise.reject(new Error(errors)))]);
  const life = { running, peer: connect(url), ended: false };
  void running.ended.then(() => {
    life.ended = true;
  });
  return life;
}

export class MortalScene {
  readonly #options: LifeOptions;
  #life: Life;

  private constructor(options: LifeOptions, life: Life) {
    this.#options = options;
    this.#life = life;
  }

  static async open(subject: Subject, more: Pick<LifeOptions, 'disk'> = {}): Promise<MortalScene> {
    const root = mkdtempSync(join(tmpdir(), 'killed-'));
    const options = { root, machines: join(root, 'machines'), subject, ...more };
    const scene = new MortalScene(options, await begin(options));
    onTestFinished(async () => {
      for (const pid of scene.processes()) process.kill(pid, 'SIGKILL');
      await scene.kill();
      for (const pid of scene.processes()) process.kill(pid, 'SIGKILL');
      rmSync(root, { recursive: true, force: true });
    });
    return scene;
  }

  get subject(): Subject {
    return this.#options.subject;
  }

  /** Where tests can keep files. */
  get root(): string {
    return this.#options.root;
  }

  /** The folder of machines, as this process sees it while the service runs. */
  get machines(): string {
    const { machines, disk } = this.#options;
    return disk === undefined ? machines : join('/proc', String(this.pid), 'root', machines);
  }

  get peer(): Peer {
    return this.#life.peer;
  }

  get pid(): number {
    return this.#life.running.pid;
  }

  /** From now on, the service is killed when it comes to this point. */
  arm(point: Point): void {
    writeFileSync(join(this.root, 'strike'), JSON.stringify(point));
  }

  isArmed(): boolean {
    return existsSync(join(this.root, 'strike'));
  }

  async kill(): Promise<void> {
    this.#life.running.signal('SIGKILL');
    await this.#life.running.ended;
  }

  /** The next life, over the same data. */
  async restart(): Promise<void> {
    await this.kill();
    this.#life = await begin(this.#options);
  }

  /** Resolves when the condition holds. A life that has ended is followed by another one. */
  comes<T>(condition: () => Promise<T> | T): Promise<T> {
    let next: Promise<void> | undefined;
    const check = async () => {
      if (this.#life.ended) next ??= this.restart().finally(() => (next = undefined));
      await next;
      return condition();
    };
    return vi.waitFor(check, { timeout: patienceMs[this.subject.is], interval: 100 });
  }

  /** A cluster of one head and one worker that has only been asked for. */
  async createCluster(): Promise<string> {
    const { version } = openEngine(this.subject);
    const { head, worker } = layouts[this.subject.is];
    const body = {
      name: `cluster-${Math.random().toString(36).slice(2)}`,
      plugin_name: openEngine(this.subject).engine.plugin,
      bigdata_version: version,
      default_image_id: '00000000-0000-4000-8000-0000000000aa',
      user_keypair_id: 'my-key',
      node_groups: [
        { name: 'head', count: 1, flavor_id: '2', node_processes: head },
        { name: 'workers', count: 1, flavor_id: '2', node_processes: worker },
      ],
    };
    return created(await this.peer.post(`${base}/clusters`, body))['id'];
  }

  async scale(id: string, count: number): Promise<void> {
    const body = { resize_node_groups: [{ name: 'workers', count }] };
    const { status, text } = await this.peer.put(`${base}/clusters/${id}`, body);
    expect([status, text]).toEqual([202, text]);
  }

  async cluster(id: string): Promise<Json> {
    return (await this.peer.get(`${base}/clusters/${id}`)).body?.cluster;
  }

  /** Rejects if it comes to rest as something else. */
  async untilActive(id: string): Promise<Json> {
    const cluster = await this.comes(async () => {
      const now = await this.cluster(id);
      expect(['Active', 'Error']).toContain(now?.status);
      return now;
    });
    expect([cluster.status, cluster.status_description]).toEqual(['Active', undefined]);
    return cluster;
  }

  /** A run of a script. */
  async execute(cluster: string, script: string): Promise<string> {
    const job = await createJob(this.peer, 'Shell', { name: `main-${Math.random()}.sh`, bytes: script });
    return runJob(this.peer, job, cluster, {});
  }

  async statusOf(run: string): Promise<string | undefined> {
    return (await this.peer.get(`${base}/job-executions/${run}`)).body?.job_execution?.info.status;
  }

  async untilGone(path: string): Promise<void> {
    await this.comes(async () => expect((await this.peer.get(`${base}/${path}`)).status).toBe(404));
  }

  /** Whatever runs in the folder of machines, or names it on its command line. */
  processes(): readonly number[] {
    const { machines, disk } = this.#options;
    const isOurs = (pid: string) => {
      // Names on a disk of its own begin with that disk.
      if (disk !== undefined) return this.#seesDisk(pid);
      const names = [readlinkSync(`/proc/${pid}/cwd`), readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      return names.some((name) => name.includes(`${machines}/`));
    };
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== this.pid)
      .filter((pid) => {
        try {
          return isOurs(pid);
        } catch {
          // It has ended.
          return false;
        }
      })
      .map(Number);
  }

  #seesDisk(pid: string): boolean {
    return readlinkSync(`/proc/${pid}/ns/mnt`) === readlinkSync(`/proc/${this.pid}/ns/mnt`);
  }

  /** Files in the folder of machines. */
  files(): readonly string[] {
    const left = existsSync(this.machines) ? readdirSync(this.machines, { recursive: true, encoding: 'utf8' }) : [];
    return left.filter((file) => file !== 'service.process');
  }
}

/** The addresses of the machines of a cluster begin with it. */
export const networkOf = ({ node_groups: [group] }: Json): string => group.instances[0].internal_ip.replace(/\d+$/, '');

export const workersOf = (cluster: Json): readonly Json[] =>
  cluster.node_groups.find(({ name }: Json) => name === 'workers').instances;
