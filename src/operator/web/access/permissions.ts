// Asks the API server who has a token, and what that user may list: for how long it remembers the answers, and which namespaces they allow.
import { createHash } from 'node:crypto';
import PQueue from 'p-queue';
import { z } from 'zod';
import { ApiError } from '../../../kube/api-error.ts';
import type { ApiTransport } from '../../../kube/http/transport.ts';
import type { Clock } from '../../../lib/ports.ts';
import { TokenBucket } from '../../../lib/timing/token-bucket.ts';
import type { RawResource } from '../../api/definition.ts';
import { group } from '../../api/shared-api.ts';
import { Recent } from './recent.ts';

const reviewed = z.object({
  username: z.string().min(1),
  uid: z.string().optional(),
  groups: z.array(z.string()).optional(),
  extra: z.record(z.string(), z.array(z.string())).optional(),
});
const tokenReview = z.object({
  status: z.object({ authenticated: z.boolean().optional(), user: reviewed.optional().catch(undefined) }),
});
const accessReview = z.object({ status: z.object({ allowed: z.boolean() }) });

export interface WebUser {
  readonly name: string;
  /** What the API server says of the user, for its own reviews. */
  readonly subject: object;
  /** The same for the same subject. */
  readonly digest: string;
}

/** The review was not made. The message is for the user, and never has the token. */
export class ReviewError extends Error {
  readonly status: 429 | 503;
  constructor(status: 429 | 503, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

const timeoutMs = 5_000;
/** Few, because the operator has more important requests to send. */
const reviewsAtOnce = 4;
const mostWaiting = 1_000;
const mostTokens = 1_000;
const mostDecisions = 20_000;
/** Of tokens that were not valid before: anybody can send them. */
const tokenRate = { perSecond: 10, burst: 50 } as const;
const knownMs = 3_600_000;
const trueMs = 30_000;
const falseMs = 5_000;

interface ReviewsOptions {
  readonly transport: Pick<ApiTransport, 'request'>;
  readonly clock: Clock;
}

/** Guarantees: the cache has digests of tokens only; a permission that was revoked ends within 30 s. */
export class Reviews {
  readonly #transport: ReviewsOptions['transport'];
  readonly #users: Recent<WebUser | undefined>;
  /** Tokens that were valid within the last hour, so that others cannot use up what their users need. */
  readonly #known: Recent<true>;
  readonly #decisions: Recent<boolean>;
  readonly #tokens: TokenBucket;
  readonly #queue = new PQueue({ concurrency: reviewsAtOnce });

  constructor({ transport, clock }: ReviewsOptions) {
    this.#transport = transport;
    this.#users = new Recent(clock, mostTokens);
    this.#known = new Recent(clock, mostTokens);
    this.#decisions = new Recent(clock, mostDecisions);
    this.#tokens = new TokenBucket(clock, tokenRate);
  }

  /** Undefined if the token is not valid. Rejects with ReviewError. */
  userOf(token: string): Promise<WebUser | undefined> {
    const key = digestOf(token);
    return this.#users.get(key, async () => {
      if (!this.#known.has(key)) this.#takeTurn();
      const path = '/apis/authentication.k8s.io/v1/tokenreviews';
      const { status } = tokenReview.parse(await this.#review('TokenReview', path, { token }));
      const user = status.authenticated === true ? status.user : undefined;
      if (user === undefined) return { value: undefined, freshMs: falseMs };
      await this.#known.get(key, async () => ({ value: true, freshMs: knownMs }));
      return { value: asUser(user), freshMs: trueMs };
    });
  }

  #takeTurn(): void {
    if (this.#tokens.waitMs() > 0) throw new ReviewError(429, 'too many new tokens: try again in a few seconds');
    this.#tokens.take();
  }

  /** Whether `mayList` answers without a request. */
  knows(user: WebUser, plural: string, namespace: string): boolean {
    return this.#decisions.has(decisionKey(user, plural, namespace));
  }

  /** An empty namespace means all of them. Rejects with ReviewError. */
  mayList(user: WebUser, plural: string, namespace: string): Promise<boolean> {
    return this.#decisions.get(decisionKey(user, plural, namespace), async () => {
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      const resourceAttributes = { group, resource: plural, verb: 'list', namespace };
      const answer = await this.#review('SubjectAccessReview', path, { ...user.subject, resourceAttributes });
      const value = accessReview.parse(answer).status.allowed;
      return { value, freshMs: value ? trueMs : falseMs };
    });
  }

  async #review(kind: string, path: string, spec: object): Promise<unknown> {
    if (this.#queue.size >= mostWaiting) throw new ReviewError(429, 'too many reviews: try again in a few seconds');
    const apiVersion = path.split('/').slice(2, 4).join('/');
    const body = { apiVersion, kind, metadata: {}, spec };
    try {
      return await this.#queue.add(async () => this.#transport.request({ method: 'POST', path, body, timeoutMs }));
    } catch (error) {
      throw new ReviewError(503, whyNot(kind, error), { cause: error });
    }
  }
}

function whyNot(kind: string, error: unknown): string {
  if (error instanceof ApiError && error.category === 'forbidden')
    return `the operator may not create a ${kind}: bind the ClusterRole system:auth-delegator to its ServiceAccount`;
  return `the API server does not answer a ${kind}: try again`;
}

function asUser({ username, ...rest }: z.output<typeof reviewed>): WebUser {
  const subject = { user: username, ...rest };
  return { name: username, subject, digest: digestOf(JSON.stringify(subject)) };
}

function decisionKey({ digest }: WebUser, plural: string, namespace: string): string {
  return `${digest}/${plural}/${namespace}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Whether a namespace is among those that a user may see. */
type Includes = (namespace: string) => boolean;

export interface Permissions {
  /** The name of the user. */
  readonly user: string;
  /** Undefined if the user may list nothing. `present` are the objects whose namespaces count. */
  namespacesOf(
    plural: string,
    namespace: string | undefined,
    present: () => Iterable<RawResource>,
  ): Promise<Includes | undefined>;
  /** Why objects may be missing that the user may list. */
  notes(): readonly string[];
}

const longestUser = 256;
/** The next answer goes on where this one ends. */
const mostNewReviews = 200;

/** Asks for all namespaces at once, and for single ones only if that is not allowed. */
export function permissionsOf(reviews: Reviews, user: WebUser): Permissions {
  let asked = 0;
  let left = 0;
  const mayList = async (plural: string, namespace: string): Promise<boolean> => {
    const isNew = !reviews.knows(user, plural, namespace);
    if (isNew && asked >= mostNewReviews) {
      left += 1;
      return false;
    }
    if (isNew) asked += 1;
    return reviews.mayList(user, plural, namespace);
  };
  return {
    user: user.name.slice(0, longestUser),
    notes: () => (left === 0 ? [] : ['Your permissions are still being checked: more objects follow.']),
    async namespacesOf(plural, namespace, present) {
      if (namespace !== undefined) return (await mayList(plural, namespace)) ? (one) => one === namespace : undefined;
      if (await mayList(plural, '')) return () => true;
      const found = new Set<string>();
      for (const one of new Set(Iterator.from(present()).map(({ metadata }) => metadata.namespace)))
        if (await mayList(plural, one)) found.add(one);
      return found.size === 0 ? undefined : (one) => found.has(one);
    },
  };
}
