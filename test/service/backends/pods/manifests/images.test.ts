// Which image a cluster and its jobs have.
import { expect, test } from 'vitest';
import {
  imageOfCluster,
  imageOfProcess,
  parseImages,
} from '../../../../../src/service/backends/pods/manifests/engine-images.ts';
import { imageIn } from '../../../../../src/service/engines/image.ts';

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
  expect(parseImages(`spark: {reference: '${reference}', s3a: /opt/s3a}`)['spark']).toMatchObject({ s3a: '/opt/s3a' });
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
  expect(found).toEqual([images['hadoop'], images['hadoop']]);
});
