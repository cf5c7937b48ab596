// The settings of pods that a flavor can have: fields of the specification of a pod that leave it within the restricted Pod Security Standard. PURE.
import { z } from 'zod';
import { contents } from './contents.ts';
import { annotationProblem, labelProblem } from './reserved.ts';
import { scheduling } from './scheduling.ts';
import { closed, keyed, labelValue, objectName, plainText } from './terms.ts';

/** In characters of JSON. Every pod of the flavor has them. */
const mostLength = 32 * 1024;

const account = {
  serviceAccountName: objectName.optional(),
  automountServiceAccountToken: z.boolean().optional(),
};
const metadata = {
  labels: keyed(labelValue, labelProblem).optional(),
  annotations: keyed(plainText(4096), annotationProblem).optional(),
};

const fields = closed({ ...scheduling, ...account, ...metadata, ...contents });

export type FlavoredPod = z.output<typeof fields>;

interface Finding {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The second one of two with the same value. */
function repeated(list: keyof FlavoredPod, field: string, values: readonly string[] = []): readonly Finding[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) < index
      ? [{ path: [list, index, field], message: `${value} is there twice; remove one of them` }]
      : [],
  );
}

function unknownVolumes({ volumes = [], volumeMounts = [] }: FlavoredPod): readonly Finding[] {
  const names = volumes.map(({ name }) => name);
  return volumeMounts.flatMap(({ name }, index) =>
    names.includes(name)
      ? []
      : [{ path: ['volumeMounts', index, 'name'], message: `there is no volume ${name}; add it to volumes` }],
  );
}

function findingsIn(pod: FlavoredPod): readonly Finding[] {
  const { volumes, volumeMounts, env, automountServiceAccountToken, serviceAccountName } = pod;
  const { topologySpreadConstraints: spreads } = pod;
  const nameless = automountServiceAccountToken === true && serviceAccountName === undefined;
  const length = JSON.stringify(pod).length;
  return [
    ...repeated(
      'volumes',
      'name',
      volumes?.map(({ name }) => name),
    ),
    ...repeated(
      'volumeMounts',
      'mountPath',
      volumeMounts?.map(({ mountPath }) => mountPath),
    ),
    ...repeated(
      'env',
      'name',
      env?.map(({ name }) => name),
    ),
    ...repeated(
      'topologySpreadConstraints',
      'topologyKey',
      spreads?.map(({ topologyKey, whenUnsatisfiable }) => `${topologyKey} with ${whenUnsatisfiable}`),
    ),
    ...unknownVolumes(pod),
    ...(nameless
      ? [{ path: ['automountServiceAccountToken'], message: 'needs serviceAccountName, whose token is mounted' }]
      : []),
    ...(length > mostLength
      ? [{ path: [], message: `has ${length} characters as JSON, and can have ${mostLength}; shorten it` }]
      : []),
  ];
}

export const podSettings = fields.superRefine((pod, context) => {
  for (const { path, message } of findingsIn(pod)) context.addIssue({ code: 'custom', path: [...path], message });
});
