// The settings of Hadoop for S3, and the file with the keys.
import { describe, expect, test } from 'vitest';
import { isSecretConfig, type S3Sources, s3aName, setUpS3 } from '../../../../src/service/engines/s3/setup.ts';

const setUp = (given: Partial<S3Sources>) => setUpS3({ cluster: {}, job: {}, buckets: new Map(), ...given });
const keys = (name: string) => ({ 'access.key': `AK-${name}`, 'secret.key': `SK-${name}` });
const provider = 'org.apache.hadoop.fs.s3a.auth.ProfileAWSCredentialsProvider';

describe('the settings', () => {
  test('of a data source are for its bucket, and its keys are in the file only', () => {
    const buckets = new Map([
      ['data', { ...keys('1'), endpoint: '127.0.0.1:9000', 'connection.ssl.enabled': 'false' }],
    ]);
    const { settings, credentials } = setUp({ buckets });
    expect(settings).toEqual({
      'fs.s3a.bucket.data.endpoint': 'http://127.0.0.1:9000',
      'fs.s3a.bucket.data.endpoint.region': 'us-east-1',
      'fs.s3a.bucket.data.path.style.access': 'true',
      'fs.s3a.bucket.data.connection.ssl.enabled': 'false',
      'fs.s3a.bucket.data.aws.credentials.provider': provider,
      'fs.s3a.bucket.data.auth.profile.name': 'profile-1',
    });
    expect(credentials).toBe('[profile-1]\naws_access_key_id = AK-1\naws_secret_access_key = SK-1\n');
  });

  test('of two buckets have keys of their own', () => {
    const { settings, credentials } = setUp({
      buckets: new Map([
        ['in', keys('1')],
        ['out.put', keys('2')],
      ]),
    });
    expect(settings['fs.s3a.bucket.in.auth.profile.name']).toBe('profile-1');
    expect(settings['fs.s3a.bucket.out.put.auth.profile.name']).toBe('profile-2');
    expect(credentials).toMatch(/\[profile-1\]\n.*AK-1\n.*SK-1\n\[profile-2\]\n.*AK-2\n.*SK-2\n$/);
    expect(JSON.stringify(settings)).not.toMatch(/[AS]K-/);
  });

  test('of the job win over those of the data source, and these over those of the cluster', () => {
    const cluster = { endpoint: 'https://cluster.example.com', 'endpoint.region': 'r1' };
    const buckets = new Map([['data', { ...keys('1'), endpoint: 'https://source.example.com' }]]);
    expect(setUp({ cluster, buckets }).settings).toMatchObject({
      'fs.s3a.endpoint': 'https://cluster.example.com',
      'fs.s3a.bucket.data.endpoint': 'https://source.example.com',
      'fs.s3a.bucket.data.endpoint.region': 'r1',
    });
    const job = {
      ...keys('job'),
      endpoint: 'https://job.example.com',
      'session.token': 'T',
      'connection.maximum': '9',
    };
    const { settings, credentials } = setUp({ cluster, buckets, job });
    expect(settings).toMatchObject({
      'fs.s3a.endpoint': 'https://job.example.com',
      'fs.s3a.connection.maximum': '9',
      'fs.s3a.aws.credentials.provider': provider,
      'fs.s3a.auth.profile.name': 'profile-0',
      'fs.s3a.bucket.data.endpoint': 'https://job.example.com',
    });
    expect(credentials).not.toContain('-1\n');
    expect(credentials.match(/aws_session_token = T\n/g)).toHaveLength(2);
  });

  test('of the job can be for one bucket', () => {
    const job = {
      'bucket.my.data.access.key': 'A',
      'bucket.my.data.secret.key': 'S',
      'bucket.my.data.endpoint': 'h:1',
    };
    const { settings, credentials } = setUp({ job });
    expect(settings).toMatchObject({ 'fs.s3a.bucket.my.data.endpoint': 'https://h:1' });
    expect(settings['fs.s3a.bucket.my.data.auth.profile.name']).toBe('profile-1');
    expect(credentials).toBe('[profile-1]\naws_access_key_id = A\naws_secret_access_key = S\n');
  });

  test('of AWS name their region, and their buckets are host names', () => {
    const buckets = new Map([['data', { ...keys('1'), endpoint: 's3.eu-west-3.amazonaws.com' }]]);
    expect(setUp({ buckets }).settings).toMatchObject({
      'fs.s3a.bucket.data.endpoint': 'https://s3.eu-west-3.amazonaws.com',
      'fs.s3a.bucket.data.endpoint.region': 'eu-west-3',
      'fs.s3a.bucket.data.path.style.access': 'false',
    });
  });

  test('of public data name who provides no keys', () => {
    const anonymous = 'org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider';
    const job = { 'aws.credentials.provider': anonymous };
    const { settings, credentials } = setUp({ job, buckets: new Map([['data', {}]]) });
    expect(settings['fs.s3a.bucket.data.aws.credentials.provider']).toBe(anonymous);
    expect(credentials).toBe('');
  });
});

describe('are refused', () => {
  test.each([
    [{ buckets: new Map([['data', {}]]) }, 'there are no keys for bucket data: set accesskey and secretkey in'],
    [{ job: { 'access.key': 'A' } }, 'there is fs.s3a.access.key, but no fs.s3a.secret.key: set both'],
    [
      { job: { ...keys('1'), 'aws.credentials.provider': 'X' } },
      'there are both keys and fs.s3a.aws.credentials.provider',
    ],
    [
      { job: { enpoint: 'x' } },
      'configs have fs.s3a.enpoint, which Hadoop does not know: did you mean fs.s3a.endpoint?',
    ],
    [{ job: { 'secret.kye': 'S' } }, 'which Hadoop does not know: did you mean fs.s3a.secret.key?'],
    [
      { job: { 'auth.profile.name': 'x' } },
      'configs have fs.s3a.auth.profile.name, which the service sets: leave it out',
    ],
    [{ job: { 'bucket.b.security.credential.provider.path': 'x' } }, 'which the service sets'],
    [{ job: { 'encryption.key': 'x' } }, 'configs have fs.s3a.encryption.key, a secret that others could read'],
    [{ job: { 'proxy.password': 'x' } }, 'a secret that others could read'],
    [{ job: { endpoint: 'ftp://x' } }, 'fs.s3a.endpoint in configs ftp://x is not valid'],
    [{ job: { 'secret.key': 'a\nb' } }, 'fs.s3a.secret.key in configs is not valid: use the key, without spaces'],
    [{ job: { 'path.style.access': 'yes' } }, 'fs.s3a.path.style.access in configs is not valid: use true or false'],
  ] as const)('%j: %s', (given, why) => {
    expect(() => setUp(given)).toThrow(why);
  });

  test('without a key in the message', () => {
    expect(() => setUp({ job: { 'secret.key': 'hunter 2' } })).not.toThrow('hunter');
  });
});

describe('a name with blanks at its ends', () => {
  test('is that of the setting that Hadoop takes it for', () => {
    expect(s3aName(' fs.s3a.auth.profile.name\t')).toBe('auth.profile.name');
    expect(s3aName('\nspark.hadoop.fs.s3a.access.key   ')).toBe('access.key');
  });

  test.each(['  fs.s3a.secret.key', 'fs.s3a.bucket.data.secret.key   ', '\tfs.swift.service.a.password '])(
    'hides the value of the secret %j',
    (name) => {
      expect(isSecretConfig(name)).toBe(true);
    },
  );
});
