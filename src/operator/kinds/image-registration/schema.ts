// What a user may set on an ImageRegistration, and what its status tells.
import { z } from 'zod';
import { age, id, message, ready, reason } from '../../api/columns.ts';
import { commonSpec, externalStatus, fixedConnection, freeFields, recordID } from '../../api/common.ts';
import type { Definition } from '../../api/definition.ts';
import { immutable, ruled, setOf, text } from '../../api/keywords.ts';

const tag = text(80, {
  pattern: /^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$/,
  message:
    'must be letters, digits, - and _ in dot-separated labels that begin and end with a letter or digit, such as 1.2.1',
});

const shape = {
  ...commonSpec,
  deletionPolicy: commonSpec.deletionPolicy.describe(
    'What deleting this object does in the service. Delete ends the registration and takes all tags off; Orphan leaves both. Unset: Delete, but Orphan for an image that was registered before this object came. May change at any time, also while the object is being deleted.',
  ),
  imageID: recordID.describe(
    'The image, by its identifier in the cloud. It must be there; registering makes it usable for clusters. Cannot change.',
  ),
  username: text(64, {
    pattern: /^[A-Za-z_][A-Za-z0-9_.-]*[$]?$/,
    message: 'must be the name of a user of the operating system: letters, digits, _, - and dots',
  }).describe('User of the operating system that the service logs in to the nodes as: ubuntu, cloud-user.'),
  description: text(1024).optional().describe('For people, kept with the image. Unset: left as it is.'),
  tags: setOf(tag, 50)
    .optional()
    .describe(
      'The tags of the image are made exactly these; plugins ask for some, as a rule their own name and version. Unset: tags are left as they are; some services take them off when username or description changes. Empty: the image has none.',
    ),
};

const spec = ruled(z.object(shape), [
  fixedConnection,
  ...immutable(shape, {
    but: ['connectionRef', 'username', 'description', 'tags', ...freeFields],
    remedy: ': make a new ImageRegistration for the other image',
  }),
]);

const status = z.object({
  ...externalStatus,
  imageName: z.string().max(1024).optional().describe('Name of the image in the cloud.'),
  imageStatus: z.string().max(1024).optional().describe("The cloud's own word for the state of the image."),
  username: z.string().max(1024).optional().describe('User of the operating system, as the service has it.'),
  tags: z.array(z.string().max(1024)).max(200).optional().describe('Tags, as the service has them.'),
});

export const imageRegistration = {
  kind: 'ImageRegistration',
  plural: 'imageregistrations',
  singular: 'imageregistration',
  shortName: 'dpimg',
  description:
    'Makes an image of the cloud usable for clusters: tells the service its user name, and keeps its tags as they are given here.',
  spec,
  status,
  columns: [
    ready,
    reason,
    { name: 'Image', type: 'string', jsonPath: '.status.imageName', description: 'Name of the image in the cloud.' },
    { name: 'User', type: 'string', jsonPath: '.status.username', description: 'User name, as the service has it.' },
    { name: 'Tags', type: 'string', jsonPath: '.status.tags', description: 'Tags, as the service has them.' },
    id,
    message,
    age,
  ],
} as const satisfies Definition;
