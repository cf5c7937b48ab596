// The spec and status of an ImageRegistration.
import { z } from 'zod';
import { age, id, message, ready, reason } from '../../api/columns.ts';
import type { Definition } from '../../api/definition.ts';
import { immutable, ruled, setOf, text } from '../../api/keywords.ts';
import { reportedText } from '../../api/optional-fields.ts';
import {
  externalStatus,
  fixedConnection,
  freeKeptFields,
  identifierExample,
  keptSpec,
  recordID,
} from '../../api/shared-api.ts';

const tag = text(80, {
  pattern: /^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$/,
  message:
    'must be letters, digits, - and _ in dot-separated labels that begin and end with a letter or digit, such as 1.2.1',
});

const shape = {
  ...keptSpec,
  deletionPolicy: keptSpec.deletionPolicy.describe(
    'What happens in the service when this object is deleted. Delete removes the registration and all tags. Orphan leaves both. Defaults to Delete, and to Orphan for an image that was registered before this object existed. After Delete, another ImageRegistration of the same image registers it again. It may be changed at any time, even during the deletion.',
  ),
  imageID: recordID
    .describe(
      'Identifier of the image in the cloud. The image must exist. The registration makes it usable for clusters. Immutable.',
    )
    .meta({ example: identifierExample }),
  username: text(64, {
    pattern: /^[A-Za-z_][A-Za-z0-9_.-]*[$]?$/,
    message: 'must be the name of a user of the operating system: letters, digits, _, - and dots',
  })
    .describe('User of the operating system that the service uses to log in to the nodes.')
    .meta({ example: 'ubuntu' }),
  description: text(1024)
    .optional()
    .describe('Description for people, stored with the image. When unset, the operator does not manage it.')
    .meta({ example: 'Ubuntu with the vanilla plugin' }),
  tags: setOf(tag, 50)
    .optional()
    .describe(
      'Tags of the image. If set, the operator enforces exactly these tags; an empty list removes all. Plugins require certain tags, usually their name and version. When unset, the operator does not manage the tags, and some services remove them when username or description changes.',
    )
    .meta({ example: ['vanilla', '1.2.1'] }),
};

const spec = ruled(z.object(shape), [
  fixedConnection,
  ...immutable(shape, {
    but: ['connectionRef', 'username', 'description', 'tags', ...freeKeptFields],
    remedy: '; create another ImageRegistration for the other image',
  }),
]);

const status = z.object({
  ...externalStatus,
  imageName: reportedText(1024, 'Name of the image in the cloud.'),
  imageStatus: reportedText(1024, 'State of the image, as reported by the cloud.'),
  username: reportedText(1024, 'User of the operating system, as reported by the service.'),
  tags: z.array(z.string().max(1024)).max(200).optional().describe('Tags, as reported by the service.'),
});

export const imageRegistration = {
  kind: 'ImageRegistration',
  plural: 'imageregistrations',
  shortName: 'dpimg',
  description:
    'Makes an image of the cloud usable for clusters: registers its user name with the service and keeps its tags.',
  spec,
  status,
  columns: [
    ready,
    reason,
    { name: 'Image', type: 'string', jsonPath: '.status.imageName', description: 'Name of the image in the cloud.' },
    {
      name: 'User',
      type: 'string',
      jsonPath: '.status.username',
      description: 'User name, as reported by the service.',
    },
    { name: 'Tags', type: 'string', jsonPath: '.status.tags', description: 'Tags, as reported by the service.' },
    id,
    message,
    age,
  ],
} as const satisfies Definition;
