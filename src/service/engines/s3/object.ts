// Objects of S3, for the service itself: where they are, and signed requests for them.
import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { shownUrl, splitUrl } from '../../../wire/jobs.ts';
import { complete, keysOf, type S3Settings } from './settings.ts';

/** The SHA-256 of nothing. */
const noBody = createHash('sha256').digest('hex');

const usualEndpoint = 's3.amazonaws.com';

/** The address of the object at HTTP. Throws an Error with the remedy if the URL names none. */
function addressOf(url: string, settings: S3Settings): URL {
  const { bucket, key } = objectIn(url);
  const address = new URL(settings['endpoint'] ?? '');
  const path = key.split('/').map(encode).join('/');
  if (settings['path.style.access'] === 'false') address.hostname = `${bucket}.${address.hostname}`;
  address.pathname = settings['path.style.access'] === 'false' ? `/${path}` : `/${encode(bucket)}/${path}`;
  return address;
}

/** As signatures need it: everything but letters, digits and four marks. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** Bucket and key of the URL. Throws an Error with the remedy if it has none. */
export function objectIn(url: string): { readonly bucket: string; readonly key: string } {
  const bucket = bucketIn(url);
  const key = splitUrl(url).path.slice(1);
  // Clients and servers disagree about what these mean.
  const isBad = key === '' || key.split('/').some((part) => part === '.' || part === '..');
  if (isBad) throw new Error(`${shownUrl(url)} names no object of S3: use s3a://BUCKET/KEY`);
  return { bucket, key };
}

/** Throws an Error with the remedy if the URL names no bucket. It does not quote the URL, because keys may be where the bucket should be. */
export function bucketIn(url: string): string {
  const { host } = splitUrl(url);
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/.test(host)) return host;
  throw new Error('url names no bucket of S3: use s3a://BUCKET/PATH, without keys');
}

interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws an Error with the remedy if the object cannot be asked for with these settings. */
export function checkObject(url: string, settings: S3Settings): { readonly address: URL; readonly all: S3Settings } {
  const all = complete({ endpoint: usualEndpoint, ...settings });
  if (keysOf(all, (name) => name.replace('.', '')) === undefined)
    throw new Error('its extra has no accesskey and no secretkey: set both');
  return { address: addressOf(url, all), all };
}

/** A signed GET of the object. `now`: in ms. The keys are not part of it. */
export async function signedGet(url: string, settings: S3Settings, now: number): Promise<SignedRequest> {
  const { address, all } = checkObject(url, settings);
  const signer = new AwsV4Signer({
    url: address.href,
    service: 's3',
    region: all['endpoint.region'] ?? '',
    accessKeyId: all['access.key'] ?? '',
    secretAccessKey: all['secret.key'] ?? '',
    headers: { 'x-amz-content-sha256': noBody },
    datetime: new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
  });
  const { url: signed, headers } = await signer.sign();
  return { url: signed.href, headers: Object.fromEntries(headers) };
}
