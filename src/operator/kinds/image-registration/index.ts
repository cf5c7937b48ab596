// The kind ImageRegistration: an existing image, made part of the service's list, with its tags.
import type { Image } from '../../../wire/image.ts';
import { type GivenKind, noReferences } from '../../reconcile/kind/kind.ts';
import {
  difference,
  type ImageChange,
  imageId,
  type RegisterRequest,
  registering,
  report,
  statedName,
} from './mapping.ts';
import { imageRegistration } from './schema.ts';

export const imageRegistrationKind: GivenKind = {
  definition: imageRegistration,
  route: 'images',
  identity: 'given',
  references: () => [],
  referencesIn: noReferences,
  check: () => undefined,
  givenId: imageId,
  statedName,
  desired: (spec) => ({ body: registering(spec) }),
  remedy: ({ category }) =>
    category === 'notFound'
      ? 'spec.imageID names an image that the service does not have: delete this object and make one with the right identifier, or have the image added to the cloud: it is retried'
      : undefined,
  health: () => ({ state: 'ready' }),
  difference,
  change: (diff) => diff,
  changeWords: { to: 'update', doing: 'updating', reason: 'Provisioning', noEffect: 'UpdateHasNoEffect' },
  report,
  create: (service, { id, ...body }, permit) => service.registerImage(id, body, permit),
  sendChange: (service, id, diff, permit) => {
    if (diff.request === 'register') return service.registerImage(id, diff.body, permit);
    const body = { tags: [...diff.tags] };
    return diff.request === 'tag' ? service.tagImage(id, body, permit) : service.untagImage(id, body, permit);
  },
} satisfies GivenKind<typeof imageRegistration, RegisterRequest, Image, ImageChange, ImageChange>;
