// The image registry: section 4.2 of the interface. It combines the images of the cloud with the registrations of each tenant.

import { type Catalog, type CloudImage, findVersion } from '../../model/catalog/catalog.ts';
import { requiredTags } from '../../model/catalog/plugins.ts';
import { checkLarger, checkRows } from '../../model/checks/quotas.ts';
import { checkLength, withHyphens } from '../../model/checks/request-checks.ts';
import type { ImageRecord } from '../../model/records/records.ts';
import { missing, Refusal } from '../../model/refusal.ts';
import { bodySchemas, readExactBody } from '../bodies/bodies.ts';
import type { Service } from '../service.ts';

/** The images of the cloud if none are configured, besides any other identifier in UUID form. */
export const bundledImages: readonly CloudImage[] = [
  { id: '7a1f6b0e-3c52-4e0b-9d57-5f0c8e2b4a61', name: 'ubuntu-22.04-prepared', registered: true },
  { id: '2c9e4d1a-8b67-4f35-a0d2-6e1f7c3b9a58', name: 'ubuntu-22.04', registered: false },
  { id: '91d3f7b4-5e20-4c8a-b6f9-0a7d2e4c8b13', name: 'centos-9', registered: false },
];

const anyImage = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The image with this identifier, if the cloud has it. If no images are configured, any other UUID is a registered image. */
function findCloudImage(catalog: Catalog, id: string): CloudImage | undefined {
  const listed = (catalog.images ?? bundledImages).find((image) => image.id === id);
  if (listed !== undefined || catalog.images !== undefined || !anyImage.test(id)) return listed;
  return { id, name: `image-${id.slice(0, 8)}`, registered: true };
}

const tagsOfAll = ({ plugins }: Catalog): readonly string[] => [
  ...new Set(plugins.flatMap((plugin) => plugin.versions.flatMap((version) => requiredTags(plugin.name, version)))),
];

/** An image that the tenant has not registered or tagged itself. */
function untouched(catalog: Catalog, { id, name, registered }: CloudImage): ImageRecord {
  return registered ? { id, name, username: 'ubuntu', tags: tagsOfAll(catalog) } : { id, name, tags: [] };
}

interface ImagePlace {
  readonly tenant: string;
  readonly id: string;
}

export function findImage({ catalog, store }: Service, { tenant, id }: ImagePlace): ImageRecord | undefined {
  const image = findCloudImage(catalog, id);
  return image && (store.get('images', tenant, id) ?? untouched(catalog, image));
}

function needImage(service: Service, at: ImagePlace): ImageRecord {
  const found = findImage(service, at);
  if (found === undefined) throw missing('image', at.id);
  return found;
}

const isRegistered = (image: ImageRecord) => image.username !== undefined && image.username !== '';
const lacks = (image: ImageRecord, tags: readonly string[]): readonly string[] => {
  const has = new Set(image.tags);
  return tags.filter((tag) => !has.has(tag));
};

/** Late upstream refuses to show an image that is not registered. Section 4.2 and early upstream do not. */
export function readImage(service: Service, at: ImagePlace): ImageRecord {
  const image = needImage(service, at);
  if (service.dialect !== 'sahara' || isRegistered(image)) return image;
  throw Refusal.by('notRegistered', `cannot show image ${at.id}: it is not registered`);
}

interface WantedImage {
  readonly tags: readonly string[];
  readonly name?: string | undefined;
}

/** The registered images with the tags and the name: first those of the catalog, then those that only the tenant has registered. */
export function listImages(
  service: Service,
  tenant: string,
  { tags, name: part = '' }: WantedImage,
): readonly ImageRecord[] {
  const { catalog, store } = service;
  const listed = (catalog.images ?? bundledImages).map(({ id }) => id);
  const noted = store.list('images', tenant).map(({ id }) => id);
  const ids = [...new Set([...listed, ...noted])];
  return ids
    .flatMap((id) => findImage(service, { tenant, id }) ?? [])
    .filter((image) => isRegistered(image) && lacks(image, tags).length === 0 && image.name.includes(part));
}

/** Throws unless the image is registered. */
export function checkRegistered(service: Service, at: ImagePlace): ImageRecord {
  const image = findImage(service, at) ?? findImage(service, { tenant: at.tenant, id: withHyphens(at.id) });
  const absent = service.dialect === 'neutral' ? 'unknownImage' : 'unusableImage';
  if (image === undefined) throw Refusal.by(absent, `cannot use image ${at.id}: there is no such image`);
  if (!isRegistered(image)) throw Refusal.by('unusableImage', `cannot use image ${at.id}: it is not registered`);
  return image;
}

/** Throws unless the image is registered and has the tags that the plugin requires. */
export function checkImageFor(
  service: Service,
  at: ImagePlace,
  { plugin_name, bigdata_version }: { readonly plugin_name: string; readonly bigdata_version: string },
): void {
  const image = checkRegistered(service, at);
  const version = findVersion(service.catalog, plugin_name, bigdata_version);
  const lacking = lacks(image, requiredTags(plugin_name, version));
  if (lacking.length === 0) return;
  throw Refusal.by('unusableImage', `cannot use image ${at.id}: it lacks the tags ${lacking.join(', ')}`);
}

function keep(service: Service, tenant: string, image: ImageRecord): ImageRecord {
  const { store } = service;
  if (store.get('images', tenant, image.id) === undefined) checkRows(service, tenant);
  else checkLarger(service, tenant, image);
  store.put('images', tenant, image);
  return image;
}

/** Each request can add tags, and an image is answered as a whole. */
const checkImageLength = (image: ImageRecord): void =>
  checkLength([image], {
    what: 'tags and description: with them, an image is',
    remedy: 'remove tags, or use a shorter description',
  });

interface ImageChange extends ImagePlace {
  readonly body: unknown;
}

/**
 * Can be repeated. Section 4.2 answers without tags, so the tags of an earlier registration are removed. Upstream keeps them, and late upstream also
 * keeps a description if the request has none.
 */
export function registerImage(service: Service, call: ImageChange): ImageRecord {
  const { dialect } = service;
  const { id, name, ...before } = needImage(service, call);
  const body = readExactBody(dialect, bodySchemas(dialect).imageRegister, call.body);
  const { username } = body;
  const description = dialect === 'sahara' ? body.description || before.description : body.description;
  const tags = dialect === 'neutral' ? [] : before.tags;
  const registered = { id, name, username, description, tags };
  checkImageLength(registered);
  return keep(service, call.tenant, registered);
}

/** Removes user name, description and tags. An image without them stays the same. */
export function unregisterImage(service: Service, at: ImagePlace): void {
  const { id, name } = needImage(service, at);
  keep(service, at.tenant, { id, name, tags: [] });
}

/** Adds tags. The image does not have to be registered. */
export function tagImage(service: Service, call: ImageChange): ImageRecord {
  const image = needImage(service, call);
  const { tags } = readExactBody(service.dialect, bodySchemas(service.dialect).imageTags, call.body);
  const tagged = { ...image, tags: [...new Set([...image.tags, ...tags])] };
  checkImageLength(tagged);
  return keep(service, call.tenant, tagged);
}

/** Removes tags. Tags that the image does not have are ignored. */
export function untagImage(service: Service, call: ImageChange): ImageRecord {
  const image = needImage(service, call);
  const { tags } = readExactBody(service.dialect, bodySchemas(service.dialect).imageTags, call.body);
  const gone = new Set(tags);
  return keep(service, call.tenant, { ...image, tags: image.tags.filter((tag) => !gone.has(tag)) });
}
