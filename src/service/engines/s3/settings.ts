// The settings of S3 by their names in Hadoop, without the beginning `fs.s3a.`: what they may be, and what follows from them. PURE.

export type S3Settings = Readonly<Record<string, string>>;

const keyNames = ['access.key', 'secret.key', 'session.token'];
const isKey = (name: string): boolean => keyNames.includes(name);

/** The fields of data sources and job binaries, and what they are in Hadoop. */
const fields: Readonly<Record<string, string>> = {
  accesskey: 'access.key',
  secretkey: 'secret.key',
  endpoint: 'endpoint',
  region: 'endpoint.region',
  bucket_in_path: 'path.style.access',
  ssl: 'connection.ssl.enabled',
};
export const s3Fields = Object.keys(fields);

/** The settings in the credentials of a data source or in the `extra` of a job binary. Throws an Error that names the field and the remedy. */
export function settingsIn(given: Readonly<Record<string, unknown>>): S3Settings {
  const entries = Object.entries(given).map(([field, value]) => {
    const name = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (name === undefined) throw new Error(`${field} means nothing for S3: use ${s3Fields.join(', ')}`);
    if (!['string', 'number', 'boolean'].includes(typeof value)) throw new Error(`${field} is not valid: use a text`);
    return [name, checked(name, field, String(value))] as const;
  });
  return Object.fromEntries(entries);
}

/** The secrets among fields or settings, whatever their form. */
export const keysIn = (given: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(given)
    .filter(([name]) => /(secret\.?key|session\.token|password)$/.test(name))
    .map(([, value]) => String(value));

const boolean = [/^(true|false)$/, 'true or false'] as const;
const key = [/^[\x21-\x7e]{1,4096}$/, 'the key, without spaces'] as const;
const forms: Readonly<Record<string, readonly [RegExp, string]>> = {
  'access.key': key,
  'secret.key': key,
  'session.token': key,
  'endpoint.region': [/^[a-z0-9-]{1,64}$/, 'the name of a region, such as eu-central-1'],
  'path.style.access': boolean,
  'connection.ssl.enabled': boolean,
};

/** The value. Throws an Error with the remedy if it has another form. A key is not repeated in it. */
export function checked(name: string, field: string, value: string): string {
  const [form, wanted] = forms[name] ?? [/^\P{Cc}*$/u, 'a text without line breaks'];
  if (!form.test(value)) throw new Error(`${field} is not valid: use ${wanted}`);
  if (name === 'endpoint') checkEndpoint(field, value);
  return value;
}

/** Throws unless it is a host, perhaps with scheme and port. */
function checkEndpoint(field: string, value: string): void {
  const url = URL.parse(/^https?:\/\//i.test(value) ? value : `https://${value}`);
  const isBare = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username + url.password === '';
  if (!isBare) throw new Error(`${field} ${value} is not valid: use HOST, HOST:PORT, http://HOST:PORT or https://HOST`);
}

const awsHost = /(^|\.)amazonaws\.com(\.cn)?$/;
const usualRegion = 'us-east-1';

/** Settings with all that follows from them: the scheme of the endpoint, the region, and where the bucket is. */
export function complete(settings: S3Settings): S3Settings {
  const { endpoint = '', ...others } = settings;
  if (endpoint === '') return others;
  const scheme = settings['connection.ssl.enabled'] === 'false' ? 'http' : 'https';
  const url = new URL(/^https?:\/\//i.test(endpoint) ? endpoint : `${scheme}://${endpoint}`);
  const isAws = awsHost.test(url.hostname);
  const [, region = usualRegion] = (isAws && /^s3[.-]([a-z0-9-]+)\.amazonaws/.exec(url.hostname)) || [];
  // A service of one's own has hardly ever a host name for each bucket.
  return { 'endpoint.region': region, 'path.style.access': String(!isAws), ...others, endpoint: url.origin };
}

/** The keys among settings. Undefined if there are none. Throws an Error with the remedy if one is missing. `named`: what a setting is called. */
export function keysOf(settings: S3Settings, named: (name: string) => string): S3Settings | undefined {
  const keys = Object.fromEntries(Object.entries(settings).filter(([name]) => isKey(name)));
  const [first] = Object.keys(keys);
  const missing = ['access.key', 'secret.key'].find((name) => keys[name] === undefined);
  if (first === undefined) return undefined;
  if (missing !== undefined) throw new Error(`there is ${named(first)}, but no ${named(missing)}: set both`);
  return keys;
}
