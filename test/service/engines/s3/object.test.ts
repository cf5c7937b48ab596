// Signed requests for objects of S3. The signatures are those of botocore for the same requests.
import { describe, expect, test } from 'vitest';
import { bucketIn, objectIn, signedGet } from '../../../../src/service/engines/s3/object.ts';
import { settingsIn } from '../../../../src/service/engines/s3/settings.ts';

const keys = { accesskey: 'AKIDEXAMPLE', secretkey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const now = Date.parse('2026-01-02T03:04:05.678Z');
const signed = (url: string, extra: object) => signedGet(url, settingsIn({ ...keys, ...extra }), now);

describe('a request', () => {
  test.each([
    [
      's3://data/jars/main.jar',
      { endpoint: 'http://127.0.0.1:9000' },
      'http://127.0.0.1:9000/data/jars/main.jar',
      '61fdce380245519d521497e4aff4c7d53f74c6ce05f552f7bdb1992aac6fd1f2',
    ],
    [
      "s3a://data/a b/c+d/ä(1)!*'~.jar",
      { endpoint: '127.0.0.1:9000', ssl: false },
      'http://127.0.0.1:9000/data/a%20b/c%2Bd/%C3%A4%281%29%21%2A%27~.jar',
      '3116cdac85675c499e994fd920e18cd06be054dcef492a31152a169a34c63451',
    ],
    [
      's3a://data/main.jar',
      { endpoint: 's3.eu-central-1.amazonaws.com' },
      'https://data.s3.eu-central-1.amazonaws.com/main.jar',
      'e0ad8850fe406d708c0fe8afca71932eec8e5a5b621bb4d55cbbf10dd467f24b',
    ],
    [
      's3a://my.bucket/main.jar',
      { endpoint: 'https://s3.example.com', region: 'local', bucket_in_path: true },
      'https://s3.example.com/my.bucket/main.jar',
      'e7958e90f76bcbc677b18a353739bbd226d308f31b2d7237e713886e9dbb2e4c',
    ],
  ])('for %s at %j is signed', async (url, extra, address, signature) => {
    const { url: sent, headers } = await signed(url, extra);
    expect(sent).toBe(address);
    expect(headers['authorization']).toMatch(new RegExp(`Signature=${signature}$`));
    expect(headers['x-amz-date']).toBe('20260102T030405Z');
    expect(JSON.stringify([sent, headers])).not.toContain(keys.secretkey);
  });

  test('goes to AWS, if there is no endpoint', async () => {
    const { url, headers } = await signed('s3://data/main.jar', {});
    expect(url).toBe('https://data.s3.amazonaws.com/main.jar');
    expect(headers['authorization']).toContain('/20260102/us-east-1/s3/aws4_request');
  });

  test.each([
    ['s3://data', {}, 's3://data names no object of S3: use s3a://BUCKET/KEY'],
    ['s3://data/a/../b', {}, 'names no object of S3'],
    ['s3:///main.jar', {}, 'url names no bucket of S3: use s3a://BUCKET/PATH, without keys'],
    ['s3://user@data/main.jar', {}, 'names no bucket of S3'],
    ['s3://data/k', { accesskey: undefined }, 'is not valid'],
    ['s3://data/k', { secretkey: 'two words' }, 'secretkey is not valid: use the key, without spaces'],
    ['s3://data/k', { endpoint: 'http://user:pass@host' }, 'endpoint http://user:pass@host is not valid: use HOST'],
    ['s3://data/k', { endpoint: 'http://host/path' }, 'is not valid'],
    ['s3://data/k', { endpoint: 'file:///etc' }, 'is not valid'],
    ['s3://data/k', { region: 'a/b' }, 'region is not valid: use the name of a region'],
    ['s3://data/k', { ssl: 'maybe' }, 'ssl is not valid: use true or false'],
    ['s3://data/k', { token: 'x' }, 'token means nothing for S3: use accesskey, secretkey, endpoint, region'],
  ])('for %s with %j is refused: %s', async (url, extra, why) => {
    const attempt = async () => signed(url, extra);
    await expect(attempt()).rejects.toThrow(why);
  });

  test('is refused without keys', async () => {
    await expect(signedGet('s3://data/k', {}, now)).rejects.toThrow(
      'its extra has no accesskey and no secretkey: set both',
    );
    const half = signedGet('s3://data/k', settingsIn({ accesskey: 'A' }), now);
    await expect(half).rejects.toThrow('there is accesskey, but no secretkey: set both');
  });
});

test('a URL has a bucket, and perhaps a key', () => {
  expect(bucketIn('s3a://my.bucket')).toBe('my.bucket');
  expect(objectIn('s3://data/a/b')).toEqual({ bucket: 'data', key: 'a/b' });
});

test.each(['s3a://KEY:open-sesame@data/a', 's3a://KEY:open/sesame@data/a'])(
  'keys in a URL are not repeated: %s',
  (url) => {
    expect(() => bucketIn(url)).toThrow(/^url names no bucket of S3: use s3a:\/\/BUCKET\/PATH, without keys$/);
  },
);
