// What every provisioner and every engine has to do, whatever it makes. Each one is called as the lifecycle calls it.
import { expect, test } from 'vitest';
import type { ExecutionOrder, JobEngine } from '../../../src/service/backends/job-engine.ts';
import type { ClusterOrder, Loss, Provisioner } from '../../../src/service/backends/provisioner.ts';
import type {
  ClusterGroupRecord,
  ClusterRecord,
  JobExecutionRecord,
  Machine,
} from '../../../src/service/model/records/records.ts';
import { Interruption } from '../../../src/service/model/stages/interruption.ts';

/** One machine room with its provisioner. */
export interface ProvisionerSubject {
  /** The provisioner of another life of the service. */
  provisioner(): Provisioner;
  /** Ends a machine. */
  lose?(cluster: ClusterRecord, machine: string): void | Promise<void>;
}

const named = (index: number): Machine => ({
  instance_id: `0000000${index}-0000-4000-8000-000000000000`,
  instance_name: `c1-g-00${index}`,
});

/** A node group whose machines run the process. */
export function groupOf(process: string, instances: readonly Machine[]): ClusterGroupRecord {
  const rest = { node_configs: {}, flavor_id: '1', volumes_per_node: 0, volumes_size: 0, volume_mount_prefix: '/v' };
  const group = { id: process, name: process, count: instances.length, instances, node_processes: [process] };
  return { ...group, ...rest, created: 'now', updated: 'now' };
}

export function clusterOf(node_groups: readonly ClusterGroupRecord[]): ClusterRecord {
  const names = { id: 'cluster-1', name: 'c1', plugin_name: 'vanilla', bigdata_version: '1', status: 'Waiting' };
  const dates = { created_at: 'now', updated_at: 'now' };
  return { ...names, ...dates, info: {}, cluster_configs: {}, anti_affinity: [], node_groups };
}

const orderOf = (machines: readonly Machine[], signal = new AbortController().signal): ClusterOrder => ({
  tenant: 't',
  cluster: clusterOf([groupOf('namenode', machines)]),
  signal,
  report: () => undefined,
});

const idsOf = (machines: readonly Machine[]): readonly string[] => machines.map(({ instance_id }) => instance_id);
const [one, two, three] = [named(1), named(2), named(3)];

/** Launches and configures machines, as at the start of a cluster. */
async function start(provisioner: Provisioner, machines: readonly Machine[]): Promise<readonly Machine[]> {
  const launched = await provisioner.launch(orderOf(machines), machines);
  await provisioner.configure(orderOf(launched), { added: launched, removed: [] });
  return launched;
}

/** `canLose`: machines of this provisioner can end by themselves. */
export function provisionerBattery(open: () => ProvisionerSubject, { canLose = true } = {}): void {
  test('launched machines have addresses of their own, and are there', async () => {
    const provisioner = open().provisioner();
    const launched = await start(provisioner, [one, two]);
    expect(idsOf(launched).toSorted()).toEqual(idsOf([one, two]));
    expect(new Set(launched.map(({ internal_ip }) => internal_ip)).size).toBe(2);
    expect((await provisioner.list(orderOf(launched))).toSorted()).toEqual(idsOf([one, two]));
  });

  test('a repeated launch makes nothing twice, in the same life and in another one', async () => {
    const subject = open();
    const first = await subject.provisioner().launch(orderOf([one, two]), [one, two]);
    const again = await subject.provisioner().launch(orderOf([one, two]), [one, two]);
    expect(idsOf(again).toSorted()).toEqual(idsOf(first).toSorted());
    expect((await subject.provisioner().list(orderOf(again))).toSorted()).toEqual(idsOf([one, two]));
  });

  test('a repeated configuration has the same pages', async () => {
    const provisioner = open().provisioner();
    const launched = await start(provisioner, [one]);
    const configure = () => provisioner.configure(orderOf(launched), { added: launched, removed: [] });
    expect(await configure()).toEqual(await configure());
  });

  test('machines are added, and drained and removed, while the others stay', async () => {
    const provisioner = open().provisioner();
    const before = await start(provisioner, [one, two]);
    const added = await provisioner.launch(orderOf([...before, three]), [three]);
    const all = [...before, ...added];
    await provisioner.configure(orderOf(all), { added, removed: [] });
    await provisioner.drain(orderOf(all), added);
    await provisioner.remove(orderOf(all), added);
    await provisioner.configure(orderOf(before), { added: [], removed: added });
    expect((await provisioner.list(orderOf(before))).toSorted()).toEqual(idsOf([one, two]));
  });

  test('what is gone or was never there can be removed, repeatedly', async () => {
    const subject = open();
    const launched = await start(subject.provisioner(), [one]);
    for (let time = 0; time < 2; time += 1)
      await subject.provisioner().remove(orderOf([...launched, two]), [...launched, two]);
    expect(await subject.provisioner().list(orderOf([]))).toEqual([]);
  });

  test('a removal during a launch wins: the machines do not appear later', async () => {
    const provisioner = open().provisioner();
    const controller = new AbortController();
    const launch = provisioner.launch(orderOf([one, two], controller.signal), [one, two]).catch(() => []);
    controller.abort(new Interruption('superseded', 'another operation takes over'));
    await provisioner.remove(orderOf([one, two]), [one, two]);
    await launch;
    expect(await provisioner.list(orderOf([]))).toEqual([]);
  });

  test('a launch that is interrupted because the service ends is finished by the next life', async () => {
    const subject = open();
    const controller = new AbortController();
    const launch = subject.provisioner().launch(orderOf([one, two], controller.signal), [one, two]);
    controller.abort(new Interruption('closing', 'the service is closing'));
    await launch.catch(() => []);
    const launched = await start(subject.provisioner(), [one, two]);
    expect((await subject.provisioner().list(orderOf(launched))).toSorted()).toEqual(idsOf([one, two]));
  });

  test('the next life takes over a cluster that is well', async () => {
    const subject = open();
    const launched = await start(subject.provisioner(), [one, two]);
    const next = subject.provisioner();
    expect(await next.adopt(orderOf(launched))).toBeUndefined();
  });

  if (!canLose) return;
  test('a machine that ends is reported, and is missing for the next life', async () => {
    const subject = open();
    const provisioner = subject.provisioner();
    const launched = await start(provisioner, [one, two]);
    const reported = Promise.withResolvers<Loss>();
    const unwatch = provisioner.watch((loss) => {
      reported.resolve(loss);
      return true;
    });
    await subject.lose?.(orderOf(launched).cluster, one.instance_id);
    const loss = await reported.promise;
    unwatch();
    expect(loss).toMatchObject({ tenant: 't', cluster: 'cluster-1', machines: [one.instance_id] });
    expect(loss.message).not.toBe('');
    expect(await subject.provisioner().adopt(orderOf(launched))).toMatchObject({ machines: [one.instance_id] });
  });
}

/** One engine, and its runs. */
export interface EngineSubject {
  /** The engine of another life of the service. */
  engine(): JobEngine;
  /** How often the run was started. Absent where nothing is started. */
  starts?(execution: string): number;
  /** Whether the run is under way. */
  isRunning?(execution: string): boolean;
  /** Lets the run end successfully. */
  finish?(execution: string): void;
}

const execution = { id: 'execution-1', name: 'execution-1', job_id: 'job-1', created_at: 'now' };

function runOrder(signal = new AbortController().signal) {
  const ids: string[] = [];
  const record: JobExecutionRecord = {
    ...execution,
    cluster_id: 'cluster-1',
    job_configs: {},
    interface: {},
    info: { status: 'PENDING' },
    data_source_urls: {},
    prepared: { mains: [], libs: [] },
  };
  const order: ExecutionOrder = {
    tenant: 't',
    execution: record,
    cluster: clusterOf([]),
    job: { id: 'job-1', name: 'job', type: 'Shell', mains: [], libs: [], interface: [], created_at: 'now' },
    signal,
    mains: [],
    libs: [],
    input: undefined,
    output: undefined,
    job_configs: {},
    references: new Map(),
    accepted: (id) => void ids.push(id),
    report: () => undefined,
  };
  return { order, ids };
}

export function engineBattery(open: () => EngineSubject): void {
  test('a run is submitted, and ends', async () => {
    const subject = open();
    const engine = subject.engine();
    const { order, ids } = runOrder();
    const id = await engine.submit(order);
    expect(ids.every((each) => each === id)).toBe(true);
    const end = engine.finish(order);
    subject.finish?.(execution.id);
    expect(await end).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('a repeated submission starts nothing twice, in the same life and in another one', async () => {
    const subject = open();
    await subject.engine().submit(runOrder().order);
    await subject.engine().submit(runOrder().order);
    expect(subject.starts?.(execution.id) ?? 1).toBe(1);
  });

  test('the next life waits for the end of a run that goes on', async () => {
    const subject = open();
    await subject.engine().submit(runOrder().order);
    const end = subject.engine().finish(runOrder().order);
    subject.finish?.(execution.id);
    expect(await end).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('an interrupted wait settles soon, and the run goes on', async () => {
    const subject = open();
    const engine = subject.engine();
    await engine.submit(runOrder().order);
    const controller = new AbortController();
    const end = engine.finish(runOrder(controller.signal).order).catch(() => undefined);
    controller.abort(new Interruption('closing', 'the service is closing'));
    await end;
    expect(subject.isRunning?.(execution.id) ?? true).toBe(true);
  });

  test('a run is killed, repeatedly, and also one that was never submitted', async () => {
    const subject = open();
    const engine = subject.engine();
    await engine.submit(runOrder().order);
    for (let time = 0; time < 2; time += 1) await subject.engine().kill(runOrder().order);
    expect(subject.isRunning?.(execution.id) ?? false).toBe(false);
    await open().engine().kill(runOrder().order);
  });

  test('the engine itself knows what runs on a cluster, and kills it without its record', async () => {
    const subject = open();
    const { order } = runOrder();
    const { tenant, cluster, signal } = order;
    const running = async (on = cluster) => {
      const found = await subject.engine().runsOn({ tenants: [tenant], cluster: on, signal });
      return found.filter(({ isOver }) => !isOver).map((run) => [run.tenant, run.id]);
    };
    expect(await running()).toEqual([]);
    await subject.engine().submit(order);
    expect(await running()).toEqual(subject.isRunning === undefined ? [] : [[tenant, execution.id]]);
    expect(await running({ ...cluster, id: 'cluster-2' })).toEqual([]);
    await subject.engine().kill({ tenant, execution: { id: execution.id }, cluster: undefined, signal });
    expect(subject.isRunning?.(execution.id) ?? false).toBe(false);
    expect(await running()).toEqual([]);
  });

  test('a kill before or during the submission wins: the run does not start later', async () => {
    const subject = open();
    const engine = subject.engine();
    await engine.kill(runOrder().order);
    await engine.submit(runOrder().order).catch(() => undefined);
    expect(subject.isRunning?.(execution.id) ?? false).toBe(false);
  });

  test('a run that is over, or was never submitted, is forgotten, and does not start later', async () => {
    const subject = open();
    const engine = subject.engine();
    await engine.submit(runOrder().order);
    const end = engine.finish(runOrder().order);
    subject.finish?.(execution.id);
    await end;
    for (let time = 0; time < 2; time += 1) engine.forget(runOrder().order);
    expect(await engine.logs(runOrder().order, { from: 0, limit: 10 })).toBeUndefined();
    await engine.submit(runOrder().order).catch(() => undefined);
    expect(subject.starts?.(execution.id) ?? 1).toBe(1);
    open().engine().forget(runOrder().order);
  });
}
