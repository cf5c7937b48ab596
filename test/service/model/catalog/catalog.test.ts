// The bundled catalog is consistent, and what is not in it is refused with what there is.
import { describe, expect, test } from 'vitest';
import { bundledPlugins } from '../../../../src/service/engines/index.ts';
import {
  type Catalog,
  checkConfigs,
  checkFlavor,
  checkProcesses,
  findVersion,
} from '../../../../src/service/model/catalog/catalog.ts';

const catalog: Catalog = {
  plugins: bundledPlugins,
  flavors: undefined,
  images: undefined,
  quota: 1,
  rowQuota: 1,
  rowByteQuota: 1,
  allRowBytes: 1,
  byteQuota: 1,
  runByteQuota: 1,
};
const versions = bundledPlugins.flatMap((plugin) =>
  plugin.versions.map((version) => ({ plugin: plugin.name, ...version })),
);

describe.each(versions)('$plugin $version', ({ processes, configs }) => {
  test('names each process once', () => {
    const names = Object.values(processes).flat();
    expect(new Set(names).size).toBe(names.length);
  });

  test('names each configuration once for a target, with a default of its type', () => {
    const names = configs.map(({ applicable_target, name }) => `${applicable_target} ${name}`);
    expect(new Set(names).size).toBe(names.length);
    const types = { string: 'string', bool: 'boolean', int: 'number' } as const;
    for (const { config_type, default_value } of configs) expect(typeof default_value).toBe(types[config_type]);
  });

  test('configures what it runs, and the cluster in general', () => {
    const targets = new Set(configs.map((config) => config.applicable_target));
    expect(targets).toContain('general');
    expect(targets.has('HDFS')).toBe(Object.hasOwn(processes, 'HDFS'));
    expect(Object.keys(processes).filter((target) => targets.has(target))).not.toEqual([]);
  });

  test('takes all of its own', () => {
    checkProcesses({ version: '', processes, configs }, Object.values(processes).flat());
    for (const { applicable_target, name, default_value } of configs) {
      checkConfigs({ version: '', processes, configs }, { [applicable_target]: { [name]: default_value } });
    }
  });
});

describe('what there is not', () => {
  test('is told with the remedy, if there is one', () => {
    const version = { version: '', processes: { Spark: ['master'] }, configs: [], absent: { namenode: 'add Hadoop' } };
    expect(() => checkProcesses(version, ['master', 'namenode'])).toThrow('cannot run process namenode: add Hadoop');
    expect(() => checkProcesses(version, ['toString'])).toThrow('cannot run process toString: the plugin has master');
  });

  test('is told with what there is', () => {
    const known = bundledPlugins.map(({ name }) => name).join(', ');
    expect(() => findVersion(catalog, 'none', '1')).toThrow(`there is no such plugin; known are ${known}`);
    expect(() => findVersion(catalog, 'vanilla', '1')).toThrow('its versions are 1.1.2, 1.2.1, 2.7.1');
    const version = findVersion(catalog, 'spark', '2.3');
    expect(() => checkProcesses(version, ['jobtracker'])).toThrow(
      'cannot run process jobtracker: the plugin has namenode, ',
    );
    expect(() => checkConfigs(version, { YARN: {} })).toThrow('cannot configure YARN');
    expect(() => checkConfigs(version, { HDFS: { constructor: 'x' } })).toThrow('cannot configure constructor');
  });

  test.each(['1', '5', 'd720a061-2a38-4a70-b45a-0b70a1c4f3a4', 'D720A0612A384A70B45A0B70A1C4F3A4'])(
    'flavor %s is there',
    (flavor) => expect(() => checkFlavor({ catalog, tenant: 't' }, flavor)).not.toThrow(),
  );

  test.each(['0', '6', '11', 'm1.huge', '', ' 1', '1\n', 'd720a061'])('flavor %j is not', (flavor) =>
    expect(() => checkFlavor({ catalog, tenant: 't' }, flavor)).toThrow('there is no such flavor'),
  );

  test('configured flavors are all there are', () => {
    const own = { catalog: { ...catalog, flavors: [{ id: 'm1.huge' }] }, tenant: 't' };
    checkFlavor(own, 'm1.huge');
    expect(() => checkFlavor(own, '1')).toThrow('known are m1.huge');
  });

  test('a flavor of another tenant is refused like one that does not exist', () => {
    const flavors = [{ id: 'all' }, { id: 'theirs', tenants: ['them', 'constructor'] }];
    const as = (tenant: string) => ({ catalog: { ...catalog, flavors }, tenant });
    checkFlavor(as('them'), 'theirs');
    checkFlavor(as('us'), 'all');
    const message = (flavor: string) => `cannot use flavor ${flavor}: there is no such flavor; known are all`;
    for (const flavor of ['theirs', 'unknown'])
      expect(() => checkFlavor(as('us'), flavor)).toThrow(new RegExp(`^${message(flavor)}$`));
  });
});
