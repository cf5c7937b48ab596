// ImageRegistration between YAML and the wire. PURE.
import { serviceID } from '../../../wire/common.ts';
import { cleanWord, cutText } from '../../../wire/errors/shapes.ts';
import type { Image, ImageRegister } from '../../../wire/image.ts';
import type { Spec } from '../../api/definition.ts';
import type { Difference, Drift, NextRequest } from '../../reconcile/kind/kind.ts';
import { asSet, settled } from '../node-groups.ts';
import type { imageRegistration } from './schema.ts';

export type ImageSpec = Spec<typeof imageRegistration>;

/** A registration, and the image that it belongs to. */
export interface RegisterRequest extends ImageRegister {
  readonly id: string;
}

/** One request: the service has one for each field. What remains follows in the next pass. */
export type ImageChange =
  | { readonly request: 'register'; readonly body: ImageRegister }
  | { readonly request: 'tag' | 'untag'; readonly tags: readonly string[] };

/** Neutral words: the client renames the prefix of the keys. */
const descriptionKey = '_svc_description';

const descriptionOf = (remote: Image): string | undefined => remote.description ?? remote.metadata?.[descriptionKey];

const tagsOf = (remote: Image): readonly string[] => asSet(remote.tags) ?? [];

export const imageId = ({ imageID }: ImageSpec): string => serviceID(imageID);

/** The image that a spec names, whatever else is wrong with the spec. */
export const statedName = (spec: unknown): string | undefined => {
  const { imageID } = (spec ?? {}) as { readonly imageID?: unknown };
  return typeof imageID === 'string' ? imageId({ imageID } as ImageSpec) : undefined;
};

/** The interface does not call the description optional (section 4.2). */
const registration = (spec: ImageSpec, known = ''): ImageRegister => ({
  username: spec.username,
  description: spec.description ?? known,
});

export const registering = (spec: ImageSpec): RegisterRequest => ({ id: imageId(spec), ...registration(spec) });

export const difference = (spec: ImageSpec, remote: Image): Difference<ImageChange> => {
  const drift = [...registrationDrift(spec, remote), ...tagDrift(spec.tags, tagsOf(remote))];
  const diff = firstChange(spec, remote);
  if (!diff) return { state: 'none' };
  const target = Object.fromEntries(
    drift.map(({ path, want }) => [`${path}: ${want}`, requests.indexOf(diff.request)]),
  );
  return {
    state: 'change',
    diff,
    target,
    uses: [],
    drift,
    summary: wordsFor(drift),
    removes: spec.tags !== undefined && tagsOf(remote).some((tag) => !spec.tags?.includes(tag)),
    next: changedBy(diff, spec, remote),
  };
};

const wordsFor = (drift: readonly Drift[]): string =>
  drift.map(({ path, want, have }) => `${path.slice('spec.'.length)} from ${have} to ${want}`).join(', ');

const changedBy = (diff: ImageChange, spec: ImageSpec, remote: Image): NextRequest => {
  const there = tagsOf(remote);
  const kept = diff.request === 'untag' ? there.filter((tag) => !diff.tags.includes(tag)) : spec.tags;
  const changes = diff.request === 'register' ? registrationDrift(spec, remote) : tagDrift(kept, there);
  return { changes, removes: diff.request === 'untag', summary: wordsFor(changes) };
};

/** In the order in which they are sent. */
const requests: readonly ImageChange['request'][] = ['register', 'untag', 'tag'];

/** Registering comes first: it puts an image into the list. */
const firstChange = (spec: ImageSpec, remote: Image): ImageChange | undefined => {
  if (registrationDrift(spec, remote).length > 0) {
    // Fields that the spec leaves alone must survive the new registration.
    return { request: 'register', body: registration(spec, descriptionOf(remote)) };
  }
  const wanted = new Set(spec.tags ?? tagsOf(remote));
  const there = new Set(tagsOf(remote));
  const extra = [...there].filter((tag) => !wanted.has(tag));
  if (extra.length > 0) return { request: 'untag', tags: extra };
  const missing = [...wanted].filter((tag) => !there.has(tag)).sort();
  return missing.length > 0 ? { request: 'tag', tags: missing } : undefined;
};

const registrationDrift = (spec: ImageSpec, remote: Image): readonly Drift[] => {
  const have = { username: remote.username, description: descriptionOf(remote) };
  return (['username', 'description'] as const).flatMap((field) => {
    const want = spec[field];
    if (want === undefined || want === have[field]) return [];
    return [{ path: `spec.${field}`, want: quoted(want), have: quoted(have[field]), fixable: true }];
  });
};

const tagDrift = (wanted: readonly string[] | undefined, there: readonly string[]): readonly Drift[] => {
  if (wanted === undefined) return [];
  const [want, have] = [asSet(wanted) ?? [], there].map((tags) => `[${tags.join(', ')}]`) as [string, string];
  return want === have ? [] : [{ path: 'spec.tags', want: shortened(want), have: shortened(have), fixable: true }];
};

const quoted = (text: string | undefined): string => (text === undefined ? 'none' : shortened(`"${text}"`));

/** Status and events show differences; they are no place for whole documents. */
const shownLetters = 200;
const shortened = (text: string): string => cutText(cleanWord(text), shownLetters);

export const report = (remote: Image): Readonly<Record<string, unknown>> =>
  settled({
    imageName: cleanWord(remote.name),
    imageStatus: cleanWord(remote.status),
    username: cleanWord(remote.username),
    tags: remote.tags && tagsOf(remote).slice(0, tagsShown).map(cleanWord),
  });

const tagsShown = 200;
