// URLs of data by type of the data source, and of files of jobs, as the schema takes and refuses them.
import type { DataSourceType } from '../../../../src/wire/jobs.ts';
import { uuid } from './samples.ts';

interface Urls {
  readonly fit: readonly string[];
  readonly unfit: readonly string[];
}

export const placeForms: Readonly<Record<DataSourceType, Urls>> = {
  hdfs: {
    fit: [
      'hdfs://namenode:8020/books',
      'hdfs://me@namenode/a',
      'hdfs:///books',
      '/books',
      'books',
      'file:///tmp/books',
    ],
    unfit: ['swift://c/o', 's3://b/k', 'hdfs:/a', 'hdfs://', 'file:/tmp', 'file://host', 'http://host/a', '/a\nb'],
  },
  s3: {
    fit: ['s3://bucket/key', 's3a://bucket/a/b', 's3a://bucket/'],
    unfit: ['s3a://bucket', 's3a:///key', 's3n://bucket/key', '/key', 'S3://bucket/key'],
  },
  swift: {
    fit: ['swift://container/object', 'swift://container.sahara/a/b'],
    unfit: ['swift://container', 'swift://container/', 'swift:///object', '/object'],
  },
  manila: {
    fit: [`manila://${uuid}/a`, `manila://${uuid.replaceAll('-', '')}/a/b`],
    unfit: ['manila://share/a', `manila://${uuid}`, `manila:///${uuid}`],
  },
  maprfs: {
    fit: ['maprfs:///a', 'maprfs:/a', 'maprfs:a', '/a', 'maprfs://cluster/a', 'maprfs://cluster/a@b'],
    unfit: ['hdfs://host/a', 'maprfs:'],
  },
};

export const fileUrls: Urls = {
  fit: [
    `internal-db://${uuid}`,
    `internal-db://${uuid.replaceAll('-', '')}`,
    'swift://container/object',
    's3://bucket/key',
    's3a://bucket/a/b.jar',
    `manila://${uuid}/a.jar`,
    'https://files.example.com/a.jar?version=2',
    'http://files/a.py',
    'hdfs://namenode:8020/a.jar',
    'hdfs:///a.jar',
    'hdfs://host/a@b.jar',
    'https://host/a@b.jar',
    'file:///srv/jobs/a.jar',
  ],
  unfit: [
    'internal-db://words',
    `internal-db://${uuid}/a`,
    `savanna-db://${uuid}`,
    'manila://share/a',
    `manila://${uuid}`,
    'ftp://host/a',
    '/a.jar',
    'a.jar',
    'https://',
    'https:///a',
    'HTTPS://host/a',
    'file://host/a',
    'https://host/a\n',
  ],
};
