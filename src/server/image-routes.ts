// The routes of the image registry: section 4.2 of the interface.
import { accepted, type Call, type Endpoint, nothing, ok, okInParts } from './endpoint.ts';
import { listImages, readImage, registerImage, tagImage, unregisterImage, untagImage } from './images.ts';
import type { ImageRecord } from './records.ts';
import { partsOfPage, renderOne, type Service } from './service.ts';

const render = (service: Service, tenant: string, image: ImageRecord) =>
  renderOne(service, { kind: 'images', tenant }, image);

/** A change of an image, answered with what came of it. */
const change = (path: string, carryOut: (service: Service, call: Call) => ImageRecord): Endpoint => ({
  method: 'POST',
  path,
  handle: (service, call) => accepted(render(service, call.tenant, carryOut(service, call))),
});

export const imageEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: 'images',
    handle(service, { tenant, query }) {
      const tags = [query.tags ?? []].flat();
      return okInParts(partsOfPage(service, { kind: 'images', tenant }, { rows: listImages(service, tenant, tags) }));
    },
  },
  {
    method: 'GET',
    path: 'images/:id',
    handle: (service, call) => ok(render(service, call.tenant, readImage(service, call))),
  },
  change('images/:id', registerImage),
  change('images/:id/tag', tagImage),
  change('images/:id/untag', untagImage),
  {
    method: 'DELETE',
    path: 'images/:id',
    handle(service, call) {
      unregisterImage(service, call);
      return nothing;
    },
  },
];
