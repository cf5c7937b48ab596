// The service that `npm run contract` was given, as its flags describe it.

export const dialects = ['neutral', 'sahara', 'savanna'] as const;
export type Spoken = (typeof dialects)[number];

export interface Target {
  /** Base address without a trailing slash. */
  readonly endpoint: string;
  readonly dialect: Spoken;
  readonly tenant: string;
  readonly token: string | undefined;
  /** Another tenant that the token is good for. */
  readonly otherTenant: string | undefined;
  /** What stands for the image, the key pair and the network of the tests. */
  readonly image: string | undefined;
  readonly keypair: string | undefined;
  readonly network: string | undefined;
  /** Part of every name that this run gives away. */
  readonly mark: string;
}
