// The routes of the image registry: section 4.2 of the interface.
import type { Dialect } from '../../../wire/dialect.ts';
import type { CauseKey } from '../../model/causes.ts';
import type { ImageRecord } from '../../model/records/records.ts';
import { bodySchemas } from '../bodies/bodies.ts';
import type { About } from '../endpoints/about.ts';
import { answerRows } from '../endpoints/answer-rows.ts';
import { accepted, type Call, type Endpoint, nothing, ok } from '../endpoints/endpoint.ts';
import { renderOne, type Service } from '../service.ts';
import { findImage, listImages, readImage, registerImage, tagImage, unregisterImage, untagImage } from './images.ts';

const render = (service: Service, tenant: string, image: ImageRecord) =>
  renderOne(service, { kind: 'images', tenant }, image);

const names = { id: { name: 'image_id', description: 'Identifier of the image in the cloud' } } as const;

/** A change of an image, which answers with the image. */
const change = (
  path: string,
  about: Pick<About, 'summary' | 'description' | 'body'> & { readonly causes?: readonly CauseKey[] },
  action: (service: Service, call: Call) => ImageRecord,
): Endpoint => ({
  method: 'POST',
  path,
  about: { ...about, names, success: { status: 202, one: 'images' }, causes: [...(about.causes ?? []), 'tooManyRows'] },
  handle: (service, call) => accepted(render(service, call.tenant, action(service, call))),
});

const tags = { schema: (dialect: Dialect) => bodySchemas(dialect).imageTags };

export const imageEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: 'images',
    about: {
      summary: 'List images',
      description: 'Lists registered images with all the tags.',
      query: (dialect) => [
        { name: 'tags', description: 'Only images with this tag', repeated: true },
        ...(dialect === 'sahara' ? [{ name: 'name', description: 'Only images with this in their names' }] : []),
      ],
      success: { status: 200, list: 'images' },
    },
    handle(service, { tenant, query }) {
      const [name] = service.dialect === 'sahara' ? [query['name'] ?? []].flat() : [];
      const rows = listImages(service, tenant, { tags: [query['tags'] ?? []].flat(), name });
      return answerRows(service, { kind: 'images', tenant }, rows, (id) => findImage(service, { tenant, id }));
    },
  },
  {
    method: 'GET',
    path: 'images/:id',
    about: { summary: 'Show image', names, success: { status: 200, one: 'images' }, causes: ['notRegistered'] },
    handle: (service, call) => ok(render(service, call.tenant, readImage(service, call))),
  },
  change(
    'images/:id',
    {
      summary: 'Register image',
      description: 'Can be repeated.',
      body: { schema: (dialect) => bodySchemas(dialect).imageRegister },
      causes: ['tooLongParts'],
    },
    registerImage,
  ),
  change('images/:id/tag', { summary: 'Tag image', body: tags, causes: ['tooLongParts'] }, tagImage),
  change(
    'images/:id/untag',
    { summary: 'Untag image', description: 'Tags that the image does not have are ignored.', body: tags },
    untagImage,
  ),
  {
    method: 'DELETE',
    path: 'images/:id',
    about: {
      summary: 'Unregister image',
      description: 'Removes user name, description and tags. The image stays in the cloud.',
      names,
      success: { status: 204 },
      causes: ['tooManyRows'],
    },
    handle(service, call) {
      unregisterImage(service, call);
      return nothing;
    },
  },
];
