// The options of S3, for all jobs of a cluster. Those of data sources and of jobs win.
import { optionsOf } from '../engine-options.ts';

const target = 'S3';
/** Where programs find them is the business of each engine. */
export const s3aFile = 's3a';
/** The setting that names the file with the keys. */
export const s3aKeysFile = 'fs.s3a.auth.profile.file';

export const s3aOptions = optionsOf({ target, scope: 'cluster', file: s3aFile }, [
  [
    'fs.s3a.endpoint',
    '',
    'Where S3 is, such as http://127.0.0.1:9000. Empty: AWS',
    { form: [/^(https?:\/\/)?[\w.-]+(:\d{1,5})?\/?$/i, 'HOST, HOST:PORT, http://HOST:PORT or https://HOST'] },
  ],
  [
    'fs.s3a.endpoint.region',
    '',
    'The region of the buckets. Empty: us-east-1, or the one in the name of the endpoint',
    { form: [/^[a-z0-9-]{1,64}$/, 'the name of a region, such as eu-central-1'] },
  ],
  [
    'fs.s3a.path.style.access',
    '',
    'Whether buckets are in the path of URLs, and not in the host name. Empty: not with AWS',
    { form: [/^(true|false)$/, 'true or false'] },
  ],
  [
    'fs.s3a.connection.ssl.enabled',
    '',
    'Whether an endpoint without http:// or https:// is reached with TLS. Empty: true',
    { form: [/^(true|false)$/, 'true or false'] },
  ],
]);

/** What a job can set, too. */
export const s3aJobOptions = [
  { name: 'fs.s3a.access.key', default: '', description: 'The access key of buckets whose data sources have none' },
  { name: 'fs.s3a.secret.key', default: '', description: 'The secret key that belongs to it' },
  ...s3aOptions,
];
