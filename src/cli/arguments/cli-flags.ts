// The flags of each command of the plugin, as parseArgs has them. PURE.

const cluster = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  namespace: { type: 'string', short: 'n' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** For what asks the service itself. */
const service = { 'token-file': { type: 'string' } } as const;

const format = { output: { type: 'string', short: 'o' } } as const;

/** Where the operator runs, whose Lease tells whether it does. */
const operator = { 'operator-namespace': { type: 'string' } } as const;

const connection = { connection: { type: 'string', short: 'c', default: 'default' } } as const;

const runs = { ...cluster, ...service, 'hide-info': { type: 'boolean', default: false } } as const;

export const logsFlags = {
  ...runs,
  follow: { type: 'boolean', short: 'f', default: false },
  tail: { type: 'string' },
} as const;

const files = { filename: { type: 'string', short: 'f', multiple: true, default: [] as string[] } } as const;

export const runFlags = { ...runs, ...files } as const;

export const whyFlags = { ...cluster, ...format, ...operator } as const;

export const statusFlags = {
  ...cluster,
  ...format,
  'all-namespaces': { type: 'boolean', short: 'A', default: false },
} as const;

export const planFlags = { ...statusFlags, ...files, ...service } as const;

export const approveFlags = {
  ...cluster,
  ...format,
  yes: { type: 'boolean', short: 'y', default: false },
  hash: { type: 'string' },
  'no-wait': { type: 'boolean', default: false },
  timeout: { type: 'string', default: '10m' },
} as const;

export const orphansFlags = { ...cluster, ...service, ...format, ...connection } as const;

export const importFlags = { ...orphansFlags, all: { type: 'boolean', default: false } } as const;

export const doctorFlags = { ...cluster, ...service, ...format, ...operator } as const;

/** `kubectl`: the program that kubectl itself asks for completions. */
export const shells = ['bash', 'zsh', 'fish', 'kubectl'] as const;
export type Shell = (typeof shells)[number];

export const formats = ['text', 'json', 'yaml'] as const;
export type Format = (typeof formats)[number];

export interface Access {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
  /** A file with a token for the service, in place of the Secret of the Connection. */
  readonly tokenFile: string | undefined;
}

export type AccessFlags = {
  readonly [name in 'kubeconfig' | 'context' | 'namespace' | 'token-file']?: string | undefined;
};

/** kubectl takes an empty value, such as that of an unset variable of a shell, for a flag that was not given. An empty namespace would mean all of them. */
export function accessOf({ kubeconfig, context, namespace, 'token-file': tokenFile }: AccessFlags): Access {
  return {
    kubeconfig: givenOf(kubeconfig),
    context: givenOf(context),
    namespace: givenOf(namespace),
    tokenFile,
  };
}

/** Undefined: not given, or as if it were not. */
export function givenOf(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** What of an output is printed. */
export interface OutputWish {
  readonly follow: boolean;
  /** The number of lines, from the last one back. */
  readonly tail: number | undefined;
  /** Without the lines that a logger writes at INFO and below. */
  readonly hideInfo: boolean;
}

export interface LogWish extends OutputWish {
  readonly execution: string;
}

export interface RunWish {
  readonly files: readonly string[];
  readonly hideInfo: boolean;
}
