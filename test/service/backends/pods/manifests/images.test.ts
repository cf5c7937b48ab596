// Which image a cluster and its jobs have.
import { describe, expect, test } from 'vitest';
import {
  absentImages,
  imageOfCluster,
  imageOfProcess,
  parseImages,
} from '../../../../../src/service/backends/pods/manifests/engine-images.ts';
import { usualFlavors } from '../../../../../src/service/engines/flavors.ts';
import { hadoopEntry } from '../../../../../src/service/engines/hadoop/entry.ts';
import { imageIn } from '../../../../../src/service/engines/image.ts';
import { node } from '../../../engines/run-of-a-job.ts';

const spark = { plugin_name: 'spark', bigdata_version: '4.1.1' };
const hadoop = { plugin_name: 'vanilla', bigdata_version: '3.5.0' };

test('a Spark cluster has the official image of its version, also when the service has a newer one', () => {
  const images = parseImages('{}');
  expect(imageIn(images, 'spark').version).not.toBe(spark.bigdata_version);
  expect(imageOfCluster(images, spark).reference).toBe('docker.io/apache/spark:4.1.1');
  expect(imageOfProcess(images, spark, {})).toEqual(imageOfCluster(images, spark));
});

test('an image that the file of --engine-images names is used as it is named', () => {
  const images = parseImages('spark: {reference: registry.example/spark:7}');
  expect(imageOfCluster(images, spark).reference).toBe('registry.example/spark:7');
});

test('the folder with the jars for S3 is in an image of your own', () => {
  const reference = 'registry.example/spark-s3a:4.1.2';
  expect(imageIn(parseImages('{}'), 'spark').s3a).toBeUndefined();
  expect(parseImages(`spark: {reference: '${reference}', s3a: /opt/s3a}`)['spark']).toMatchObject([
    { s3a: '/opt/s3a' },
  ]);
  expect(() => parseImages('spark: {s3a: /opt/s3a}')).toThrow(
    'spark.s3a: is not in the image of Apache: state the reference of an image that has this folder',
  );
});

test('only an image whose programs use it has an interpreter, and other plugins have no image', () => {
  expect(() => parseImages('hadoop: {python: /usr/bin/python3}')).toThrow('hadoop');
  expect(() => imageOfCluster(parseImages('{}'), { plugin_name: 'fake', bigdata_version: '0.1' })).toThrow(
    'there is no image for clusters of the plugin fake',
  );
});

test('HDFS beside Spark, and all of Hadoop, is in the image of Hadoop', () => {
  const images = parseImages('{}');
  const found = [imageOfProcess(images, spark, { image: 'hadoop' }), imageOfCluster(images, hadoop)];
  expect(found).toEqual([imageIn(images, 'hadoop'), imageIn(images, 'hadoop')]);
});

describe('several versions of Hadoop', () => {
  const own = 'hadoop: [{version: 3.5.0}, {version: 3.4.1, reference: registry.example/hadoop:3.4.1, home: /opt/h}]';
  const older = { plugin_name: 'vanilla', bigdata_version: '3.4.1' };

  test('are each in the image of their release line, and HDFS beside Spark in the first one', () => {
    const images = parseImages(own);
    const { reference } = imageIn(images, 'hadoop');
    expect(reference).toBe('docker.io/apache/hadoop:3.5.0');
    expect(imageOfCluster(images, older).reference).toBe('registry.example/hadoop:3.4.1');
    // As all processes of Hadoop state it.
    const process = { image: 'hadoop' };
    expect(imageOfProcess(images, older, process).reference).toBe('registry.example/hadoop:3.4.1');
    expect(imageOfProcess(images, hadoop, process).reference).toBe(reference);
    expect(imageOfProcess(images, spark, process).reference).toBe(reference);
  });

  test('are offered with the files that are in their images', () => {
    const offered = hadoopEntry.inImage(parseImages(own), usualFlavors);
    expect(offered.map(({ engine, version }) => [engine.version, version])).toEqual([
      ['3.5', '3.5.0'],
      ['3.4', '3.4.1'],
    ]);
    const head = node('namenode', 'head-0.example');
    const commands = offered.map(({ engine }) => engine.processes[0]?.command(head, [head]).args.join(' '));
    expect(commands[0]).toContain('-Dhadoop.home.dir=/opt/hadoop ');
    expect(commands[1]).toContain('-Dhadoop.home.dir=/opt/h ');
    expect(commands[1]).toContain('/opt/h/share/hadoop/hdfs/*');
  });

  test('but the official one need an image of the file', () => {
    expect(parseImages('{}')['hadoop']?.map(({ version }) => version)).toEqual(['3.5.0']);
    expect(absentImages(parseImages('{}'))['vanilla']).toEqual({
      '3.4.2': 'name an image of it as hadoop in the file of --engine-images, and restart the service',
    });
    expect(absentImages(parseImages(own))['vanilla']).toEqual({});
    expect(() => parseImages('hadoop: [{version: 3.5.0}, {version: 3.4.2}]')).toThrow(
      'hadoop.1.version: is in no image of Apache that can be used: state the reference of an image with this version',
    );
    expect(() => parseImages('hadoop: {version: 3.3.6}')).toThrow('use one of 3.5 or 3.4');
  });
});

describe('several versions of Spark', () => {
  const referencesIn = (text: string) => {
    const images = parseImages(text);
    return images['spark']?.map(({ version, reference }) => `${version} ${reference}`);
  };
  const of = (bigdata_version: string) => ({ plugin_name: 'spark', bigdata_version });

  test('have the official images, unless the file names others', () => {
    expect(referencesIn('{}')).toEqual([
      '4.1.2 docker.io/apache/spark:4.1.2',
      '3.5.9 docker.io/apache/spark:3.5.9-java17',
      '4.0.5 docker.io/apache/spark:4.0.5',
      '4.3.0 docker.io/apache/spark:4.3.0',
    ]);
    expect(referencesIn('spark: [{version: 3.5.8}, {reference: registry.example/s:1, version: 4.0.5}]')).toEqual([
      '3.5.8 docker.io/apache/spark:3.5.8-java17',
      '4.0.5 registry.example/s:1',
    ]);
  });

  test('are each in the image of their release line', () => {
    const images = parseImages('spark: [{version: 4.1.2}, {reference: registry.example/s:1, version: 3.5.9}]');
    expect(imageOfCluster(images, of('3.5.2')).reference).toBe('registry.example/s:1');
    expect(imageOfCluster(images, of('4.1.0')).reference).toBe('docker.io/apache/spark:4.1.0');
    expect(() => imageOfCluster(images, of('4.0.5'))).toThrow(
      'there is no image of spark 4.0.5: name one in the file of --engine-images',
    );
    expect(Object.keys(absentImages(images)['spark'] ?? {})).toEqual(['4.0.5', '4.3.0']);
  });

  test.each([
    [
      'spark: [{version: 3.5.1}, {version: 3.5.2}]',
      'spark: has several images of one release line: state one for each',
    ],
    ['spark: [{reference: registry.example/a:1}, {reference: registry.example/b:1}]', 'spark: has several images of'],
    ['spark: {version: 3.4.1}', 'spark.version: is not a version that can be run: use one of 4.1, 3.5, 4.0 or 4.3'],
    ['spark: [{version: 3.5.1}, {version: x}]', 'spark.1.version: is not a version such as 4.1.2'],
    ['spark: []', 'spark: is empty: leave it out, or state an image'],
    ['spark: docker.io/apache/spark:4.1.2', 'spark: Invalid input: expected object, received string'],
  ])('are refused as %s', (text, why) => {
    expect(() => parseImages(text)).toThrow(why);
  });
});
